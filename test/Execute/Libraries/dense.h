/* Derivatives of a function of a vector, three ways. */
#ifndef DENSE_H
#define DENSE_H
#include "rgtest.h"
#include <stdlib.h>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

enum { Most = 256 };
/* Numbers of no pattern, the same in every run. */
static double pseudo(int i) { return ((i * (i + 3) * 7919 + 104729) % 1009) / 505.0 - 1; }
/* A number of outputs as one: no two outputs weigh the same. */
static double weigh(const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (0.3 + 0.1 * (i % 7)) * y[i] + 0.05 * y[i] * y[i];
  return s;
}
#define CHECK_VECTOR(f, n)                                                                         \
  do {                                                                                             \
    double x[Most], dx[Most], v[Most], Along = 0;                                                  \
    for (int i = 0; i < n; ++i) {                                                                  \
      x[i] = pseudo(i);                                                                            \
      v[i] = pseudo(3 * i + 1);                                                                    \
      dx[i] = 0;                                                                                   \
    }                                                                                              \
    __enzyme_autodiff((void *)f, x, dx);                                                           \
    for (int i = 0; i < n; ++i)                                                                    \
      Along += dx[i] * v[i];                                                                       \
    RG_NEAR(__enzyme_fwddiff((void *)f, x, v), Along);                                             \
    RG_GRADS(dx, f(x), x, n);                                                                      \
  } while (0)
#endif
