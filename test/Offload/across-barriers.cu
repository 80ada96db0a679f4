// What is done across barriers and loops over threads, each with its switch: the kernel's form with and
// without, and the same results.
// RUN: %rgcxx --offload=cpu -O1 %s -mllvm -rg-print-offload -c -o %t.o > %t.on
// RUN: FileCheck --check-prefix=ONE %s < %t.on
// RUN: FileCheck --check-prefix=OWN %s < %t.on
// RUN: FileCheck --check-prefix=ALIKE %s < %t.on
// RUN: %rgcxx --offload=cpu -O1 %s -mllvm -rg-print-offload -mllvm -rg-disable=offload-move-barriers -c -o %t.o | FileCheck --check-prefix=TWO %s
// RUN: %rgcxx --offload=cpu -O1 %s -mllvm -rg-print-offload -mllvm -rg-disable=offload-forward-stores -c -o %t.o | FileCheck --check-prefix=KEPT %s
// RUN: %rgcxx --offload=cpu -O1 %s -mllvm -rg-print-offload -mllvm -rg-disable=offload-hoist-loads -c -o %t.o | FileCheck --check-prefix=EACH %s
// RUN: %rgcxx --offload=cpu -O0 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-disable=offload-move-barriers -mllvm -rg-disable=offload-forward-stores -mllvm -rg-disable=offload-hoist-loads %s -o %t && %t
#include <cuda_runtime.h>
#include <stdio.h>

// One barrier behind both stores does for two: two nests of loops over x, y, z, and not three.
// ONE-LABEL: define {{.*}}oneForTwo
// ONE-COUNT-6: phi i32
// ONE-NOT: phi i32
// ONE: ret void
// TWO-LABEL: define {{.*}}oneForTwo
// TWO-COUNT-9: phi i32
// TWO: ret void
__global__ void oneForTwo(float *A, float *B) {
  __shared__ float X[64], Y[64];
  int T = threadIdx.x;
  X[T] = A[T];
  __syncthreads();
  Y[T] = B[T];
  float R = X[63 - T];
  __syncthreads();
  A[T] = R + Y[(T + 5) % 64];
}

// Nobody but the thread itself reads what it has stored: no shared memory is left.
// OWN-LABEL: define {{.*}}ownValue
// OWN-NOT: alloca
// OWN: ret void
// KEPT-LABEL: define {{.*}}ownValue
// KEPT: alloca [64 x float]
__global__ void ownValue(float *A) {
  __shared__ float X[64];
  int T = threadIdx.x;
  X[T] = A[T] * 2;
  __syncthreads();
  A[63 - T] = X[T] + 1;
}
// Here others have written in the meantime.
__global__ void othersWrite(float *A) {
  __shared__ float X[64];
  int T = threadIdx.x;
  X[T] = A[T] * 2;
  __syncthreads();
  X[63 - T] = 7 + T;
  __syncthreads();
  A[T] = X[T];
}
// A loop: each round has its own store.
__global__ void eachRound(float *A, int N) {
  __shared__ float X[64];
  int T = threadIdx.x;
  float S = 0;
  for (int K = 0; K < N; ++K) {
    X[T] = A[T] + K;
    __syncthreads();
    S += X[(T + 1) % 64] - X[T];
    __syncthreads();
  }
  A[T] = S;
}
// Behind a barrier some threads store again before others load: not the thread's own value.
__global__ void someAgain(float *A) {
  __shared__ float X[64];
  int T = threadIdx.x;
  X[T] = A[T];
  __syncthreads();
  if (T < 10)
    X[63 - T] = -1;
  __syncthreads();
  A[T] = X[T];
}

// The load in the loop comes round to itself, behind the loop's own store.
__global__ void comesRound(float *A) {
  __shared__ float X[64];
  int T = threadIdx.x;
  X[T] = A[T];
  __syncthreads();
  for (int H = 32; H > 0; H /= 2) {
    if (T < H)
      X[T] += X[T + H];
    __syncthreads();
  }
  A[T] = X[0];
}

// W[N] and W[0] are loaded once for the loops over threads.
// ALIKE-LABEL: define {{.*}}alike
// ALIKE: load float
// ALIKE: load float
// ALIKE: phi i32
// ALIKE-COUNT-1: load float{{.*}}access.group
// ALIKE-NOT: load float{{.*}}access.group
// ALIKE: store float
// EACH-LABEL: define {{.*}}alike
// EACH-COUNT-3: load float{{.*}}access.group
// EACH: store float
__global__ void alike(float *A, const float *W, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  A[I] = A[I] * W[N] + W[0];
}
// The thread's own store comes first: the load stays behind it.
__global__ void behindStore(float *A, float *W) {
  W[threadIdx.x] = 5;
  A[threadIdx.x] = W[0] + A[threadIdx.x];
}

static int Bad;
template <class Fn> static void expect(const char *Name, const float *A, Fn Want, int N = 64) {
  cudaDeviceSynchronize();
  for (int I = 0; I < N; ++I)
    if (A[I] != Want(I)) {
      printf("%s: %g at %d, not %g\n", Name, A[I], I, (double)Want(I));
      ++Bad;
    }
}
int main() {
  float *A, *B;
  cudaMallocManaged(&A, 64 * sizeof(float));
  cudaMallocManaged(&B, 64 * sizeof(float));
  auto Start = [&] {
    for (int I = 0; I < 64; ++I)
      A[I] = I, B[I] = 100 * I;
  };
  Start(), oneForTwo<<<1, 64>>>(A, B);
  expect("oneForTwo", A, [](int T) { return 63 - T + 100.f * ((T + 5) % 64); });
  Start(), ownValue<<<1, 64>>>(A);
  expect("ownValue", A, [](int T) { return 2.f * (63 - T) + 1; });
  Start(), othersWrite<<<1, 64>>>(A);
  expect("othersWrite", A, [](int T) { return 7.f + 63 - T; });
  Start(), eachRound<<<1, 64>>>(A, 5);
  expect("eachRound", A, [](int T) { return 5.f * ((T + 1) % 64 - T); });
  Start(), someAgain<<<1, 64>>>(A);
  expect("someAgain", A, [](int T) { return T > 53 ? -1.f : T; });
  Start(), comesRound<<<1, 64>>>(A);
  expect("comesRound", A, [](int) { return 2016.f; });
  Start(), alike<<<1, 64>>>(A, B, 2);
  expect("alike", A, [](int T) { return T * 200.f; });
  Start(), behindStore<<<1, 1>>>(A, B);
  expect("behindStore", A, [](int) { return 5.f; }, 1);
  return Bad;
}
