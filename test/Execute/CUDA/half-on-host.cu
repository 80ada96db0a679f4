// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code that converts active numbers to halves and back, which the toolkit's headers do in integer arithmetic: by
// functions, by constructors and assignments, through memory, in an array. half-on-host.test builds it for a GPU.
#include "rgtest.h"
#include <cmath>
#include <cuda_fp16.h>

extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

double f(const double *x, int n) {
  __half kept[8], last = __float2half(0.0f);
  for (int i = 0; i < n; i++) {
    float single = (float)x[i];
    kept[i] = i % 3 == 0 ? __float2half(single) : i % 3 == 1 ? __half(single) : __double2half(x[i]);
  }
  double s = 0;
  for (int i = 0; i < n; i++) {
    float wide = __half2float(kept[i]);
    last = wide * (float)__float2half_rn((float)x[(i + 1) % n]);
    s += (float)last * (1 + i % 2);
  }
  return s;
}
int main() {
  const int n = 8;
  double x[n], g[n] = {}, t[n], along = 0;
  for (int i = 0; i < n; i++)
    x[i] = 0.5 + i * 0.125, t[i] = 0.25 * (i % 3) - 0.25;
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x, g, enzyme_const, n);
  for (int i = 0; i < n; i++) {
    int before = (i + n - 1) % n;
    // Tangents and adjoints are rounded to halves where the numbers are.
    RG_WITHIN(g[i], x[(i + 1) % n] * (1 + i % 2) + x[before] * (1 + before % 2), 2e-3 * 4);
    along += g[i] * t[i];
  }
  RG_WITHIN(__enzyme_fwddiff<double>((void *)f, enzyme_dup, x, t, enzyme_const, n), along, 4e-3);
  return rgReport();
}
