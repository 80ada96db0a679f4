// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives in kernels that do what kernels do, reverse against forward against central differences: a scan with
// two buffers of dynamic shared memory, warps that return early, structs in shared memory over steps of time, an
// elimination, memory from malloc, a maximum, atomics, shared memory of a function that is called twice.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <cuda_runtime.h>
#include <string.h>
extern __device__ int enzyme_dup, enzyme_const;
template <class... A> __device__ void __enzyme_autodiff(void *, A...);
template <class... A> __device__ void __enzyme_fwddiff(void *, A...);
static constexpr int N = 64;

__device__ void scan(const double *X, double *Y, int) {
  extern __shared__ double D[];
  int T = threadIdx.x, In = 0, Out = 1;
  D[T] = X[T] * X[T];
  __syncthreads();
  for (int O = 1; O < N; O *= 2) {
    int K = In;
    In = Out, Out = K;
    D[In * N + T] = T >= O ? D[Out * N + T] + sin(D[Out * N + T - O]) : D[Out * N + T];
    __syncthreads();
  }
  Y[T] = D[In * N + T];
}
__device__ double warpSum(double V) {
  for (int O = 16; O; O /= 2)
    V += __shfl_down_sync(~0u, V, O);
  return V;
}
__device__ void early(const double *X, double *Y, int) {
  __shared__ double Part[2];
  int T = threadIdx.x;
  double V = warpSum(X[T] * sin(X[T]));
  if (T % 32 == 0)
    Part[T / 32] = V;
  __syncthreads();
  if (T >= 32)
    return;
  Y[T] = Part[0] * Part[1] * X[T];
}
struct Body {
  double Q[2], V[2];
};
__device__ void bodies(const double *X, double *Y, int Steps) {
  __shared__ Body B[N / 2];
  int T = threadIdx.x;
  bool Mine = T < N / 2;
  if (Mine)
    B[T] = {{X[2 * T], X[2 * T + 1]}, {0, 0}};
  __syncthreads();
  for (int S = 0; S < Steps; ++S) {
    double F[2] = {0, 0};
    if (Mine)
      for (int J = 0; J < N / 2; ++J) {
        double D[2] = {B[J].Q[0] - B[T].Q[0], B[J].Q[1] - B[T].Q[1]};
        double R = rsqrt(D[0] * D[0] + D[1] * D[1] + 0.5);
        F[0] += D[0] * R * R * R, F[1] += D[1] * R * R * R;
      }
    __syncthreads();
    if (Mine)
      for (int K = 0; K < 2; ++K)
        B[T].V[K] += 0.01 * F[K], B[T].Q[K] += B[T].V[K];
    __syncthreads();
  }
  Y[T] = B[T / 2].Q[T & 1];
}
__device__ void eliminated(const double *X, double *Y, int) {
  __shared__ double A[4][16];
  int T = threadIdx.x, G = T / 16, I = T % 16 / 4, J = T % 4;
  A[G][T % 16] = X[T] + (I == J ? 4 : 0);
  __syncthreads();
  for (int K = 0; K < 3; ++K) {
    if (J == K && I > K)
      A[G][I * 4 + K] /= A[G][K * 5];
    __syncthreads();
    if (I > K && J > K)
      A[G][I * 4 + J] -= A[G][I * 4 + K] * A[G][K * 4 + J];
    __syncthreads();
  }
  Y[T] = A[G][T % 16];
}
__device__ void allocated(const double *X, double *Y, int Steps) {
  int T = threadIdx.x;
  double *M = (double *)malloc((Steps + 1) * sizeof(double)), Sum = 0;
  M[0] = X[T];
  for (int I = 0; I < Steps; ++I)
    M[I + 1] = sin(M[I]) * X[(T + I) % N];
  for (int I = 0; I <= Steps; ++I)
    Sum += M[I];
  free(M);
  Y[T] = Sum;
}
__device__ void softmax(const double *X, double *Y, int) {
  __shared__ double S[N], Sum;
  int T = threadIdx.x;
  S[T] = X[T];
  if (T == 0)
    Sum = 0;
  __syncthreads();
  for (int H = N / 2; H; H /= 2) {
    if (T < H)
      S[T] = fmax(S[T], S[T + H]);
    __syncthreads();
  }
  double E = exp(X[T] - S[0]);
  atomicAdd(&Sum, E);
  __syncthreads();
  Y[T] = E / Sum;
}
__device__ __noinline__ double exchanged(double V, int D) {
  __shared__ double S[N];
  __syncthreads();
  S[threadIdx.x] = V;
  __syncthreads();
  return S[(threadIdx.x + D) % N] * V;
}
__device__ void twice(const double *X, double *Y, int) {
  double V = exchanged(X[threadIdx.x], 1);
  Y[threadIdx.x] = V + exchanged(sin(V), 5);
}

