// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mathematical functions, conversions and integer intrinsics against the C library and plain C.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
__global__ void ints(unsigned *o, int *i, unsigned long long *l) {
  unsigned a = 0x12345678u, b = 0x9abcdef0u;
  int k = 0;
  o[k++] = __popc(a);
  o[k++] = __clz(a);
  o[k++] = __brev(a);
  o[k++] = __byte_perm(a, b, 0x5140);
  o[k++] = __funnelshift_l(a, b, 8);
  o[k++] = __funnelshift_r(a, b, 12);
  o[k++] = __umulhi(a, b);
  o[k++] = __ffs(a);
  o[k++] = __umul24(a, b);
  o[k++] = __usad(a, b, 5);
  o[k++] = __uhadd(a, b);
  o[k++] = __urhadd(a, b);
  o[k++] = __vadd4(a, b);
  o[k++] = __vmaxu4(a, b);
  o[k++] = __vsadu4(a, b);
  o[k++] = __dp4a(a, b, 3u);
  o[k++] = __vcmpgtu4(a, b);
  o[k++] = __vabsdiffu4(a, b);
  o[k++] = __funnelshift_lc(a, b, 40);
  i[0] = __mulhi(-123456789, 987654321);
  i[1] = __mul24(-77, 1234);
  i[2] = __sad(-5, 9, 1);
  i[3] = __hadd(-7, 4);
  i[4] = __rhadd(-7, 4);
  i[5] = __float2int_rn(2.5f);
  i[6] = __float2int_rz(-2.7f);
  i[7] = __float2int_ru(2.1f);
  i[8] = __float2int_rd(-2.1f);
  i[9] = __double2int_rn(3.5);
  i[10] = __float_as_int(1.0f);
  i[11] = __dp4a(0x01ff02fe, 0x03040506, 10);
  i[12] = __clz(0);
  i[13] = __ffsll(1ll << 40);
  i[14] = __clzll(1ll << 20);
  i[15] = __popcll(~0ull >> 3);
  i[16] = __signbitf(-1.f);
  l[0] = __brevll(1);
  l[1] = __umul64hi(~0ull, 3);
  l[2] = __mul64hi(-5ll, 7ll);
  l[3] = __double_as_longlong(2.0);
  l[4] = __float2ull_rn(1e10f);
  l[5] = __double2ll_rz(-1e12);
}
__global__ void flts(float *o, double *d, float x, double y) {
  int k = 0;
  o[k++] = rsqrtf(x);
  float s, c;
  sincospif(x, &s, &c);
  o[k++] = s;
  o[k++] = c;
  o[k++] = norm3df(x, 2, 3);
  o[k++] = __fmaf_rn(x, 2, 1);
  o[k++] = __fdividef(x, 3);
  o[k++] = __expf(x);
  o[k++] = __logf(x);
  o[k++] = __powf(x, 2.5f);
  o[k++] = __sinf(x);
  o[k++] = __saturatef(x * 3);
  o[k++] = __frcp_rn(x);
  o[k++] = __fsqrt_rn(x);
  o[k++] = __fadd_rn(x, 1);
  o[k++] = exp10f(x);
  o[k++] = cbrtf(x);
  o[k++] = rcbrtf(x);
  o[k++] = erfcinvf(x);
  o[k++] = normcdff(x);
  o[k++] = lgammaf(x);
  o[k++] = tgammaf(x + 2);
  o[k++] = j0f(x);
  o[k++] = cyl_bessel_i0f(x);
  o[k++] = hypotf(x, 3);
  o[k++] = rhypotf(x, 3);
  o[k++] = fdimf(x, .1f);
  o[k++] = ldexpf(x, 3);
  o[k++] = __exp10f(x);
  o[k++] = __log2f(x);
  o[k++] = __tanf(x);
  o[k++] = __frsqrt_rn(x);
  o[k++] = fmaf(x, x, x);
  o[k++] = __ldg(o);
  o[k++] = 0;
  o[k++] = truncf(-x);
  o[k++] = rintf(2.5f);
  o[k++] = nearbyintf(x);
  o[k++] = copysignf(x, -1);
  o[k++] = remainderf(5.5f, x);
  o[k++] = __fsub_rz(x, .1f);
  o[k++] = __fmul_ru(x, x);
  k = 0;
  d[k++] = rsqrt(y);
  double ds, dc;
  sincos(y, &ds, &dc);
  d[k++] = ds;
  d[k++] = dc;
  d[k++] = norm3d(y, 2, 3);
  d[k++] = norm4d(y, 2, 3, 4);
  d[k++] = rnorm3d(y, 1, 2);
  d[k++] = erfcinv(y);
  d[k++] = erfinv(y);
  d[k++] = normcdfinv(y);
  d[k++] = erfcx(y);
  d[k++] = sinpi(y);
  d[k++] = cospi(y);
  d[k++] = exp10(y);
  d[k++] = __dadd_rn(y, 1);
  d[k++] = __dmul_rn(y, y);
  d[k++] = __fma_rn(y, y, 1);
  d[k++] = __drcp_rn(y);
  d[k++] = __dsqrt_rn(y);
  d[k++] = j1(y);
  d[k++] = yn(2, y);
  d[k++] = log1p(y);
  d[k++] = expm1(y);
  d[k++] = logb(y);
  d[k++] = (double)ilogb(y);
  d[k++] = fmod(5.5, y);
  d[k++] = cyl_bessel_i1(y);
  int e;
  d[k++] = frexp(y * 8, &e);
  d[k++] = e;
  double ip;
  d[k++] = modf(3.25, &ip);
  d[k++] = ip;
  d[k++] = isnan(y / 0 - y / 0) + 2 * isinf(y / 0.0) + 4 * (isfinite(y) != 0);
  d[k++] = __hiloint2double(0x40080000, 0);
  d[k++] = __ddiv_rn(y, 3);
  d[k++] = nextafter(y, 2.0);
  d[k++] = __dsub_rn(y, 1);
  double nn[5] = {1, 2, 3, 4, 5};
  d[k++] = norm(5, nn);
  d[k++] = rnorm(5, nn);
  d[k++] = scalbn(y, 3);
  d[k++] = tgamma(y + 1);
  d[k++] = lround(y * 10);
}
#define N(a, b)                                                                                                        \
  do {                                                                                                                 \
    double g_ = (a), r_ = (b);                                                                                         \
    if (!(fabs(g_ - r_) <= 3e-6 * (1 + fabs(r_)))) {                                                                   \
      printf("FAIL line %d: got %.9g want %.9g\n", __LINE__, g_, r_);                                                  \
      bad++;                                                                                                           \
    }                                                                                                                  \
  } while (0)
