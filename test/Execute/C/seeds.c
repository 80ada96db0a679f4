// RUN: %rgcc -O2 -I%root/include %s -o %t -lm && %t
// RUN: %rgcc -O0 -I%root/include -mllvm -rg-plan=naive %s -o %t -lm && %t
// RUN: %rgcc -O3 -march=native -I%root/include %s -o %t -lm && %t
// Adjoints that a derivative starts from stay as they are: enzyme_seed, in loops and nests of them.
#include <math.h>
#include <retrograd/retrograd.h>
#include <stdio.h>

static void line(const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = sin(x[i]) * x[n - 1 - i];
}
static void square(const double *restrict x, double *restrict y, int n) {
  int rows = n / 6;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < 6; ++j)
      y[i * 6 + j] = x[i] * x[j];
}
static void pairs(const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n / 2; ++i) {
    y[2 * i] = x[i] * x[2 * i + 1];
    y[2 * i + 1] = x[i] + x[2 * i];
  }
}
static void three(const double *restrict x, double *restrict y, int n) {
  y[0] = x[0] * x[1];
  y[2] = x[n - 1];
  y[1] = x[2] * x[2];
}

#define N 24
static int check(const char *name, void (*f)(const double *, double *, int), void (*gradient)(double *, double *, double *, double *)) {
  double x[N], dx[N] = {0}, y[N] = {0}, w[N], dw[N];
  int bad = 0;
  for (int i = 0; i < N; ++i)
    x[i] = 0.3 + 0.1 * i, w[i] = dw[i] = cos(i);
  gradient(x, dx, y, dw);
  for (int i = 0; i < N; ++i) {
    double h = 1e-6, there = x[i], sum = 0;
    for (int side = 1; side >= -1; side -= 2) {
      x[i] = there + side * h;
      for (int k = 0; k < N; ++k)
        y[k] = 0;
      f(x, y, N);
      for (int k = 0; k < N; ++k)
        sum += side * w[k] * y[k] / (2 * h);
    }
    x[i] = there;
    if (!(fabs(sum - dx[i]) < 1e-7))
      bad = printf("%s: dx[%d] = %g, differences %g\n", name, i, dx[i], sum);
    if (dw[i] != w[i])
      bad = printf("%s: the seed %d was %g and is %g\n", name, i, w[i], dw[i]);
  }
  return bad;
}
#define GRADIENT(f)                                                                                                    \
  static void f##Gradient(double *x, double *dx, double *y, double *dy) {                                              \
    __enzyme_autodiff_void((void *)f, enzyme_dup, x, dx, enzyme_seed, y, dy, enzyme_const, N);                         \
  }
GRADIENT(line)
GRADIENT(square)
GRADIENT(pairs)
GRADIENT(three)

int main(void) {
  return (check("line", line, lineGradient) | check("square", square, squareGradient) |
          check("pairs", pairs, pairsGradient) | check("three", three, threeGradient)) != 0;
}
