// The derivative of a function of one number.
//
// Declare __enzyme_autodiff with the result type that you need and call it with the
// function and its arguments. The compiler replaces the call by a call of the
// derivative, which it makes from the function's own code.

#include <math.h>
#include <stdio.h>

double __enzyme_autodiff(void *, ...);

double f(double x) { return x * x + sin(x); }

int main(void) {
  double x = 3.0;
  double slope = __enzyme_autodiff((void *)f, x);
  printf("f(3)  = %.6f\n", f(x));
  printf("f'(3) = %.6f\n", slope);
  printf("by hand %.6f\n", 2 * x + cos(x));
}

// RUN: %rgcc -O2 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// RUN: %rgcc -O0 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// prints: f(3)  = 9.141120
// prints: f'(3) = 5.010008
// prints: by hand 5.010008
