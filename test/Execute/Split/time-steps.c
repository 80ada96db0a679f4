// Kernels that a rule of the program's calls in two halves, a tape per cell, as for
// kernels that run elsewhere; the time loop around them is differentiated as a whole.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
extern int enzyme_dup, enzyme_const;
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
void __enzyme_autodiff(void *, ...);

enum { CELLS = 16, STEPS = 20 };
static void cell(double *src, double *dst, int i) {
  double a = src[i], b = src[(i + 1) % CELLS], c = src[(i + CELLS - 1) % CELLS];
  double f[3] = {a * b, b * c, sin(a * c)}, s = 0;
  for (int k = 0; k < 3; ++k)
    s += f[k] * f[(k + 1) % 3];
  dst[i] = .3 * a + .3 * b + .3 * c + .02 * s;
}
__attribute__((noinline)) void step(double *src, double *dst) {
  for (int i = 0; i < CELLS; ++i)
    cell(src, dst, i);
}
void *stepAugmented(double *src, double *dsrc, double *dst, double *ddst) {
  void **tape = malloc(CELLS * sizeof *tape);
  for (int i = 0; i < CELLS; ++i)
    tape[i] = __enzyme_augmentfwd((void *)cell, src, dsrc, dst, ddst, enzyme_const, i);
  return tape;
}
void stepReverse(double *src, double *dsrc, double *dst, double *ddst, void *tapes) {
  void **tape = tapes;
  for (int i = CELLS - 1; i >= 0; --i)
    __enzyme_reverse((void *)cell, src, dsrc, dst, ddst, enzyme_const, i, tape[i]);
  free(tape);
}
void *__enzyme_register_gradient_step[] = {(void *)step, (void *)stepAugmented, (void *)stepReverse};

void simulate(int steps, double *src, double *dst) {
  for (int i = 0; i < steps / 2; ++i) {
    step(src, dst);
    step(dst, src);
  }
}
static double energy(const double *start) {
  double a[CELLS], b[CELLS] = {0}, e = 0;
  memcpy(a, start, sizeof a);
  simulate(STEPS, a, b);
  for (int i = 0; i < CELLS; ++i)
    e += a[i] * a[i];
  return e;
}
int main(void) {
  double start[CELLS], src[CELLS], dsrc[CELLS], dst[CELLS] = {0}, ddst[CELLS] = {0};
  double end[CELLS], other[CELLS] = {0};
  for (int i = 0; i < CELLS; ++i)
    end[i] = start[i] = src[i] = .3 * sin(i) + .4;
  simulate(STEPS, end, other);
  for (int i = 0; i < CELLS; ++i)
    dsrc[i] = 2 * end[i];
  __enzyme_autodiff((void *)simulate, enzyme_const, STEPS, enzyme_dup, src, dsrc, enzyme_dup, dst, ddst);
  RG_GRADS(dsrc, energy(start), start, CELLS);
  return rgReport();
}
int enzyme_dup, enzyme_const;
