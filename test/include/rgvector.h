// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of functions of six numbers in C, `double f(const double *x, int n)`:
// reverse mode against central differences, forward mode along one direction.
// For C++: rgvector.hpp.
#ifndef RGVECTOR_H
#define RGVECTOR_H

#include "rgtest.h"

extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

#define RG_CHECK_VECTOR(F)                                                     \
  do {                                                                         \
    double x[6], v[6], d[6] = {0}, along = 0;                                  \
    for (int i = 0; i < 6; ++i) {                                              \
      x[i] = 0.5 + 0.3 * i;                                                    \
      v[i] = 1 - 0.2 * i;                                                      \
    }                                                                          \
    __enzyme_autodiff((void *)F, enzyme_dup, x, d, enzyme_const, 6);           \
    for (int i = 0; i < 6; ++i) {                                              \
      RG_GRAD(d[i], F(x, 6), x[i]);                                            \
      along += d[i] * v[i];                                                    \
    }                                                                          \
    RG_NEAR(__enzyme_fwddiff((void *)F, enzyme_dup, x, v, enzyme_const, 6),    \
            along);                                                            \
  } while (0)

#endif
