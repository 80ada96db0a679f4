// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-print-offload -fno-discard-value-names -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-disable=offload-edges -mllvm -rg-disable=offload-limit -mllvm -rg-print-offload -fno-discard-value-names -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF
// What becomes of guards and edges (idle-threads.cu runs many): threads that end at a kernel's first guards
// are outside of all its loops, and nobody keeps book of them; blocks away from the edges have a loop without
// these conditions.
#include <cuda_runtime.h>

// CHECK-LABEL: define {{.*}}void @_Z5firstPfS_i
// CHECK: one.by.one:
// CHECK-NEXT: call void @rg_fill
// CHECK: limited:
// OFF-LABEL: define {{.*}}void @_Z5firstPfS_i
// OFF: call void @rg_fill
// OFF-NOT: limited:
__global__ void first(float *A, float *B, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N || N < 3)
    return;
  for (int K = 0; K < N; ++K)
    B[K * N + I] += A[I];
}

// CHECK-LABEL: define {{.*}}void @_Z9neighbourPfS_i
// CHECK-COUNT-3: {{^}}thread.x{{[0-9]*}}:
// OFF-LABEL: define {{.*}}void @_Z9neighbourPfS_i
// OFF-COUNT-2: {{^}}thread.x{{[0-9]*}}:
// OFF-NOT: {{^}}thread.x
__global__ void neighbour(float *A, float *B, int N) {
  __shared__ float S[128];
  S[threadIdx.x] = A[threadIdx.x];
  __syncthreads();
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  B[I] = S[I > 0 ? threadIdx.x - 1 : threadIdx.x];
}
