// XFAIL: *
// RG-LEVELS: O2
// Forward mode from a tape: memory of the caller's that is released before the tape is, and whose
// address then becomes a shadow's. Where a pointer may be one that has no shadow, shadow and
// primal are compared, and the tape's primal address is that of the new shadow: its tangent is lost.
#include "rgtest.h"
void *__enzyme_augmentfwd(void *, ...);
double __enzyme_fwdsplit(void *, ...);
extern int enzyme_dup, enzyme_const, enzyme_nofree;
void rg_tape_free(void *);

static const double table[2] = {1, 2};
__attribute__((noinline)) static const double *choose(const double *x, int n) { return n > 5 ? table : x; }
static double energy(const double *x, int n) {
  const double *p = choose(x, n);
  return p[0] * p[0] + p[1];
}

int main(int argc, char **argv) {
  double place[2] = {3, 4}, other[2] = {1, 0.5};
  void *tape = __enzyme_augmentfwd((void *)energy, enzyme_dup, place, (double *)0, enzyme_const, argc);
  // Here as elsewhere: 2 * 3 * 1 + 0.5.
  RG_NEAR(__enzyme_fwdsplit((void *)energy, enzyme_nofree, enzyme_dup, place, other, enzyme_const, argc, tape), 6.5);
  // As if `place` had been released, and its memory given to a shadow.
  place[0] = 1, place[1] = 0.5;
  RG_NEAR(__enzyme_fwdsplit((void *)energy, enzyme_nofree, enzyme_dup, place, place, enzyme_const, argc, tape), 6.5);
  rg_tape_free(tape);
  return rgReport();
}
