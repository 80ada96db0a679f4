// Kernels that check themselves: races in shared memory, in global memory, between
// blocks; shared memory that is read before it was written; barriers in divergent flow. Each at its line,
// and nothing where there is nothing.
// RUN: %rgcxx --offload=cpu -O2 -rg-check-races -rg-check-uninitialized %s -o %t
// RUN: %t 0 2>&1 | FileCheck --check-prefix=CLEAN %s
// RUN: not %t 1 2>&1 | FileCheck --check-prefix=SHARED %s
// RUN: not %t 2 2>&1 | FileCheck --check-prefix=GLOBAL %s
// RUN: not %t 3 2>&1 | FileCheck --check-prefix=BLOCKS %s
// RUN: not %t 4 2>&1 | FileCheck --check-prefix=UNSET %s
// RUN: not %t 5 2>&1 | FileCheck --check-prefix=DIVERGENT %s
// RUN: %rgcxx --offload=cpu -O0 -rg-check-races %s -o %t
// RUN: %t 0 2>&1 | FileCheck --check-prefix=CLEAN %s
// RUN: not %t 1 2>&1 | FileCheck --check-prefix=SHARED %s
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
// CLEAN-NOT: error
// CLEAN: done

__global__ void sum(int *X, int Forgotten) {
  __shared__ int S[64];
  int I = threadIdx.x;
  S[I] = X[I];
  __syncthreads();
  for (int H = 32; H > 0; H /= 2) {
    if (I < H)
      // SHARED: check.cu:[[@LINE+1]]:{{[0-9]+}}: error: race in kernel 'sum': thread ({{[0-9]+}},0,0) of block (0,0,0) {{reads|writes}} shared memory that thread ({{[0-9]+}},0,0) of block (0,0,0) {{reads|writes}}, without a barrier between [RG1602]
      S[I] += S[I + H];
    // SHARED: note: the other access is here
    if (!Forgotten)
      __syncthreads();
  }
  if (I == 0)
    X[0] = S[0];
}
__global__ void neighbours(int *X) {
  int I = threadIdx.x;
  // GLOBAL: check.cu:[[@LINE+1]]:{{[0-9]+}}: error: race in kernel 'neighbours': {{.*}} global memory
  X[I] = X[(I + 1) % 64];
}
__global__ void everyBlock(int *X) {
  // BLOCKS: check.cu:[[@LINE+1]]:{{[0-9]+}}: error: race in kernel 'everyBlock': thread (0,0,0) of block (1,0,0) writes global memory that thread (0,0,0) of block (0,0,0) writes, in the same launch [RG1602]
  X[threadIdx.x] = blockIdx.x;
}
__global__ void unset(int *X) {
  __shared__ int S[64];
  if (threadIdx.x < 63)
    S[threadIdx.x] = 1;
  __syncthreads();
  // UNSET: check.cu:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'unset': thread (63,0,0) of block (0,0,0) reads shared memory that no thread of its block has written [RG1604]
  X[threadIdx.x] = S[threadIdx.x];
}
__global__ void divergent(int *X) {
  if (threadIdx.x % 2) {
    X[threadIdx.x] = 1;
    // DIVERGENT: error: barrier in divergent control flow in kernel 'divergent': thread (0,0,0) of block (0,0,0) waits here, and thread (1,0,0) of block (0,0,0) at another barrier [RG1603]
    // DIVERGENT: check.cu:[[@LINE+1]]:{{[0-9]+}}: note: the other barrier is here
    __syncthreads();
    X[threadIdx.x] += 1;
  } else {
    __syncthreads();
    X[threadIdx.x] = 2;
    __syncthreads();
  }
}
// Ordered by what a warp does, by atomics, by the launch: no race.
__global__ void ordered(int *X) {
  __shared__ int S[64];
  int I = threadIdx.x, Other = I ^ 1;
  S[I] = I;
  __syncwarp();
  atomicAdd(&X[0], S[Other]);
  atomicAdd(&X[1], 1);
}

int main(int, char **Arguments) {
  int *X;
  cudaMalloc(&X, 64 * sizeof(int));
  cudaMemset(X, 0, 64 * sizeof(int));
  switch (atoi(Arguments[1])) {
  case 0:
    sum<<<1, 64>>>(X, 0);
    ordered<<<2, 64>>>(X);
    cudaMemset(X, 0, 64 * sizeof(int));
    break;
  case 1:
    sum<<<1, 64>>>(X, 1);
    break;
  case 2:
    neighbours<<<1, 64>>>(X);
    break;
  case 3:
    everyBlock<<<2, 64>>>(X);
    break;
  case 4:
    unset<<<1, 64>>>(X);
    break;
  case 5:
    divergent<<<1, 64>>>(X);
    break;
  }
  printf("done\n");
  return cudaDeviceSynchronize();
}
