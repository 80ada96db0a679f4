// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-disable=offload-serial-threads -mllvm -rg-disable=offload-collapse -fno-discard-value-names -mllvm -rg-print-offload %s -o %t 2>&1 | FileCheck %s
// RUN: env OMP_NUM_THREADS=4 %t
// RUN: %rgcxx --offload=cpu -O0 -mllvm -rg-disable=offload-serial-threads %s -o %t && env OMP_NUM_THREADS=1 %t
// RUN: %rgcxx --offload=cpu -O3 -march=native -mllvm -rg-disable=offload-serial-threads -mllvm -rg-disable=offload-limit %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-print-offload %s -o %t 2>&1 | FileCheck %s --check-prefix=SERIAL
// RUN: %t
// The threads of a block, one after the other on one thread of the machine (as by default), or shared among
// several: barriers, shared memory and its atomics, guards, threads that end early, blocks of three dimensions, an
// assertion that fails in the share of another thread.
// CHECK: call void @rg_cuda_share_threads
// SERIAL-NOT: rg_cuda_share_threads
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

template <typename T> T *device(const std::vector<T> &From) {
  T *P = nullptr;
  cudaMalloc(&P, From.size() * sizeof(T));
  cudaMemcpy(P, From.data(), From.size() * sizeof(T), cudaMemcpyHostToDevice);
  return P;
}
template <typename T> std::vector<T> host(const T *From, size_t N) {
  std::vector<T> Result(N);
  cudaMemcpy(Result.data(), From, N * sizeof(T), cudaMemcpyDeviceToHost);
  return Result;
}

constexpr int T = 16, N = 48;
__global__ void product(const float *A, const float *B, float *C) {
  __shared__ float S[T][T], U[T][T];
  int X = threadIdx.x, Y = threadIdx.y, Column = blockIdx.x * T + X, Row = blockIdx.y * T + Y;
  float Sum = 0;
  for (int K = 0; K < N; K += T) {
    S[Y][X] = A[Row * N + K + X];
    U[Y][X] = B[(K + Y) * N + Column];
    __syncthreads();
    for (int I = 0; I < T; ++I)
      Sum += S[Y][I] * U[I][X];
    __syncthreads();
  }
  C[Row * N + Column] = Sum;
}
__global__ void histogram(const int *In, int *Bins, int Count) {
  __shared__ int S[32];
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 32)
    S[threadIdx.x] = 0;
  __syncthreads();
  if (I < Count)
    atomicAdd(&S[In[I]], 1);
  __syncthreads();
  if (threadIdx.x < 32)
    atomicAdd(&Bins[threadIdx.x], S[threadIdx.x]);
}
__global__ void early(const double *In, double *Out, int Count) {
  extern __shared__ double D[];
  int I = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if (I >= Count)
    return;
  D[I] = In[I] * In[I];
  __syncthreads();
  for (int H = 1; H < Count; H *= 2) {
    double Other = I + H < Count ? D[I + H] : 0;
    __syncthreads();
    D[I] += Other;
    __syncthreads();
  }
  Out[I] = D[I];
}
__global__ void asserts(int *Out, int Bad) {
  __shared__ int S[256];
  S[threadIdx.x] = threadIdx.x;
  __syncthreads();
  assert(int(threadIdx.x) != Bad);
  Out[threadIdx.x] = S[255 - threadIdx.x];
}

int main() {
  int Wrong = 0;
  auto Check = [&](const char *Name, double Got, double Want) {
    if (!(std::fabs(Got - Want) < 1e-4 * (1 + std::fabs(Want))) && ++Wrong < 20)
      std::printf("%s: %g for %g\n", Name, Got, Want);
  };
  std::vector<float> A(N * N), B(N * N);
  for (int I = 0; I < N * N; ++I)
    A[I] = std::sin(I * 0.1), B[I] = std::cos(I * 0.3);
  float *C = device(std::vector<float>(N * N));
  product<<<dim3(N / T, N / T), dim3(T, T)>>>(device(A), device(B), C);
  std::vector<float> Product = host(C, N * N);
  for (int R = 0; R < N; ++R)
    for (int K = 0; K < N; ++K) {
      double Sum = 0;
      for (int I = 0; I < N; ++I)
        Sum += A[R * N + I] * B[I * N + K];
      Check("product", Product[R * N + K], Sum);
    }
  std::vector<int> In(5000), Want(32);
  for (int I = 0; I < 5000; ++I)
    ++Want[In[I] = I * I % 32];
  int *Bins = device(std::vector<int>(32));
  histogram<<<20, 256>>>(device(In), Bins, 5000);
  std::vector<int> Got = host(Bins, 32);
  for (int I = 0; I < 32; ++I)
    Check("histogram", Got[I], Want[I]);
  for (int Count : {1, 7, 100, 192}) {
    std::vector<double> X(192);
    for (int I = 0; I < 192; ++I)
      X[I] = 0.01 * I - 0.5;
    double *Out = device(std::vector<double>(192, -1));
    early<<<1, dim3(8, 6, 4), 192 * sizeof(double)>>>(device(X), Out, Count);
    std::vector<double> Sums = host(Out, 192);
    for (int I = 0; I < 192; ++I) {
      double Sum = I < Count ? 0 : -1;
      for (int J = I; J < Count; ++J)
        Sum += X[J] * X[J];
      Check("early", Sums[I], Sum);
    }
  }
  int *Out = device(std::vector<int>(256));
  asserts<<<1, 256>>>(Out, -1);
  std::vector<int> Mirrored = host(Out, 256);
  for (int I = 0; I < 256; ++I)
    Check("asserts", Mirrored[I], 255 - I);
  asserts<<<1, 256>>>(Out, 250);
  if (cudaDeviceSynchronize() != cudaErrorAssert && ++Wrong)
    std::printf("the assertion was not noticed\n");
  return Wrong != 0;
}
