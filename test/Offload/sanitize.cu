// AddressSanitizer sees kernels: accesses outside of static shared, dynamic shared and global memory, at the
// kernel's line.
// REQUIRES: asan
// RUN: %rgcxx --offload=cpu -O1 -fsanitize=address %s -DFAULT=0 -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -fsanitize=address %s -DFAULT=1 -o %t && not %t 2>&1 | FileCheck --check-prefix=STATIC %s
// RUN: %rgcxx --offload=cpu -O2 -fsanitize=address %s -DFAULT=2 -o %t && not %t 2>&1 | FileCheck --check-prefix=DYNAMIC %s
// RUN: %rgcxx --offload=cpu -O0 -fsanitize=address %s -DFAULT=3 -o %t && not %t 2>&1 | FileCheck --check-prefix=GLOBAL %s
// RUN: %rgcxx --offload=cpu -O0 -fsanitize=address %s -DFAULT=4 -o %t && not %t 2>&1 | FileCheck --check-prefix=OWN %s
#include <cuda_runtime.h>

#if FAULT == 4
__global__ void own(int *Out, int N) {
  int A[8];
  for (int I = 0; I < 8; ++I)
    A[I] = I;
  // OWN: stack-buffer-overflow
  // OWN: in own{{.*}}sanitize.cu:[[@LINE+1]]
  Out[threadIdx.x] = A[N + threadIdx.x % 2];
}
int main() {
  int *Out;
  cudaMalloc(&Out, 32 * sizeof(int));
  own<<<1, 32>>>(Out, 7);
  return cudaDeviceSynchronize();
}
#else

__global__ void kernel(int *Out, const int *Where) {
  __shared__ int Static[32];
  extern __shared__ int Dynamic[];
  int I = threadIdx.x;
  Dynamic[I] = I;
  // STATIC: stack-buffer-overflow
  // STATIC: in kernel{{.*}}sanitize.cu:[[@LINE+1]]
  Static[Where[0] + I] = I;
  __syncthreads();
  // DYNAMIC: heap-buffer-overflow
  // DYNAMIC: in kernel{{.*}}sanitize.cu:[[@LINE+1]]
  int V = Dynamic[Where[1] + 31 - I];
  // GLOBAL: heap-buffer-overflow
  // GLOBAL: in kernel{{.*}}sanitize.cu:[[@LINE+1]]
  Out[Where[2] + I] = V + Static[Where[0] + 31 - I];
}

int main() {
  int Where[3] = {FAULT == 1, FAULT == 2, FAULT == 3}, *W, *Out;
  cudaMalloc(&W, sizeof Where);
  cudaMalloc(&Out, 32 * sizeof(int));
  cudaMemcpy(W, Where, sizeof Where, cudaMemcpyHostToDevice);
  kernel<<<1, 32, 32 * sizeof(int)>>>(Out, W);
  cudaDeviceSynchronize();
  cudaFree(W);
  cudaFree(Out);
}
#endif
