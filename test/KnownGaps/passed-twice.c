// XFAIL: *
// RG-LEVELS: O2
// Memory that is passed twice, once as constant: what is written by the constant name and read by the
// other counts as constant, as the marker says, and nobody notices.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const, enzyme_out;

static double through(double x, double *to, double *from) {
  to[0] = x * x;
  return from[0] + x;
}

int main(void) {
  double memory[1] = {1}, shadow[1] = {0};
  RG_NEAR(__enzyme_autodiff((void *)through, enzyme_out, 3.0, enzyme_const, memory, enzyme_dup, memory, shadow), 7);
  return rgReport();
}
