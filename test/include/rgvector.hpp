// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of functions of six numbers, `double f(const double *x, int n)`: reverse
// mode against central differences, forward mode against reverse, in each direction.
#ifndef RGVECTOR_HPP
#define RGVECTOR_HPP

#include "rgtest.h"

extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

template <class F>
static void check(F f, const double (&at)[6] = {0.5, 1.25, -0.75, 2, 0.875, -1.5}) {
  double x[6], dx[6] = {0};
  for (int i = 0; i < 6; ++i)
    x[i] = at[i];
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, 6);
  RG_GRADS(dx, f(x, 6), x, 6);
  for (int i = 0; i < 6; ++i) {
    double v[6] = {0};
    v[i] = 1;
    RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, 6), dx[i]);
  }
}

#endif
