// Second derivatives, and Newton's method.
//
// A gradient is a program like any other, so it has derivatives: its tangent along v
// is the product of the Hessian and v. With v along an axis that is a column of the
// Hessian, which is what Newton's method wants.

#include <math.h>
#include <stdio.h>

void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);

double f(const double *x) {
  double a = 1 - x[0], b = x[1] - x[0] * x[0];
  return a * a + 100 * b * b;
}

static void gradient(const double *x, double *g) {
  g[0] = g[1] = 0;
  __enzyme_autodiff((void *)f, x, g);
}

int main(void) {
  double x[2] = {-1.2, 1};
  for (int step = 0; step < 8; ++step) {
    double g[2], H[2][2];
    gradient(x, g);
    for (int j = 0; j < 2; ++j) {
      double v[2] = {j == 0, j == 1}, column[2];
      __enzyme_fwddiff((void *)gradient, x, v, g, column);
      for (int i = 0; i < 2; ++i)
        H[i][j] = column[i];
    }
    double det = H[0][0] * H[1][1] - H[0][1] * H[1][0];
    x[0] -= (H[1][1] * g[0] - H[0][1] * g[1]) / det;
    x[1] -= (H[0][0] * g[1] - H[1][0] * g[0]) / det;
  }
  double g[2];
  gradient(x, g);
  printf("minimum at %.6f %.6f, gradient %s\n", x[0], x[1],
         fabs(g[0]) + fabs(g[1]) < 1e-6 ? "zero" : "not zero");
}

// RUN: %rgcc -O2 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// RUN: %rgcc -O0 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// prints: minimum at 1.000000 1.000000, gradient zero
