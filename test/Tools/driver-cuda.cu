// The driver knows CUDA: Hopper by default, thrust where CUDA 13 has it, and the
// pass manager switches of files that were written for Enzyme are dropped.
// REQUIRES: cuda-toolkit
// RUN: %rgcxx -### -fno-experimental-new-pass-manager -c %s 2>&1 | FileCheck --check-prefixes=CHECK,DEFAULT %s
// RUN: %rgcxx -### -x cuda --offload-arch=sm_80 --cuda-path=/usr/local/cuda -c %s 2>&1 | FileCheck --check-prefixes=CHECK,GIVEN %s
// RUN: %rgcxx -O1 -c -o %t.o -Xclang -load -Xclang %plugin -mllvm -enzyme-new-cache=1 %s

// CHECK-NOT: unknown argument
// CHECK-NOT: unknown-cuda-version
// CHECK: "-triple" "nvptx64-nvidia-cuda"
// DEFAULT-SAME: "-target-cpu" "sm_90"
// GIVEN-SAME: "-target-cpu" "sm_80"
// CHECK-SAME: "-isystem" "{{.*}}/include/cccl"

#include <thrust/execution_policy.h>
__global__ void twice(double *x) { x[threadIdx.x] *= 2; }
