// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM's vectoriser would get wrong (lib/Offload/VectorizerGuards.h). Indices under a mask beside indices of
// the grid: sequences of few bits and of many in one loop over threads. Divisions under a condition.
// RUN: %rgcxx --offload=cpu -O3 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -march=haswell -c %s -o %t.o
// RUN: %rgcxx --offload=cpu -O3 -march=native -mllvm -rg-disable=offload-uniform %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -march=native %s -o %t && %t
#include <cstdio>
#include <initializer_list>
#include <cuda_runtime.h>

struct Part {
  unsigned A, V[4];
};
template <int Which> __host__ __device__ unsigned place(unsigned T) {
  switch (Which) {
  case 0: return T & 3;
  case 1: return T + (T & 3);
  case 2: return (T * 2) & 7;
  case 3: return 7 + 2 * T - (T & 3);
  case 4: return (unsigned char)(T + 250);
  default: return 5 * T + 1 + T % 4;
  }
}
template <int Which> __global__ void masked(const unsigned *X, unsigned *Y, unsigned Base) {
  unsigned T = threadIdx.y * blockDim.x + threadIdx.x;
  Y[Base + T] ^= X[place<Which>(T)];
}
// A thread's own array, which outlives a barrier.
__global__ void parts(const unsigned *X, unsigned *Y, Part P) {
  unsigned N = blockDim.x * blockDim.y;
  unsigned T = threadIdx.y * blockDim.x + threadIdx.x, G = (blockIdx.y * gridDim.x + blockIdx.x) * N + T;
  Part Own = {T, {1, 2, T, 4}};
  unsigned Q = X[(G + 7) & 1023];
  if (P.A > 3u) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  Y[G] += Q * 3u ^ Own.A ^ Own.V[T & 3];
}

// A number that all threads divide alike, under a condition that some of the first vector's do not fulfil.
__global__ void divided(const unsigned *X, unsigned *Y, unsigned M, int By) {
  __shared__ unsigned S[64];
  unsigned T = threadIdx.x;
  S[T] = X[T];
  __syncthreads();
  unsigned R = T;
  if (T >= 10)
    R += S[M % blockDim.x] + S[int(M) / By];
  Y[T] = R;
}

static unsigned *X, *Y, Bad;
template <int Which> void check() {
  for (unsigned N : {3u, 4u, 5u, 31u, 64u, 200u}) {
    cudaMemset(Y, 0, 512 * sizeof *Y);
    masked<Which><<<1, N>>>(X, Y, 9);
    cudaDeviceSynchronize();
    for (unsigned T = 0; T < N; ++T)
      if (Y[9 + T] != X[place<Which>(T)] && !Bad++)
        printf("masked %d, thread %u of %u\n", Which, T, N);
  }
}
int main() {
  cudaMallocManaged(&X, 2048 * sizeof *X);
  cudaMallocManaged(&Y, 512 * sizeof *Y);
  for (int I = 0; I < 2048; ++I)
    X[I] = I * I + 77u;
  check<0>(), check<1>(), check<2>(), check<3>(), check<4>(), check<5>();
  cudaMemset(Y, 0, 512 * sizeof *Y);
  parts<<<dim3(1, 4), 32>>>(X, Y, Part{4, {1, 2, 3, 4}});
  cudaDeviceSynchronize();
  for (unsigned G = 0; G < 128; ++G) {
    unsigned T = G % 32, V[] = {1, 2, T, 4};
    if (Y[G] != (X[G + 7] * 3u ^ T ^ V[T & 3]) && !Bad++)
      printf("parts, %u\n", G);
  }
  for (int By : {3, -1}) { // nobody divides 0x80000000 by -1: there are too few threads
    unsigned N = By > 0 ? 64 : 9, M = By > 0 ? 5 : 0x80000000u;
    divided<<<1, N>>>(X, Y, M, By);
    cudaDeviceSynchronize();
    for (unsigned T = 0; T < N; ++T)
      if (Y[T] != T + (T >= 10 ? X[5] + X[1] : 0) && !Bad++)
        printf("divided, thread %u of %u\n", T, N);
  }
  return Bad != 0;
}
