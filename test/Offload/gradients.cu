// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of kernels on the CPU route, against central differences of the launch: plain
// and shared memory, barriers in loops, called functions, math functions, neighbours'
// memory (adjoints meet in atomics), two-dimensional blocks, several blocks.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <cuda_runtime.h>
#include <initializer_list>

extern __device__ int enzyme_dup, enzyme_const;
template <class... A> __device__ void __enzyme_autodiff(void *, A...);

__device__ void pointwise(const double *X, double *Y, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Y[I] = sin(X[I]) * exp(0.1 * X[I]) + rsqrt(1 + X[I] * X[I]) + pow(1.5 + X[I], 1.25);
}
__device__ void stencil(const double *X, double *Y, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I > 0 && I < N - 1)
    Y[I] = X[I - 1] * X[I] + 0.5 * X[I + 1] * X[I + 1];
}
__device__ void blockSum(const double *X, double *Y, int N) {
  __shared__ double S[64];
  int I = blockIdx.x * 64 + threadIdx.x;
  S[threadIdx.x] = I < N ? X[I] * X[I] : 0;
  __syncthreads();
  for (int H = 32; H > 0; H /= 2) {
    if (threadIdx.x < H)
      S[threadIdx.x] += S[threadIdx.x + H] * 0.75;
    __syncthreads();
  }
  if (threadIdx.x == 0)
    Y[blockIdx.x] = S[0];
}
__device__ void tiled(const double *X, double *Y, int N) { // Y = X * X for N x N
  __shared__ double A[4][4], B[4][4];
  int C = blockIdx.x * 4 + threadIdx.x, R = blockIdx.y * 4 + threadIdx.y;
  double Sum = 0;
  for (int K = 0; K < N; K += 4) {
    A[threadIdx.y][threadIdx.x] = X[R * N + K + threadIdx.x];
    B[threadIdx.y][threadIdx.x] = X[(K + threadIdx.y) * N + C];
    __syncthreads();
    for (int I = 0; I < 4; ++I)
      Sum += A[threadIdx.y][I] * B[I][threadIdx.x];
    __syncthreads();
  }
  Y[R * N + C] = Sum;
}

// Operations of a warp have adjoints in the other direction.
__device__ void shuffled(const double *X, double *Y, int N) {
  float V = (float)X[threadIdx.x];
  for (int D = 16; D > 0; D /= 2)
    V += 0.25f * __shfl_down_sync(0xffffffff, sinf(V), D);
  V *= __shfl_xor_sync(0xffffffff, V, 1) + 0.5f;
  Y[threadIdx.x] = V;
}
__device__ void added(const double *X, double *Y, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    atomicAdd(&Y[I % 4], X[I] * X[I] * X[I]);
}

#define KERNELS(Name)                                                                         \
  __global__ void Name##Kernel(const double *X, double *Y, int N) { Name(X, Y, N); }          \
  __global__ void Name##Gradient(const double *X, double *DX, double *Y, double *DY, int N) { \
    __enzyme_autodiff((void *)Name, enzyme_dup, X, DX, enzyme_dup, Y, DY, N);                 \
  }
KERNELS(pointwise)
KERNELS(stencil)
KERNELS(blockSum)
KERNELS(tiled)
KERNELS(added)
KERNELS(shuffled)

template <class Primal, class Gradient>
void check(Primal P, Gradient G, dim3 Grid, dim3 Block, int N, size_t Inputs, size_t Outputs,
           bool Adds = false, double Tolerance = 0) {
  double *X, *DX, *Y, *DY;
  cudaMallocManaged(&X, Inputs * sizeof(double));
  cudaMallocManaged(&DX, Inputs * sizeof(double));
  cudaMallocManaged(&Y, Outputs * sizeof(double));
  cudaMallocManaged(&DY, Outputs * sizeof(double));
  auto Weight = [](size_t I) { return 0.5 + I % 5 * 0.25; };
  for (size_t I = 0; I < Inputs; ++I)
    X[I] = 0.3 + I % 7 * 0.11, DX[I] = 0;
  for (size_t I = 0; I < Outputs; ++I)
    Y[I] = 0, DY[I] = Weight(I);
  G<<<Grid, Block>>>(X, DX, Y, DY, N);
  RG_TRUE(cudaDeviceSynchronize() == cudaSuccess);
  auto Value = [&] {
    if (Adds)
      cudaMemset(Y, 0, Outputs * sizeof(double));
    P<<<Grid, Block>>>(X, Y, N);
    cudaDeviceSynchronize();
    double Sum = 0;
    for (size_t I = 0; I < Outputs; ++I)
      Sum += Weight(I) * Y[I];
    return Sum;
  };
  for (size_t I = 0; I < Outputs; ++I)
    Y[I] = 0;
  for (size_t I = 0; I < Inputs; I += 1 + Inputs / 23)
    if (Tolerance == 0) {
      RG_GRAD(DX[I], Value(), X[I]);
    } else { // single precision inside
      const double Old = X[I], H = 0.02;
      X[I] = Old + H;
      double Up = Value();
      X[I] = Old - H;
      double Down = Value();
      X[I] = Old;
      RG_WITHIN(DX[I], (Up - Down) / (2 * H), Tolerance);
    }
  for (void *M : {(void *)X, (void *)DX, (void *)Y, (void *)DY})
    cudaFree(M);
}

int main() {
  check(pointwiseKernel, pointwiseGradient, 3, 32, 70, 70, 70);
  check(stencilKernel, stencilGradient, 3, 32, 70, 70, 70);
  check(blockSumKernel, blockSumGradient, 2, 64, 100, 100, 2);
  check(tiledKernel, tiledGradient, dim3(3, 3), dim3(4, 4), 12, 144, 144);
  check(addedKernel, addedGradient, 2, 32, 50, 50, 4, true);
  check(shuffledKernel, shuffledGradient, 1, 32, 32, 32, 32, false, 2e-2);
  return rgReport();
}
