// Adjoints that are cleared late (lib/Polish/LateZeros.cpp): steps over small arrays, each filled and read once in a step, as a whole and in
// parts, by several ways through a step and out of the loop, in memory of the function's own and of the caller's, whose adjoints begin with
// something. All adjoints are right, and what the caller finds is what it would have found.
// RG-LEVELS: O0 O1 O2 O3
// RG-SWITCHES: late-zeros short-loops
#include "rgtest.h"
#include <stdlib.h>

void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

enum { Most = 21 };
typedef double Program(const double *x, double *k, double *z, int n, int steps, int way);

#define PROGRAM(name, ...)                                                                                                                 \
  __attribute__((noinline)) static double name(const double *x, double *restrict k, double *restrict z, int n, int steps, int way) {       \
    double *y = malloc((n + 1) * sizeof *y), *own = malloc((n + 1) * sizeof *own);                                                         \
    for (int i = 0; i <= n; ++i)                                                                                                           \
      y[i] = x[i] / 4, own[i] = x[i];                                                                                                      \
    for (int s = 0; s < steps; ++s)                                                                                                        \
      __VA_ARGS__                                                                                                                          \
    double sum = 0;                                                                                                                        \
    for (int i = 0; i <= n; ++i)                                                                                                           \
      sum += y[i] * (i + 1) + own[i] + k[i] * x[i];                                                                                        \
    free(y), free(own);                                                                                                                    \
    return sum;                                                                                                                            \
  }
// The whole of k in two pieces; z but for its last, which stays.
PROGRAM(pieces, {
  k[0] = x[0];
  for (int i = 1; i < n; ++i)
    k[i] = x[i] * y[i - 1];
  for (int i = 0; i < n; ++i)
    z[i] = y[i] + 0.3 * k[i];
  own[0] = x[1];
  for (int i = 1; i < n; ++i)
    own[i] = x[i] * z[i - 1];
  for (int i = 0; i < n; ++i)
    y[i] += 0.1 * own[i];
})
// Some steps go another way, which takes less, or reads twice.
PROGRAM(ways, {
  for (int i = 0; i < n; ++i)
    k[i] = x[i] * y[i];
  if (way == 1 && s % 2)
    k[0] = y[1];
  if (way == 2 && s % 3 == 1)
    for (int i = 1; i < n; ++i)
      k[i] = y[i - 1] * 0.5;
  if (way == 3 && s == 2)
    break;
  if (way == 4 && s == 3)
    continue;
  for (int i = 0; i < n; ++i)
    y[i] = 0.7 * k[i] + 0.2 * x[i];
})
// More is taken than is added to, on both sides.
PROGRAM(wider, {
  for (int i = 0; i <= n; ++i)
    own[i] = x[i] * y[i];
  for (int i = 1; i < n; ++i)
    z[i] = own[i] * x[i];
  for (int i = n; i >= 0; --i)
    y[i] = 0.5 * z[i] + x[i];
})
// What is read is written in the next step alone.
PROGRAM(later, {
  for (int i = 0; i < n; ++i)
    y[i] = y[i] * 0.5 + k[i];
  for (int i = 0; i < n; ++i)
    k[i] = x[i] * y[i];
})

// The caller's arrays have adjoints on entry: what is added to them shows in the results of forward mode, weighted.
static void check(Program *f, void (*gradient)(const double *, double *, double *, double *, double *, double *, int, int, int),
                  double (*tangent)(const double *, const double *, double *, const double *, double *, const double *, int, int, int)) {
  for (int way = 0; way < 5; ++way)
    for (int steps = 0; steps < 6; ++steps)
      for (int n = 1; n < Most; n += n > 10 ? 3 : 1) {
        double x[Most], dx[Most] = {0}, k[Most], dk[Most] = {0}, z[Most], dz[Most] = {0};
        for (int i = 0; i <= n; ++i)
          x[i] = 0.5 + 0.02 * i, k[i] = 0.3 * i, z[i] = 1 - 0.1 * i;
        gradient(x, dx, k, dk, z, dz, n, steps, way);
        for (int which = 0; which < 3; ++which)
          for (int i = 0; i <= n; ++i) {
            double unit[3][Most] = {{0}}, k2[Most], z2[Most];
            for (int j = 0; j <= n; ++j)
              k2[j] = 0.3 * j, z2[j] = 1 - 0.1 * j;
            unit[which][i] = 1;
            RG_WITHIN((which == 0 ? dx : which == 1 ? dk : dz)[i], tangent(x, unit[0], k2, unit[1], z2, unit[2], n, steps, way), 1e-10);
          }
      }
}
#define DERIVATIVES(f)                                                                                                                     \
  static void f##_gradient(const double *x, double *dx, double *k, double *dk, double *z, double *dz, int n, int steps, int way) {         \
    __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, k, dk, enzyme_dup, z, dz, enzyme_const, n, enzyme_const, steps,            \
                      enzyme_const, way);                                                                                                  \
  }                                                                                                                                        \
  static double f##_tangent(const double *x, const double *dx, double *k, const double *dk, double *z, const double *dz, int n, int steps, \
                            int way) {                                                                                                     \
    return __enzyme_fwddiff((void *)f, enzyme_dup, x, dx, enzyme_dup, k, dk, enzyme_dup, z, dz, enzyme_const, n, enzyme_const, steps,      \
                            enzyme_const, way);                                                                                            \
  }
DERIVATIVES(pieces)
DERIVATIVES(ways)
DERIVATIVES(wider)
DERIVATIVES(later)

int main(void) {
  check(pieces, pieces_gradient, pieces_tangent);
  check(ways, ways_gradient, ways_tangent);
  check(wider, wider_gradient, wider_tangent);
  check(later, later_gradient, later_tangent);
  return rgReport();
}
