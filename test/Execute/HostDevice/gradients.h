// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of a host function f(x, n) with launches in it: reverse against central differences, and against
// forward mode in one lane and in two. The numbers begin at `from`.
#ifndef RG_TEST_HOSTDEVICE_GRADIENTS_H
#define RG_TEST_HOSTDEVICE_GRADIENTS_H
#include "rgtest.h"
#include <cmath>
#include <vector>

extern int enzyme_dup, enzyme_const, enzyme_width;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

struct rgTwoLanes {
  double of[2];
};

template <class F> void rgCheckGradient(F f, int n, double from) {
  std::vector<double> x(n), g(n), t[2];
  double along[2] = {}, worst = 0;
  for (int i = 0; i < n; i++)
    x[i] = from + 0.01 * (i * 5 % 17);
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x.data(), g.data(), enzyme_const, n);
  for (int l = 0; l < 2; l++)
    for (int i = 0; i < n; i++) {
      t[l].push_back(0.1 * ((i + l) % 5) - 0.15);
      along[l] += t[l][i] * g[i];
    }
  RG_WITHIN(__enzyme_fwddiff<double>((void *)f, enzyme_dup, x.data(), t[0].data(), enzyme_const, n), along[0], 1e-11);
  rgTwoLanes v = __enzyme_fwddiff<rgTwoLanes>((void *)f, enzyme_width, 2, enzyme_dup, x.data(), t[0].data(),
                                              t[1].data(), enzyme_const, n);
  RG_WITHIN(v.of[0], along[0], 1e-11);
  RG_WITHIN(v.of[1], along[1], 1e-11);
  for (int i = 0; i < n; i++) {
    double old = x[i], h = 1e-5;
    x[i] = old + h;
    double up = f(x.data(), n);
    x[i] = old - h;
    double down = f(x.data(), n);
    x[i] = old;
    worst = fmax(worst, fabs(g[i] - (up - down) / (2 * h)) / fmax(1, fabs(g[i])));
  }
  RG_WITHIN(worst, 0, 1e-7);
}
#endif
