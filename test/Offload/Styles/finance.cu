// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Option prices by formula, by a tree in shared memory and by Monte Carlo.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
#include <curand_kernel.h>
__device__ inline float cndGPU(float d) {
  const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f,
              RSQRT2PI = 0.39894228040143267793994605993438f;
  float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
  float cnd = RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
  if (d > 0)
    cnd = 1.0f - cnd;
  return cnd;
}
__launch_bounds__(128) __global__
    void BlackScholesGPU(float2 *__restrict call, float2 *__restrict put, const float2 *__restrict S,
                         const float2 *__restrict X, const float2 *__restrict Tt, float R, float V, int n) {
  const int opt = blockDim.x * blockIdx.x + threadIdx.x;
  if (opt < (n / 2)) {
    float c[2], p[2];
    for (int k = 0; k < 2; k++) {
      float s = k ? S[opt].y : S[opt].x, x = k ? X[opt].y : X[opt].x, t = k ? Tt[opt].y : Tt[opt].x;
      float sq = __fdividef(1.0f, rsqrtf(t));
      float d1 = __fdividef(__logf(s / x) + (R + 0.5f * V * V) * t, V * sq), d2 = d1 - V * sq;
      float e = __expf(-R * t);
      c[k] = s * cndGPU(d1) - x * e * cndGPU(d2);
      p[k] = x * e * (1.0f - cndGPU(d2)) - s * (1.0f - cndGPU(d1));
    }
    call[opt] = make_float2(c[0], c[1]);
    put[opt] = make_float2(p[0], p[1]);
  }
}
__global__ void binomial(const float *S, float *out, int steps) {
  __shared__ double v[256 + 1];
  double s = S[blockIdx.x], dt = 1.0 / steps, u = exp(.2 * sqrt(dt)), pu = (exp(.05 * dt) - 1 / u) / (u - 1 / u),
         df = exp(-.05 * dt);
  for (int i = threadIdx.x; i <= steps; i += blockDim.x) {
    double x = s * pow(u, 2.0 * i - steps) - 100;
    v[i] = x > 0 ? x : 0;
  }
  for (int k = steps; k > 0; k--) {
    __syncthreads();
    double nv[3];
    int c = 0;
    for (int i = threadIdx.x; i < k; i += blockDim.x)
      nv[c++] = df * (pu * v[i + 1] + (1 - pu) * v[i]);
    __syncthreads();
    c = 0;
    for (int i = threadIdx.x; i < k; i += blockDim.x)
      v[i] = nv[c++];
  }
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = v[0];
}
__global__ void mc(const float *S, double *out, int paths) {
  __shared__ double s[128];
  curandStatePhilox4_32_10_t st;
  curand_init(1, blockIdx.x * blockDim.x + threadIdx.x, 0, &st);
  double a = 0;
  for (int i = threadIdx.x; i < paths; i += blockDim.x) {
    double e = S[blockIdx.x] * exp((.05 - .02) + .2 * curand_normal(&st));
    a += e > 100 ? e - 100 : 0;
  }
  s[threadIdx.x] = a;
  __syncthreads();
  for (int h = 64; h; h >>= 1) {
    if (threadIdx.x < h)
      s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (!threadIdx.x)
    out[blockIdx.x] = s[0] / paths * exp(-.05);
}
static double N(double x) { return .5 * erfc(-x / sqrt(2)); }
int main() {
  int n = 1000;
  float *c, *p, *S, *X, *Tt;
  cudaMallocManaged(&c, 4 * n);
  cudaMallocManaged(&p, 4 * n);
  cudaMallocManaged(&S, 4 * n);
  cudaMallocManaged(&X, 4 * n);
  cudaMallocManaged(&Tt, 4 * n);
  for (int i = 0; i < n; i++)
    S[i] = 5 + i % 25, X[i] = 1 + i % 50, Tt[i] = .25f + (i % 10);
  BlackScholesGPU<<<(n / 2 + 127) / 128, 128>>>((float2 *)c, (float2 *)p, (float2 *)S, (float2 *)X, (float2 *)Tt, .02f,
                                                .3f, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    double d1 = (log(S[i] / X[i]) + (.02 + .045) * Tt[i]) / (.3 * sqrt(Tt[i])), d2 = d1 - .3 * sqrt(Tt[i]);
    EXPECT(fabs(c[i] - (S[i] * N(d1) - X[i] * exp(-.02 * Tt[i]) * N(d2))) < 1e-3);
  }
  S[0] = 90;
  S[1] = 100;
  S[2] = 120;
  double *m;
  cudaMallocManaged(&m, 64);
  binomial<<<3, 128>>>(S, c, 256);
  mc<<<3, 128>>>(S, m, 200000);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 3; i++) {
    double d1 = (log(S[i] / 100) + (.05 + .02)) / .2, r = S[i] * N(d1) - 100 * exp(-.05) * N(d1 - .2);
    EXPECT(fabs(c[i] - r) < .05);
    EXPECT(fabs(m[i] - r) < .25);
  }
  return finish();
}
