#include <math.h>
#include <retrograd/retrograd.h>
#include <stdio.h>

static double f(double x) { return sin(x) * x; }

int main(void) {
  double slope = __enzyme_autodiff((void *)f, 0.5);
  printf("slope = %.3f\n", slope);
  return fabs(slope - (cos(0.5) * 0.5 + sin(0.5))) > 1e-12;
}
