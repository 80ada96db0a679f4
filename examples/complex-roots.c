// Complex numbers and variable-length arrays in C99: how the roots of a polynomial
// move when its coefficients do, and the gradient of a distance between roots.
//
//   rg-clang -O2 complex-roots.c -lm -o roots && ./roots
// RG-LEVELS: O0 O2
#include <complex.h>
#include <math.h>
#include <retrograd/retrograd.h>
#include <stdio.h>

// Durand and Kerner's iteration for all roots at once.
static void roots(int n, const double complex c[n], double complex z[n]) {
  for (int i = 0; i < n; ++i)
    z[i] = cpow(0.4 + 0.9 * _Complex_I, i);
  for (int step = 0; step < 40; ++step)
    for (int i = 0; i < n; ++i) {
      double complex p = 1, q = 1;
      for (int j = n - 1; j >= 0; --j)
        p = p * z[i] + c[j];
      for (int j = 0; j < n; ++j)
        if (j != i)
          q *= z[i] - z[j];
      z[i] -= p / q;
    }
}

// The sum of the distances between neighbours.
static double spread(const double complex *c, int n) {
  double complex z[n];
  roots(n, c, z);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += cabs(z[i] - z[(i + 1) % n]);
  return s;
}

int main(void) {
  // z^3 - 1: roots at the corners of a triangle.
  double complex c[3] = {-1, 0, 0}, dc[3] = {0};
  __enzyme_autodiff((void *)spread, enzyme_dup, c, dc, 3);
  printf("sides %.6f\n", spread(c, 3));
  // d/dRe + i d/dIm of a real function of complex numbers.
  for (int i = 0; i < 3; ++i)
    printf("by c[%d]: %8.5f %+8.5fi\n", i, creal(dc[i]), cimag(dc[i]));
  // The sides are 3 sqrt(3) |c0|^(1/3).
  return fabs(creal(dc[0]) + sqrt(3.0)) > 1e-9 || fabs(cimag(dc[0])) > 1e-9;
}
