// XFAIL: *
// RG-LEVELS: O2
// Memory from before the derivative that two global pointers lead to: what is written by one and
// read by the other counts as constant, and nobody notices.
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);

static double *to, *from;
static double through(double x) {
  to[0] = x * x;
  return from[0] * x;
}

int main(void) {
  to = from = malloc(sizeof *to);
  RG_NEAR(__enzyme_autodiff((void *)through, 3.0), 27);
  return rgReport();
}
