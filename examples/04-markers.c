// What to differentiate with respect to, and what not.
//
// A marker before an argument says what it is: enzyme_const, not differentiated;
// enzyme_dup, followed by its shadow; enzyme_out, a number whose derivative is
// returned. Without markers, pointers are dup, floating-point numbers out, integers
// const. What is constant costs nothing.

#include <stdio.h>

double __enzyme_autodiff(void *, ...);
int enzyme_const, enzyme_dup, enzyme_out;

// Several returned derivatives come as a struct, in the order of the parameters.
struct two {
  double slope, offset;
};
struct two __enzyme_autodiff_two(void *, ...);

double loss(double slope, double offset, const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double error = slope * x[i] + offset - y[i];
    sum += error * error;
  }
  return sum / n;
}

int main(void) {
  double x[3] = {0, 1, 2}, y[3] = {1, 3, 4}, dx[3] = {0};

  struct two d = __enzyme_autodiff_two((void *)loss, enzyme_out, 1.0, enzyme_out, 0.0,
                                       enzyme_const, x, enzyme_const, y, enzyme_const, 3);
  printf("by slope %g, by offset %g\n", d.slope, d.offset);

  double only = __enzyme_autodiff((void *)loss, enzyme_out, 1.0, enzyme_const, 0.0,
                                  enzyme_const, x, enzyme_const, y, 3);
  printf("by slope %g\n", only);

  // The data are as good a variable as the parameters.
  __enzyme_autodiff((void *)loss, enzyme_const, 1.0, enzyme_const, 0.0, enzyme_dup, x, dx,
                    enzyme_const, y, 3);
  printf("by x[2] %g\n", dx[2]);
}

// RUN: %rgcc -O2 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// RUN: %rgcc -O0 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// prints: by slope -4, by offset -3.33333
// prints: by slope -4
// prints: by x[2] -1.33333
