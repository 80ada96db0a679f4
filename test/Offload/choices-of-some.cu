// RUN: %rgcxx --offload=cpu -O0 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -march=native %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-disable=offload-recompute %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-disable=offload-limit %s -o %t && %t
// A condition that all threads answer alike, asked by some of them only: what they choose is not what the block
// chooses.
#include <cstdio>
#include <cuda_runtime.h>
#include <initializer_list>

// The optimiser makes of it: if (x == 0) { if (-m < n) ... } else ...
template <typename T> __global__ void guard(int *Out, T n, T m) {
  __shared__ int S[64];
  T x = blockIdx.x * blockDim.x + threadIdx.x;
  if (!(x > 0 || x - m < n))
    return;
  S[threadIdx.x] = x + 2;
  __syncthreads();
  Out[x] = S[threadIdx.x ^ 1];
}
// Each of two groups of threads is sent away, or not.
__global__ void groups(int *Out, int a, int b) {
  __shared__ int S[64];
  int t = threadIdx.x;
  S[t] = t;
  if (t % 2) {
    if (a > 3)
      return;
  } else if (b > 3)
    return;
  S[t] += 2;
  __syncthreads();
  Out[t] = S[(t + 2) % 8];
}
// The same within a loop that all repeat.
__global__ void rounds(int *Out, int n, int a) {
  __shared__ int S[64];
  int t = threadIdx.x;
  S[t] = t;
  for (int i = 0; i < n; ++i) {
    if (t < 4) {
      if (i == a)
        return;
      S[t] += 1;
    }
    __syncthreads();
    Out[t] += S[t ^ 1] * (i + 1);
    __syncthreads();
  }
}

int main() {
  int Wrong = 0, *Out;
  cudaMallocManaged(&Out, 64 * sizeof(int));
  auto Check = [&](const char *Name, int I, int Want) {
    if (Out[I] != Want && ++Wrong < 20)
      std::printf("%s, thread %d: %d for %d\n", Name, I, Out[I], Want);
  };
  auto Clear = [&](int Value) {
    for (int I = 0; I < 64; ++I)
      Out[I] = Value;
  };
  Clear(-1);
  guard<long><<<1, 8>>>(Out, 100, 10);
  cudaDeviceSynchronize();
  for (int I = 0; I < 8; ++I)
    Check("guard of long", I, (I ^ 1) + 2);
  Clear(-1);
  guard<int><<<1, 8>>>(Out, 100, 10);
  cudaDeviceSynchronize();
  for (int I = 0; I < 8; ++I)
    Check("guard of int", I, (I ^ 1) + 2);
  Clear(-1);
  guard<unsigned><<<1, 8>>>(Out, 100, 0);
  cudaDeviceSynchronize();
  for (int I = 0; I < 8; ++I)
    Check("guard of unsigned", I, (I ^ 1) + 2);
  for (int A : {1, 9})
    for (int B : {1, 9}) {
      Clear(-1);
      groups<<<1, 8>>>(Out, A, B);
      cudaDeviceSynchronize();
      for (int I = 0; I < 8; ++I)
        Check("groups", I, (I % 2 ? A : B) > 3 ? -1 : (I + 2) % 8 + 2);
    }
  for (int A : {7, 0}) {
    Clear(0);
    rounds<<<1, 8>>>(Out, A ? 3 : 2, A);
    cudaDeviceSynchronize();
    for (int I = 0; I < 8; ++I) {
      int Want = 0, S = I ^ 1;
      for (int Round = 0; Round < (A ? 3 : 2); ++Round) {
        if (I < 4 && !A)
          break;
        S += (I ^ 1) < 4 && A;
        Want += S * (Round + 1);
      }
      Check("rounds", I, Want);
    }
  }
  return Wrong != 0;
}
