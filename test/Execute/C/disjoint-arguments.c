// Arrays without restrict: the derivative compares where they lie, and is right whether they overlap or not: primal over primal, shadow over
// shadow, at the ends and in the middle, backwards, with strides and triangles, with nothing to do, with a global array.
// RG-LEVELS: O0 O1 O2 O3
// RG-SWITCHES: disjoint-arguments
#include "rgtest.h"
#include <string.h>
void __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;
enum { Most = 400 };
typedef void Function(double *, double *, int, int);
// y[i] read again after x was written, quadratic: wrong if an overlap were not seen.
__attribute__((noinline)) static void square(double *x, double *y, int n, int m) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      x[i * m + j] += y[i * m + j] * y[j] * 0.25;
}
__attribute__((noinline)) static void triangle(double *x, double *y, int n, int m) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      x[i * m + j] += y[i] * y[j] * x[j];
}
__attribute__((noinline)) static void backwards(double *x, double *y, int n, int m) {
  for (int i = n - 1; i >= 0; --i)
    for (int j = m - 1; j >= 0; j -= 2)
      x[i * m + j] *= y[i * m + j] + y[m * n - 1 - j];
}
// Loops from i + 1 on, i counting down: their counts are maxima of what varies.
__attribute__((noinline)) static void solve(double *x, double *y, int n, int m) {
  for (int i = n - 1; i >= 0; --i) {
    double w = y[i];
    for (int j = i + 1; j < n; ++j) {
      x[(size_t)i * m + j] *= 0.9 + 0.01 * y[j];
      w -= 0.1 * x[(size_t)i * m + j] * y[j];
    }
    y[i] = w;
  }
}
// Sums of int, whose flags optimisation loses, and of fewer bits, which wrap around: they lead in front of x then.
__attribute__((noinline)) static void inverse(double *x, double *y, int n, int m) {
  for (int j = 0; j < n; ++j) {
    x[j * m + j] = 1 / y[j * m + j];
    for (int i = j + 1; i < n; ++i) {
      double sum = 0;
      for (int k = j; k < i; ++k)
        sum += y[i * m + k] * x[k * m + j];
      x[i * m + j] = -0.125 * sum / y[i * m + i];
    }
  }
}
__attribute__((noinline)) static void wraps(double *x, double *y, int n, int m) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      x[(signed char)(i * m + j)] += y[i * m + j] * y[j] * 0.25;
}
__attribute__((noinline)) static void unsigned_wraps(double *x, double *y, int n, int m) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      x[(unsigned char)(i * m - j)] += y[i * m + j] * y[j] * 0.25;
}
static double table[8];
__attribute__((noinline)) static void global(double *x, double *y, int n, int m) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      x[i * m + j] += table[j % 8] * y[j];
      table[j % 8] = table[j % 8] * 0.5 + x[i * m + j];
    }
}
__attribute__((noinline)) static void product(double *z, double *x, double *y, int n, int m) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      z[i * m + j] += x[j] * y[i * m + j];
}
#define GRADIENT(f)                                                                                                                        \
  static void f##_gradient(double *x, double *dx, double *y, double *dy, int n, int m) {                                                   \
    __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n, enzyme_const, m);                                  \
  }
GRADIENT(square)
GRADIENT(triangle)
GRADIENT(backwards)
GRADIENT(global)
GRADIENT(solve)
GRADIENT(inverse)
GRADIENT(wraps)
GRADIENT(unsigned_wraps)

static double memory[2 * Most], shadow[2 * Most], start[2 * Most], along[2 * Most];
static void reset(void) {
  memcpy(memory, start, sizeof memory);
  for (int k = 0; k < 8; ++k) table[k] = 0.1 * k;
}
// x at memory, y at offset; their shadows lie in the same way to each other.
static void compare(const char *name, Function *f, void (*gradient)(double *, double *, double *, double *, int, int), int offset, int n, int m) {
  double by = 0, value[2];
  const double h = 1e-6;
  for (int side = 0; side < 2; ++side) {
    reset();
    for (int k = 0; k < 2 * Most; ++k) memory[k] += (side ? h : -h) * along[k];
    f(memory + Most / 2, memory + Most / 2 + offset, n, m);
    value[side] = 0;
    for (int k = 0; k < 2 * Most; ++k) value[side] += memory[k] * (1 + 0.01 * k);
  }
  reset();
  for (int k = 0; k < 2 * Most; ++k) shadow[k] = 1 + 0.01 * k;
  gradient(memory + Most / 2, shadow + Most / 2, memory + Most / 2 + offset, shadow + Most / 2 + offset, n, m);
  for (int k = 0; k < 2 * Most; ++k) by += shadow[k] * along[k];
  rgCompare(__FILE__, __LINE__, name, by, (value[1] - value[0]) / (2 * h), 1e-6);
}

int main() {
  for (int k = 0; k < 2 * Most; ++k) {
    start[k] = 0.5 + 0.001 * (k % 37);
    along[k] = 0.3 + 0.01 * (k % 11);
  }
  const int offsets[] = {0, 1, -1, 3, 9, 10, -10, 35, 99, 100, 101, -99, -100, -101, 150};
  for (unsigned k = 0; k < sizeof offsets / sizeof *offsets; ++k) {
    int at = offsets[k];
    compare("square", square, square_gradient, at, 10, 10);
    compare("triangle", triangle, triangle_gradient, at, 10, 10);
    compare("backwards", backwards, backwards_gradient, at, 10, 10);
    compare("global", global, global_gradient, at, 10, 10);
    compare("solve", solve, solve_gradient, at, 10, 10);
    compare("solve nothing", solve, solve_gradient, at, -1, 10);
    compare("inverse", inverse, inverse_gradient, at, 10, 10);
    compare("wraps not", wraps, wraps_gradient, at, 10, 10);
    compare("wraps", wraps, wraps_gradient, at, 20, 10);
    compare("unsigned, wraps", unsigned_wraps, unsigned_wraps_gradient, at, 20, 10);
    compare("nothing", square, square_gradient, at, 0, 10);
    compare("less than nothing", triangle, triangle_gradient, at, -3, 10);
    compare("one", backwards, backwards_gradient, at, 1, 1);
  }
  // Two inputs with one shadow: what is added meets there.
  double x[9], y[9], z[9] = {0}, both[9] = {0}, dx[9] = {0}, dy[9] = {0}, dz[9];
  for (int k = 0; k < 9; ++k) x[k] = 0.5 + k, y[k] = 2 - 0.1 * k, dz[k] = 1;
  __enzyme_autodiff((void *)product, enzyme_dup, z, dz, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, 3, enzyme_const, 3);
  for (int k = 0; k < 9; ++k) dz[k] = 1;
  __enzyme_autodiff((void *)product, enzyme_dup, z, dz, enzyme_dup, x, both, enzyme_dup, y, both, enzyme_const, 3, enzyme_const, 3);
  for (int k = 0; k < 9; ++k) RG_NEAR(both[k], dx[k] + dy[k]);
  // A global array by the name of an argument.
  reset();
  double t[8] = {0}, w[8] = {1, 1, 1, 1, 1, 1, 1, 1}, dt[8] = {1, 1, 1, 1, 1, 1, 1, 1}, dw[8] = {0};
  global_gradient(t, dt, w, dw, 1, 8);
  RG_NEAR(dw[7], 0.7);
  return rgReport();
}
