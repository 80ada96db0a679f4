// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that leave a loop at different times, with an operation of those that are left in each round. In the
// reverse sweep they enter it in different rounds: at one place, for different operations. Each waits for the
// lanes of its own mask.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <initializer_list>
#include <cuda_runtime.h>
extern __device__ int enzyme_dup, enzyme_const;
template <class... A> __device__ void __enzyme_autodiff(void *, A...);

__device__ void leaving(const double *X, double *Y, int M) {
  unsigned T = threadIdx.x, Lane = T & 31, Rounds = (T * 7 + M) & 3, Left = 0xffffffff;
  double R = X[T], B = 0.1 * T;
  for (unsigned I = 0;; ++I) {
    bool More = I < Rounds;
    Left = __ballot_sync(Left, More);
    if (!More)
      break;
    unsigned From = (Lane + 5) & 31;
    if (!(Left >> From & 1))
      From = Lane;
    B += __shfl_sync(Left, 0.3 * tanh(R * B + I), From);
    R = R * 0.9 + 0.1 * B;
  }
  Y[T] += R * B;
}
// All lanes come to the loop, each in a round of its own.
__device__ void all(const double *X, double *Y, int M) {
  unsigned T = threadIdx.x, Lane = T & 31, Rounds = 1 + (Lane + M) % 5, Left = 0xffffffff;
  double R = X[T];
  for (unsigned I = 0;; ++I) {
    Left = __ballot_sync(Left, I < Rounds);
    if (I >= Rounds)
      break;
    double V = __shfl_xor_sync(Left, R * R, 1);
    if (Left >> (Lane ^ 1) & 1)
      R += sin(V);
  }
  Y[T] += R;
}

#define KERNELS(Name)                                                                          \
  __global__ void Name##Kernel(const double *X, double *Y, int M) { Name(X, Y, M); }           \
  __global__ void Name##Gradient(const double *X, double *DX, double *Y, double *DY, int M) {  \
    __enzyme_autodiff((void *)Name, enzyme_dup, X, DX, enzyme_dup, Y, DY, M);                  \
  }
KERNELS(leaving)
KERNELS(all)

template <class Primal, class Gradient> void check(Primal P, Gradient G, int M) {
  const int N = 64;
  double *X, *DX, *Y, *DY;
  for (double **Array : {&X, &DX, &Y, &DY})
    cudaMallocManaged(Array, N * sizeof(double));
  auto Start = [&](int At, double Step) {
    for (int I = 0; I < N; ++I)
      X[I] = 0.5 + 0.4 * sin(1.1 * I + M) + (I == At ? Step : 0), Y[I] = DX[I] = 0, DY[I] = cos(1.7 * I);
  };
  Start(-1, 0);
  G<<<1, N>>>(X, DX, Y, DY, M);
  RG_TRUE(cudaDeviceSynchronize() == cudaSuccess);
  double Reverse[N];
  for (int I = 0; I < N; ++I)
    Reverse[I] = DX[I];
  for (int I = 0; I < N; I += 3) {
    double Sum[2] = {}, Step = 1e-6;
    for (int Side : {0, 1}) {
      Start(I, Side ? Step : -Step);
      P<<<1, N>>>(X, Y, M);
      RG_TRUE(cudaDeviceSynchronize() == cudaSuccess);
      for (int J = 0; J < N; ++J)
        Sum[Side] += Y[J] * cos(1.7 * J);
    }
    RG_WITHIN(Reverse[I], (Sum[1] - Sum[0]) / (2 * Step), 1e-6);
  }
}
int main() {
  for (int M : {0, 1, 2, 7}) {
    check(leavingKernel, leavingGradient, M);
    check(allKernel, allGradient, M);
  }
  return rgReport();
}
