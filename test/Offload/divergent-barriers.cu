// Barriers in divergent flow, in all forms, each at its line; and where all threads come, nothing.
// RUN: %rgcxx --offload=cpu -O2 -rg-check-races %s -o %t
// RUN: %rgcxx --offload=cpu -O0 -rg-check-races %s -o %t.0
// RUN: not %t 0 2>&1 | FileCheck --check-prefix=EARLY %s
// RUN: not %t.0 0 2>&1 | FileCheck --check-prefix=EARLY %s
// RUN: not %t 1 2>&1 | FileCheck --check-prefix=BRANCH %s
// RUN: not %t.0 1 2>&1 | FileCheck --check-prefix=BRANCH %s
// RUN: not %t 2 2>&1 | FileCheck --check-prefix=BOTH %s
// RUN: not %t.0 2 2>&1 | FileCheck --check-prefix=BOTH %s
// RUN: not %t 3 2>&1 | FileCheck --check-prefix=TRIPS %s
// RUN: not %t.0 3 2>&1 | FileCheck --check-prefix=TRIPS %s
// RUN: not %t 4 2>&1 | FileCheck --check-prefix=LOOP %s
// RUN: %t 5 2>&1 | FileCheck --check-prefix=FINE %s
// RUN: %t.0 5 2>&1 | FileCheck --check-prefix=FINE %s
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void returns(int *X, int N) {
  int I = threadIdx.x;
  if (I >= N)
    return;
  // EARLY: divergent-barriers.cu:[[@LINE+1]]:3: error: barrier in divergent control flow in kernel 'returns': thread (0,0,0) of block (0,0,0) waits here, and thread (40,0,0) of block (0,0,0) has ended [RG1603]
  __syncthreads();
  X[I] = I;
}
__global__ void oneBranch(int *X) {
  if (threadIdx.x < 32) {
    X[threadIdx.x] = 1;
    // BRANCH: divergent-barriers.cu:[[@LINE+1]]:5: error: barrier in divergent control flow in kernel 'oneBranch': thread (0,0,0) of block (0,0,0) waits here, and thread (32,0,0) of block (0,0,0) has ended [RG1603]
    __syncthreads();
  }
  X[threadIdx.x] += 1;
}
__global__ void bothBranches(int *X) {
  if (threadIdx.x < 32) {
    // BOTH: divergent-barriers.cu:[[@LINE+1]]:5: error: barrier in divergent control flow in kernel 'bothBranches': thread (0,0,0) of block (0,0,0) waits here, and thread (32,0,0) of block (0,0,0) at another barrier [RG1603]
    __syncthreads();
    X[threadIdx.x] = 1;
  } else {
    // BOTH: divergent-barriers.cu:[[@LINE+1]]:5: note: the other barrier is here
    __syncthreads();
    X[threadIdx.x] = 2;
  }
}
__global__ void trips(int *X) {
  for (int K = 0; K < threadIdx.x / 16 + 1; ++K) {
    X[threadIdx.x] += K;
    // TRIPS: divergent-barriers.cu:[[@LINE+1]]:5: error: barrier in divergent control flow in kernel 'trips': thread (16,0,0) of block (0,0,0) waits here, and thread (0,0,0) of block (0,0,0) has ended [RG1603]
    __syncthreads();
  }
}
__global__ void returnsFromLoop(int *X, int N) {
  for (int K = 0; K < 4; ++K) {
    if (K == 2 && threadIdx.x > N)
      return;
    // LOOP: divergent-barriers.cu:[[@LINE+1]]:5: error: barrier in divergent control flow in kernel 'returnsFromLoop': {{.*}} has ended [RG1603]
    __syncthreads();
    X[threadIdx.x] += K;
  }
}
// FINE-NOT: error
// FINE: done
__global__ void fine(int *X, int N) {
  for (int K = 0; K < N; ++K) {
    X[threadIdx.x] += K;
    __syncthreads();
    if (N > 3)
      __syncthreads();
  }
  if (threadIdx.x > 5)
    return;
  X[threadIdx.x]++;
}

int main(int, char **Arguments) {
  int *X;
  cudaMallocManaged(&X, 4096);
  switch (atoi(Arguments[1])) {
  case 0:
    returns<<<1, 64>>>(X, 40);
    break;
  case 1:
    oneBranch<<<1, 64>>>(X);
    break;
  case 2:
    bothBranches<<<1, 64>>>(X);
    break;
  case 3:
    trips<<<1, 64>>>(X);
    break;
  case 4:
    returnsFromLoop<<<1, 64>>>(X, 20);
    break;
  case 5:
    fine<<<1, 64>>>(X, 5);
    returns<<<1, 32>>>(X, 40);
  }
  printf("done\n");
  return cudaDeviceSynchronize();
}
