// A gradient: memory and its shadow.
//
// A pointer argument is followed by a second pointer, its shadow: memory of the same
// size where the derivatives are added. Start with zeros, or let several gradients
// add up. One call gives all n derivatives, at the price of a few calls of f.

#include <stdio.h>

void __enzyme_autodiff(void *, ...);

double rosenbrock(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i + 1 < n; ++i) {
    double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
    sum += a * a + 100 * b * b;
  }
  return sum;
}

int main(void) {
  double x[4] = {0.5, 1.0, -0.5, 2.0};
  double gradient[4] = {0, 0, 0, 0};
  __enzyme_autodiff((void *)rosenbrock, x, gradient, 4); // integers are constant
  for (int i = 0; i < 4; ++i)
    printf("df/dx[%d] = %g\n", i, gradient[i]);
}

// RUN: %rgcc -O2 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// RUN: %rgcc -O0 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// prints: df/dx[0] = -151
// prints: df/dx[1] = 750
// prints: df/dx[2] = 47
// prints: df/dx[3] = 350
