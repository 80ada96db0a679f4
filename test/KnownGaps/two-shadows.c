// XFAIL: *
// RG-LEVELS: O2
// Memory that is passed twice with two shadows: each use is of the shadow it came with, so what is written
// by one name and read by the other has no derivative.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_out;

static double through(double x, double *to, double *from) {
  to[0] = x * x;
  return from[0] + x;
}

int main(void) {
  double memory[1] = {1}, one[1] = {0}, two[1] = {0};
  RG_NEAR(__enzyme_autodiff((void *)through, enzyme_out, 3.0, enzyme_dup, memory, one, enzyme_dup, memory, two), 7);
  return rgReport();
}