#define KERNELS(Name)                                                                                       \
  __global__ void Name##Primal(const double *X, double *Y, int Steps) { Name(X, Y, Steps); }                \
  __global__ void Name##Reverse(const double *X, double *DX, double *Y, double *DY, int Steps) {            \
    __enzyme_autodiff((void *)Name, enzyme_dup, X, DX, enzyme_dup, Y, DY, enzyme_const, Steps);             \
  }                                                                                                         \
  __global__ void Name##Forward(const double *X, double *DX, double *Y, double *DY, int Steps) {            \
    __enzyme_fwddiff((void *)Name, enzyme_dup, X, DX, enzyme_dup, Y, DY, enzyme_const, Steps);              \
  }
KERNELS(scan)
KERNELS(early)
KERNELS(bodies)
KERNELS(eliminated)
KERNELS(allocated)
KERNELS(softmax)
KERNELS(twice)

template <class P, class D> void check(P Primal, D Reverse, D Forward) {
  const int Steps = 3, Dynamic = 2 * N * sizeof(double);
  double *X, *DX, *Y, *DY, Way[N], Weight[N];
  for (double **Array : {&X, &DX, &Y, &DY})
    cudaMallocManaged(Array, N * sizeof(double));
  auto Start = [&](double Step) {
    for (int I = 0; I < N; ++I) {
      Way[I] = sin(2.2 * I + 1), Weight[I] = cos(0.9 * I);
      X[I] = 0.6 + 0.3 * sin(1.7 * I) + Step * Way[I], Y[I] = DX[I] = DY[I] = 0;
    }
  };
  auto Along = [&](const double *A, const double *B) {
    RG_TRUE(cudaDeviceSynchronize() == cudaSuccess);
    double Sum = 0;
    for (int I = 0; I < N; ++I)
      Sum += A[I] * B[I];
    return Sum;
  };
  auto Value = [&](double Step) {
    Start(Step);
    Primal<<<1, N, Dynamic>>>(X, Y, Steps);
    return Along(Y, Weight);
  };
  double H = 1e-4, Difference = (8 * (Value(H) - Value(-H)) - (Value(2 * H) - Value(-2 * H))) / (12 * H);
  Start(0);
  memcpy(DX, Way, sizeof Way);
  Forward<<<1, N, Dynamic>>>(X, DX, Y, DY, Steps);
  double Tangent = Along(DY, Weight);
  Start(0);
  memcpy(DY, Weight, sizeof Weight);
  Reverse<<<1, N, Dynamic>>>(X, DX, Y, DY, Steps);
  RG_WITHIN(Tangent, Difference, 1e-7);
  RG_NEAR(Along(DX, Way), Tangent);
}

int main() {
  check(scanPrimal, scanReverse, scanForward);
  check(earlyPrimal, earlyReverse, earlyForward);
  check(bodiesPrimal, bodiesReverse, bodiesForward);
  check(eliminatedPrimal, eliminatedReverse, eliminatedForward);
  check(allocatedPrimal, allocatedReverse, allocatedForward);
  check(softmaxPrimal, softmaxReverse, softmaxForward);
  check(twicePrimal, twiceReverse, twiceForward);
  return rgReport();
}