int main() {
  unsigned *o;
  int *i;
  unsigned long long *l;
  float *f;
  double *d;
  cudaMallocManaged(&o, 400);
  cudaMallocManaged(&i, 400);
  cudaMallocManaged(&l, 400);
  cudaMallocManaged(&f, 400);
  cudaMallocManaged(&d, 800);
  ints<<<1, 1>>>(o, i, l);
  CHECK(cudaDeviceSynchronize());
  unsigned a = 0x12345678u, b = 0x9abcdef0u;
  unsigned w[] = {(unsigned)__builtin_popcount(a),
                  3,
                  0x1e6a2c48u,
                  0,
                  (b << 8) | (a >> 24),
                  (a >> 12) | (b << 20),
                  (unsigned)(((unsigned long long)a * b) >> 32),
                  4,
                  (a & 0xffffff) * (b & 0xffffff),
                  b - a + 5,
                  (unsigned)(((unsigned long long)a + b) / 2),
                  (unsigned)(((unsigned long long)a + b + 1) / 2)};
  unsigned char by[8];
  for (int k = 0; k < 4; k++)
    by[k] = a >> 8 * k, by[k + 4] = b >> 8 * k;
  w[3] = by[0] | by[4] << 8 | by[1] << 16 | (unsigned)by[5] << 24;
  for (int k = 0; k < 12; k++)
    if (o[k] != w[k]) {
      printf("FAIL int %d: %x want %x\n", k, o[k], w[k]);
      bad++;
    }
  unsigned va = 0, vm = 0, vs = 0, dp = 3, vg = 0, vd = 0;
  for (int k = 0; k < 4; k++) {
    va |= (unsigned)((by[k] + by[k + 4]) & 255) << 8 * k;
    vm |= (unsigned)(by[k] > by[k + 4] ? by[k] : by[k + 4]) << 8 * k;
    vs += abs(by[k] - by[k + 4]);
    dp += by[k] * by[k + 4];
    vg |= (by[k] > by[k + 4] ? 255u : 0u) << 8 * k;
    vd |= (unsigned)abs(by[k] - by[k + 4]) << 8 * k;
  }
  EXPECT(o[12] == va && o[13] == vm && o[14] == vs && o[15] == dp);
  EXPECT(o[16] == vg);
  EXPECT(o[17] == vd);
  EXPECT(o[18] == a);
  EXPECT(i[0] == (int)(((long long)-123456789 * 987654321) >> 32));
  EXPECT(i[1] == -77 * 1234 && i[2] == 15 && i[3] == -2 && i[4] == -1 && i[5] == 2 && i[6] == -2 && i[7] == 3 &&
         i[8] == -3 && i[9] == 4 && i[10] == 0x3f800000);
  EXPECT(i[11] == 10 + 1 * 3 + (-1) * 4 + 2 * 5 + (-2) * 6);
  EXPECT(i[12] == 32 && i[13] == 41 && i[14] == 43 && i[15] == 61 && i[16] != 0);
  EXPECT(l[0] == 1ull << 63 && l[1] == 2 && (long long)l[2] == -1 && l[3] == 0x4000000000000000ull &&
         l[4] == 10000000000ull && (long long)l[5] == -1000000000000ll);
  float x = 0.3f;
  double y = 0.3;
  flts<<<1, 1>>>(f, d, x, y);
  CHECK(cudaDeviceSynchronize());
  int k = 0;
  const double P = M_PI;
  double xf = x;
  N(f[k++], 1 / sqrt(xf));
  N(f[k++], sin(P * xf));
  N(f[k++], cos(P * xf));
  N(f[k++], sqrt(xf * xf + 13));
  N(f[k++], 2 * xf + 1);
  N(f[k++], xf / 3);
  N(f[k++], exp(xf));
  N(f[k++], log(xf));
  N(f[k++], pow(xf, 2.5));
  N(f[k++], sin(xf));
  N(f[k++], 0.9);
  N(f[k++], 1 / xf);
  N(f[k++], sqrt(xf));
  N(f[k++], xf + 1);
  N(f[k++], pow(10, xf));
  N(f[k++], cbrt(xf));
  N(f[k++], 1 / cbrt(xf));
  N(erfc(f[k++]), xf);
  N(f[k++], 0.5 * erfc(-xf / sqrt(2)));
  N(f[k++], lgamma(xf));
  N(f[k++], tgamma(xf + 2));
  N(f[k++], j0(xf));
  N(f[k++], 1.022626879351597);
  N(f[k++], hypot(xf, 3));
  N(f[k++], 1 / hypot(xf, 3));
  N(f[k++], xf - .1f);
  N(f[k++], 8 * xf);
  N(f[k++], pow(10, xf));
  N(f[k++], log2(xf));
  N(f[k++], tan(xf));
  N(f[k++], 1 / sqrt(xf));
  N(f[k++], xf * xf + xf);
  N(f[k++], 1 / sqrt(xf));
  N(f[k++], 0);
  N(f[k++], 0);
  N(f[k++], 2);
  N(f[k++], 0);
  N(f[k++], -xf);
  N(f[k++], remainder(5.5, xf));
  k = 0;
  N(d[k++], 1 / sqrt(y));
  N(d[k++], sin(y));
  N(d[k++], cos(y));
  N(d[k++], sqrt(y * y + 13));
  N(d[k++], sqrt(y * y + 29));
  N(d[k++], 1 / sqrt(y * y + 5));
  N(erfc(d[k++]), y);
  N(erf(d[k++]), y);
  N(0.5 * erfc(-d[k++] / sqrt(2)), y);
  N(d[k++], exp(y * y) * erfc(y));
  N(d[k++], sin(P * y));
  N(d[k++], cos(P * y));
  N(d[k++], pow(10, y));
  N(d[k++], y + 1);
  N(d[k++], y * y);
  N(d[k++], y * y + 1);
  N(d[k++], 1 / y);
  N(d[k++], sqrt(y));
  N(d[k++], j1(y));
  N(d[k++], yn(2, y));
  N(d[k++], log1p(y));
  N(d[k++], expm1(y));
  N(d[k++], logb(y));
  N(d[k++], ilogb(y));
  N(d[k++], fmod(5.5, y));
  N(d[k++], 0.151693840017);
  N(d[k++], 0.6);
  N(d[k++], 2);
  N(d[k++], .25);
  N(d[k++], 3);
  N(d[k++], 7);
  N(d[k++], 3);
  N(d[k++], y / 3);
  N(d[k++], nextafter(y, 2.0));
  N(d[k++], y - 1);
  N(d[k++], sqrt(55.));
  N(d[k++], 1 / sqrt(55.));
  N(d[k++], 8 * y);
  N(d[k++], tgamma(y + 1));
  N(d[k++], 3);
  return finish();
}
