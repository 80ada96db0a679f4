// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RG-FLAGS: -lcurand
//
// Random numbers of cuRAND: what was in the array is forgotten, numbers with an active mean and
// deviation have derivatives, and each run of a generator with its seed draws the same.
#include "rgtest.h"
#include <cmath>
#include <cuda_runtime.h>
#include <curand.h>

#ifndef CURAND_H_ // programs ask for it
#error "CURAND_H_"
#endif

extern int enzyme_dup, enzyme_const, enzyme_out, enzyme_width;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

struct two {
  double of[2];
};
enum { N = 64 };

// Shakes x by numbers of one kind, which then take its place in the other array.
template <class T> __global__ void shake(T *x, const T *random, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = sin(x[i]) * random[i] + random[n - 1 - i] * random[i];
}
__global__ void shift(double *x, const unsigned *number, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 1 + number[i] % 8;
}

curandStatus_t draw(curandGenerator_t g, int kind, double *to, double m, double s) {
  return kind == 0   ? curandGenerateUniformDouble(g, to, N)
         : kind == 1 ? curandGenerateNormalDouble(g, to, N, m, s)
                     : curandGenerateLogNormalDouble(g, to, N, m, s);
}
curandStatus_t draw(curandGenerator_t g, int kind, float *to, double m, double s) {
  return kind == 0   ? curandGenerateUniform(g, to, N)
         : kind == 1 ? curandGenerateNormal(g, to, N, m, s)
                     : curandGenerateLogNormal(g, to, N, m, s);
}

template <class T> double f(const double *x, double mean, double deviation, int kind, int rounds) {
  T host[N], *d, *r;
  unsigned *u;
  curandGenerator_t g;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandSetPseudoRandomGeneratorSeed(g, 1234);
  curandSetStream(g, stream);
  cudaMalloc(&d, sizeof host);
  cudaMalloc(&r, sizeof host);
  cudaMalloc(&u, N * sizeof(unsigned));
  for (int i = 0; i < N; ++i)
    host[i] = x[i];
  cudaMemcpyAsync(d, host, sizeof host, cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(r, host, sizeof host, cudaMemcpyHostToDevice, stream);
  for (int i = 0; i < rounds; ++i) {
    if (draw(g, kind, r, mean * (i + 1), deviation) != CURAND_STATUS_SUCCESS)
      return NAN;
    shake<<<2, 32, 0, stream>>>(d, r, N);
    if (sizeof(T) == sizeof(double)) {
      curandGenerate(g, u, N);
      shift<<<2, 32, 0, stream>>>((double *)d, u, N);
    }
  }
  cudaMemcpyAsync(host, d, sizeof host, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += host[i] * host[i] * (1 + i % 7) * 0.1;
  cudaFree(d), cudaFree(r), cudaFree(u);
  curandDestroyGenerator(g);
  cudaStreamDestroy(stream);
  return s;
}

struct found {
  double mean, deviation;
};
template <class T> void check(int kind, int rounds) {
  double x[N], g[N] = {}, t[2][N], along[2], h = 1e-6, m = 0.3, s = 0.5, up[N], down[N];
  bool exact = sizeof(T) == sizeof(double);
  for (int i = 0; i < N; ++i)
    x[i] = 0.7 * sin(1.0 + 5 * i);
  found by = __enzyme_autodiff<found>((void *)f<T>, enzyme_dup, x, g, enzyme_out, m, enzyme_out, s, kind, rounds);
  for (int l = 0; l < 2; ++l) {
    along[l] = (0.2 + l) * by.mean - 0.6 * by.deviation;
    for (int i = 0; i < N; ++i)
      t[l][i] = cos(3.0 * i + l), along[l] += t[l][i] * g[i];
  }
  if (exact) {
    for (int i = 0; i < N; ++i)
      up[i] = x[i] + h * t[0][i], down[i] = x[i] - h * t[0][i];
    RG_WITHIN(along[0], (f<T>(up, m + 0.2 * h, s - 0.6 * h, kind, rounds) -
                         f<T>(down, m - 0.2 * h, s + 0.6 * h, kind, rounds)) / (2 * h), 1e-6);
  }
  if (kind == 0)
    RG_TRUE(by.mean == 0 && by.deviation == 0);
  two v = __enzyme_fwddiff<two>((void *)f<T>, enzyme_width, 2, enzyme_dup, x, t[0], t[1], enzyme_dup, m, 0.2, 1.2,
                                enzyme_dup, s, -0.6, -0.6, kind, rounds);
  RG_WITHIN(v.of[0], along[0], exact ? 1e-10 : 1e-4);
  RG_WITHIN(v.of[1], along[1], exact ? 1e-10 : 1e-4);
}

int main() {
  for (int kind = 0; kind < 3; ++kind)
    for (int rounds = 1; rounds < 4; ++rounds) {
      check<double>(kind, rounds);
      check<float>(kind, rounds);
    }
  return rgReport();
}
