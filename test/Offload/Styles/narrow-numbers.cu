// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half precision, bfloat16, vector types.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__global__ void axpy(int n, half a, const half *x, half *y) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n)
    y[i] = __hfma(a, x[i], y[i]);
}
__global__ void axpy2(int n, half2 a, const half2 *x, half2 *y) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = __hfma2(a, x[i], y[i]);
}
__forceinline__ __device__ half2 wr(half2 v) {
  for (int o = 16; o; o /= 2)
    v = __hadd2(v, __shfl_xor_sync(0xffffffff, v, o));
  return v;
}
__global__ void dot(const half2 *a, const half2 *b, float *r, int n) {
  half2 v = __float2half2_rn(0.f);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    v = __hfma2(a[i], b[i], v);
  v = wr(v);
  if (threadIdx.x % 32 == 0)
    atomicAdd(r, __low2float(v) + __high2float(v));
}
__global__ void misc(half *h, float *f, __nv_bfloat16 *b, half2 *h2, unsigned short *u) {
  h[0] = __float2half(1.5f) + __float2half_rn(2.25f);
  h[1] = hsqrt(__int2half_rn(9));
  h[2] = hexp(half(1.0f));
  h[3] = __hmul(h[0], half(2));
  h[4] = -h[0];
  f[0] = __half2float(h[0]);
  f[1] = (float)h[1];
  f[2] = __hgt(h[0], h[1]);
  f[3] = h[0] > h[1];
  b[0] = __float2bfloat16(3.14f);
  b[1] = b[0] * b[0];
  b[2] = __hadd(b[0], __float2bfloat16(1.f));
  f[4] = __bfloat162float(b[1]);
  f[5] = __bfloat162float(b[2]);
  h2[0] = __halves2half2(h[0], h[1]);
  h2[1] = make_half2(half(1), half(2));
  h2[2] = __floats2half2_rn(1.f, 2.f) * h2[1];
  float2 ff = __half22float2(h2[2]);
  f[6] = ff.x + 10 * ff.y;
  u[0] = __half_as_ushort(h[0]);
  f[7] = __half2int_rn(h[0]);
  f[8] = __low2float(h2[0]);
  f[9] = __hisnan(h[0]);
  f[10] = __half2float(__hmax(h[0], h[1]));
  f[11] = __half2float(__habs(h[4]));
  f[12] = __half2float(__shfl_sync(1u, h[0], 0));
  f[13] = __half2float(__ldg(&h[0]));
  f[14] = __hbeq2(h2[1], h2[1]);
  f[15] = __half2float(hrsqrt(half(4.f)));
  f[16] = __half2float(__hdiv(h[0], half(2.f)));
  f[17] = __half2float(atomicAdd(&h[5], half(1.f)));
}
struct __align__(8) P {
  half2 a, b;
};
__global__ void vec(const float4 *x, float4 *y, int2 *z, double2 *d, uchar4 *c, short2 *s) {
  int i = threadIdx.x;
  float4 v = x[i];
  y[i] = make_float4(v.w, v.z, v.y, v.x);
  z[i] = make_int2(i, -i);
  d[i] = make_double2(i * .5, i);
  c[i] = make_uchar4(i, i + 1, i + 2, 255);
  s[i].x = -i;
  s[i].y = i;
  float4 q = reinterpret_cast<const float4 *>(x)[0];
  y[i].x += q.x;
  y[i].y += __ldg(&x[1]).y;
}
int main() {
  int n = 1000;
  half *x, *y;
  cudaMallocManaged(&x, 2 * n);
  cudaMallocManaged(&y, 2 * n);
  for (int i = 0; i < n; i++) {
    x[i] = __float2half(i % 8);
    y[i] = __float2half(1.f);
  }
  axpy<<<4, 256>>>(n, __float2half(2.f), x, y);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++)
    EXPECT(__half2float(y[i]) == 2 * (i % 8) + 1);
  axpy2<<<2, 64>>>(n / 2, __float2half2_rn(1.f), (half2 *)x, (half2 *)y);
  CHECK(cudaDeviceSynchronize());
  EXPECT(__half2float(y[7]) == 22);
  float *r;
  cudaMallocManaged(&r, 400);
  *r = 0;
  dot<<<1, 64>>>((half2 *)x, (half2 *)x, r, 32);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*r == 8 * 140);
  half *h;
  __nv_bfloat16 *b;
  half2 *h2;
  unsigned short *u;
  cudaMallocManaged(&h, 64);
  cudaMallocManaged(&b, 64);
  cudaMallocManaged(&h2, 64);
  cudaMallocManaged(&u, 64);
  h[5] = half(2.f);
  misc<<<1, 1>>>(h, r, b, h2, u);
  CHECK(cudaDeviceSynchronize());
  EXPECT(r[0] == 3.75f && r[1] == 3 && r[2] == 1 && r[3] == 1 && fabsf(r[4] - 9.8596f) < .1f &&
         fabsf(r[5] - 4.14f) < .03f && r[6] == 41);
  EXPECT(u[0] == 0x4380 && r[7] == 4 && r[8] == 3.75f && r[9] == 0 && r[10] == 3.75f && r[11] == 3.75f &&
         r[12] == 3.75f && r[13] == 3.75f && r[14] == 1 && r[15] == .5f && r[16] == 1.875f && r[17] == 2.f &&
         __half2float(h[5]) == 3.f);
  float4 *a, *c;
  int2 *z;
  double2 *d;
  uchar4 *uc;
  short2 *s2;
  cudaMallocManaged(&a, 512);
  cudaMallocManaged(&c, 512);
  cudaMallocManaged(&z, 256);
  cudaMallocManaged(&d, 512);
  cudaMallocManaged(&uc, 128);
  cudaMallocManaged(&s2, 128);
  for (int i = 0; i < 32; i++)
    a[i] = make_float4(i, i + 1, i + 2, i + 3);
  vec<<<1, 32>>>(a, c, z, d, uc, s2);
  CHECK(cudaDeviceSynchronize());
  EXPECT(c[5].x == 8 && c[5].y == 9 && c[5].w == 5 && z[3].y == -3 && d[3].x == 1.5 && uc[9].z == 11 && s2[4].x == -4);
  return finish();
}
