// RG-LEVELS: O0 O1 O2 O3 Os fast g
// Markers as extern declarations whose definitions are elsewhere in the file,
// as macros around them, and as arguments kept in local constants.
#include "rgtest.h"
extern double __enzyme_autodiff(void *, ...);
extern int enzyme_const;
extern int enzyme_dup;
extern int enzyme_out;
#define CONST enzyme_const,
#define GRAD(F, ...) __enzyme_autodiff((void *)(F), __VA_ARGS__)

static double f(double a, double b, double *c) { return a * a * b * c[0] + c[1]; }

static double gradientOf(double a, double b, double *c) {
  return GRAD(f, enzyme_out, a, CONST b, CONST c);
}

int main(void) {
  double a = 2, b = 3, c[2] = {5, 7}, dc[2] = {0, 0};
  RG_NEAR(gradientOf(a, b, c), 60);
  RG_NEAR(GRAD(f, CONST a, enzyme_out, b, enzyme_dup, c, dc), 20);
  RG_NEAR(dc[0], 12);
  RG_NEAR(dc[1], 1);
  RG_NEAR(GRAD(f, enzyme_const, a, b, enzyme_const, c), 20);
  return rgReport();
}

int enzyme_const;
int enzyme_dup;
int enzyme_out;
