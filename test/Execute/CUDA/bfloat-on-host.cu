// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: cuda-toolkit
// RUN: %rgcxx --offload-arch=sm_90 -O0 -w -I%root/test/include %s -o %t.O0 && %t.O0
// RUN: %rgcxx --offload-arch=sm_90 -O2 -w -I%root/test/include %s -o %t.O2 && %t.O2
//
// Host code for a GPU that converts active numbers to __nv_bfloat16 and back, and to both kinds of 16 bits with all
// roundings: in the derivative's primal sweep the numbers are those of the toolkit's headers, bit for bit.
#include "rgtest.h"
#include <cmath>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

double f(const double *x, int n) {
  __nv_bfloat16 kept[8], last = __float2bfloat16(0.0f);
  for (int i = 0; i < n; i++) {
    float single = (float)x[i];
    kept[i] = i % 3 == 0 ? __float2bfloat16(single) : i % 3 == 1 ? __nv_bfloat16(single) : __double2bfloat16(x[i]);
  }
  double s = 0;
  for (int i = 0; i < n; i++) {
    float wide = __bfloat162float(kept[i]);
    last = wide * (float)__float2bfloat16_rn((float)x[(i + 1) % n]);
    s += (float)last * (1 + i % 2);
  }
  return s;
}

// Each way of rounding; what comes out is looked at, too.
static float seen[16][8];
template <int Way> double g(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    float v = (float)x[i];
    if (Way < 3) {
      __half h = Way == 0 ? __float2half_rz(v) : Way == 1 ? __float2half_rd(v) : __float2half_ru(v);
      seen[i][Way] = __half2float(h);
    } else {
      __nv_bfloat16 h = Way == 3 ? __float2bfloat16_rz(v) : Way == 4 ? __float2bfloat16_rd(v) : __float2bfloat16_ru(v);
      seen[i][Way] = __bfloat162float(h);
    }
    s += seen[i][Way] * (1 + i % 3);
  }
  return s;
}
template <int Way> void ways() {
  const int n = 16;
  double x[n] = {0.1,    -0.1,   1,      -1,     0x1.002p0, -0x1.002p0, 0x1.7ffp3, 3e-6,
                 -3e-6,  1e-9,   -1e-9,  70000,  -70000,    0,          1e-40,     3.4e38};
  double d[n] = {};
  float plain[n];
  __enzyme_autodiff<double>((void *)g<Way>, enzyme_dup, x, d, enzyme_const, n);
  for (int i = 0; i < n; i++)
    plain[i] = seen[i][Way], RG_TRUE(d[i] == 1 + i % 3);
  g<Way>(x, n);
  for (int i = 0; i < n; i++)
    RG_TRUE(!memcmp(&plain[i], &seen[i][Way], sizeof(float)));
}
int main() {
  const int n = 8;
  double x[n], g[n] = {}, t[n], along = 0;
  for (int i = 0; i < n; i++)
    x[i] = 0.5 + i * 0.125, t[i] = 0.25 * (i % 3) - 0.25;
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x, g, enzyme_const, n);
  for (int i = 0; i < n; i++) {
    int before = (i + n - 1) % n;
    // Tangents and adjoints are rounded to 8 bits where the numbers are.
    RG_WITHIN(g[i], x[(i + 1) % n] * (1 + i % 2) + x[before] * (1 + before % 2), 1.6e-2 * 4);
    along += g[i] * t[i];
  }
  RG_WITHIN(__enzyme_fwddiff<double>((void *)f, enzyme_dup, x, t, enzyme_const, n), along, 3.2e-2);
  ways<0>(), ways<1>(), ways<2>(), ways<3>(), ways<4>(), ways<5>();
  return rgReport();
}
