// Small arrays in a loop over time, one loop reading what another has just stored at another place (lib/Polish/ShortLoops.cpp): right for all
// lengths, short ones and long ones, of doubles and of floats, forwards and backwards, with several ways through a step.
// RG-LEVELS: O0 O2 O3
// RG-FLAGS: -march=native
// RG-SWITCHES: short-loops
#include "rgtest.h"
#include <stdlib.h>

void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

enum { Most = 41, Steps = 6 };

#define PROGRAM(name, T, body)                                                                                                             \
  __attribute__((noinline)) static double name(const T *x, int n, int steps) {                                                             \
    T *y = malloc(n * sizeof *y), *k = malloc(n * sizeof *k), *z = malloc(n * sizeof *z);                                                  \
    for (int i = 0; i < n; ++i)                                                                                                            \
      y[i] = x[i] / 4, k[i] = 0, z[i] = 1;                                                                                                 \
    for (int s = 0; s < steps; ++s)                                                                                                        \
      body                                                                                                                                 \
    double sum = 0;                                                                                                                        \
    for (int i = 0; i < n; ++i)                                                                                                            \
      sum += y[i] * (i + 1);                                                                                                               \
    free(y), free(k), free(z);                                                                                                             \
    return sum;                                                                                                                            \
  }
PROGRAM(shifted, double, {
  k[0] = x[0];
  for (int i = 1; i < n; ++i)
    k[i] = x[i] * y[i - 1];
  for (int i = 0; i < n; ++i)
    z[i] = y[i] + 0.3 * k[i];
  k[0] = x[0];
  for (int i = 1; i < n; ++i)
    k[i] = x[i] * z[i - 1];
  for (int i = 0; i < n; ++i)
    y[i] += 0.1 * k[i];
})
PROGRAM(mirrored, float, {
  for (int i = 0; i < n; ++i)
    k[i] = x[i] * y[n - 1 - i];
  for (int i = n - 1; i >= 0; --i)
    y[i] = y[i] * 0.5f + k[i] * x[i];
})
PROGRAM(branching, double, {
  if (s % 2)
    for (int i = 1; i < n; ++i)
      k[i] = x[i] * y[i - 1] * y[i - 1];
  else
    for (int i = 2; i < n; ++i)
      k[i - 1] = x[i] * y[i];
  for (int i = 0; i < n; ++i)
    y[i] += 0.2 * k[i] * x[i];
  if (y[0] > 100)
    break;
})

#define CHECK(name, T, tolerance)                                                                                                          \
  for (int n = 1; n <= Most; ++n) {                                                                                                        \
    T x[Most], dx[Most], unit[Most];                                                                                                       \
    for (int i = 0; i < n; ++i)                                                                                                            \
      x[i] = (T)(0.5 + 0.02 * i), dx[i] = 0, unit[i] = 0;                                                                                  \
    __enzyme_autodiff((void *)name, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, Steps);                                              \
    for (int i = 0; i < n; ++i) {                                                                                                          \
      unit[i] = 1;                                                                                                                         \
      RG_WITHIN(dx[i], __enzyme_fwddiff((void *)name, enzyme_dup, x, unit, enzyme_const, n, enzyme_const, Steps), tolerance);                 \
      unit[i] = 0;                                                                                                                         \
    }                                                                                                                                      \
  }

int main(void) {
  CHECK(shifted, double, 1e-10)
  CHECK(branching, double, 1e-10)
  CHECK(mirrored, float, 1e-4)
  return rgReport();
}
