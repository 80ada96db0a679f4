// The reverse of y += x leaves the adjoint of y where it is (lib/Polish/AddedZeros.cpp).
// RUN: %rgcc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcc -O2 -S -emit-llvm -mllvm -rg-disable=added-zeros %s -o - | FileCheck %s --check-prefix=OFF
// RUN: %rgcc -O2 %s -o %t -lm && %t
// RUN: %rgcc -O2 -mllvm -rg-disable=added-zeros %s -o %t.off -lm && %t.off
#include <math.h>
#include <stdio.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// CHECK-LABEL: define internal {{.*}}@rg.product.grad
// CHECK-NOT: fadd {{.*}}, 0.000000e+00
// CHECK: {{^}}}
// OFF-LABEL: define internal {{.*}}@rg.product.grad
// OFF: fadd {{.*}}, 0.000000e+00
// OFF: {{^}}}
__attribute__((noinline)) static void product(const double *restrict A, const double *restrict x, double *restrict y) {
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 40; ++j)
      y[i * 40 + j] += A[i] * x[j];
}

// A result that is read beside the sum keeps its addition.
__attribute__((noinline)) static void chained(double *restrict y, int n) {
  for (int i = 1; i < n; ++i)
    y[i] += 0.5 * y[i - 1] * y[i];
}

static double A[40], dA[40], x[40], dx[40], y[1600], dy[1600], z[40], dz[40];

int main(void) {
  int Wrong = 0;
  for (int i = 0; i < 40; ++i)
    A[i] = 1 + i, x[i] = 2 - 0.1 * i, z[i] = 1 + 0.01 * i, dz[i] = i == 39;
  for (int i = 0; i < 1600; ++i)
    dy[i] = 1 + 0.001 * i;
  dy[3] = -0.0; // a seed may be this zero, too
  __enzyme_autodiff((void *)product, enzyme_dup, A, dA, enzyme_dup, x, dx, enzyme_dup, y, dy);
  for (int i = 0; i < 40; ++i) {
    double a = 0;
    for (int j = 0; j < 40; ++j)
      a += (i == 0 && j == 3 ? 0 : 1 + 0.001 * (i * 40 + j)) * x[j];
    if (fabs(a - dA[i]) > 1e-9 * fabs(a))
      ++Wrong, printf("A[%d]: %g, not %g\n", i, dA[i], a);
  }
  if (dy[7] != 1 + 0.001 * 7 || dy[3] != 0)
    ++Wrong, printf("y[7]: %g, y[3]: %g\n", dy[7], dy[3]);
  double h = 1e-6, Of[2];
  for (int s = 0; s < 2; ++s) {
    double w[40];
    for (int i = 0; i < 40; ++i)
      w[i] = 1 + 0.01 * i + (i == 36 ? (s ? h : -h) : 0);
    chained(w, 40);
    Of[s] = w[39];
  }
  __enzyme_autodiff((void *)chained, enzyme_dup, z, dz, enzyme_const, 40);
  double d = (Of[1] - Of[0]) / (2 * h);
  if (fabs(d - dz[36]) > 1e-5 * fabs(d))
    ++Wrong, printf("z[36]: %g, not %g\n", dz[36], d);
  return Wrong != 0;
}
