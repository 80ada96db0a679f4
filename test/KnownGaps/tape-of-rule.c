// XFAIL: *
// RG-LEVELS: O2
// A rule whose reverse function releases the rule's tape, below a tape that is kept and swept
// again: the rule is called again with a tape that is gone.
#include "rgtest.h"
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
void rg_tape_free(void *);
extern int enzyme_dup, enzyme_nofree;

static struct {
  double x;
  int alive;
} slots[8];
static int next, gone;

__attribute__((noinline)) static double square(double x) { return x * x; }
static void *square_begin(double x) {
  slots[next].x = x, slots[next].alive = 1;
  return &slots[next++];
}
static double square_sweep(double x, double seed, void *tape) {
  int slot = (int)(((char *)tape - (char *)slots) / sizeof *slots);
  gone += !slots[slot].alive;
  slots[slot].alive = 0;
  return 2 * slots[slot].x * seed;
}
void *__enzyme_register_gradient_square[] = {(void *)square, (void *)square_begin, (void *)square_sweep};

static void map(const double *x, double *y) {
  y[0] = square(x[0]) * x[1];
  y[1] = square(x[1]) + x[0];
}
int main() {
  double x[2] = {1.5, 2}, dx[2] = {0}, y[2], dy[2] = {0};
  void *tape = __enzyme_augmentfwd((void *)map, enzyme_dup, x, dx, enzyme_dup, y, dy);
  for (int row = 0; row < 2; ++row) {
    dx[0] = dx[1] = 0;
    dy[row] = 1;
    __enzyme_reverse((void *)map, enzyme_nofree, enzyme_dup, x, dx, enzyme_dup, y, dy, tape);
    RG_NEAR(dx[0], row ? 1 : 2 * x[0] * x[1]);
    RG_NEAR(dx[1], row ? 2 * x[1] : x[0] * x[0]);
  }
  rg_tape_free(tape);
  RG_NEAR(gone, 0);
  return rgReport();
}
