/* Parallel functions f(const double *x, int n): reverse mode against differences, and
 * forward mode against reverse mode. */
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
#ifndef RG_NO_OPENMP
#include <omp.h>
#endif
#ifdef __cplusplus
#define EXTERN extern "C"
#else
#define EXTERN
#endif
#define N 23 /* numbers that a function depends on */
EXTERN double __enzyme_autodiff(void *, ...);
EXTERN double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;
#define CHECK(f)                                                               \
  do {                                                                         \
    double d[N] = {0}, e[N], ds = 0;                                           \
    __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, N);           \
    RG_GRADS(d, f(x, N), x, N);                                                \
    for (int i = 0; i < N; ++i)                                                \
      e[i] = sin(i), ds += e[i] * d[i];                                        \
    double s = __enzyme_fwddiff((void *)f, enzyme_dup, x, e, enzyme_const, N); \
    rgCompare(__FILE__, __LINE__, "forward", s, ds, 1e-7);                                                        \
  } while (0)
#define POINT                                                                  \
  double x[N];                                                                 \
  for (int i = 0; i < N; ++i)                                                  \
  x[i] = 0.6 + 0.3 * cos(3 * i)
