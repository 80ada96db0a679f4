// The driver knows CUDA: the architecture is that of the machine's GPU, or Hopper; thrust
// where CUDA 13 has it; CUDA's runtime is linked; and the pass manager switches of files
// that were written for Enzyme are dropped.
// REQUIRES: cuda-toolkit
// RUN: rm -rf %t && mkdir %t
// RUN: printf '#!/bin/sh\nexit 9\n' > %t/nvidia-smi && chmod +x %t/nvidia-smi
// RUN: sh -c 'PATH=%t:$PATH exec "$@"' - %rgcxx -### -fno-experimental-new-pass-manager -c %s 2>&1 | FileCheck --check-prefixes=CHECK,DEFAULT %s
// RUN: %rgcxx -### -x cuda --offload-arch=sm_80 --cuda-path=/usr/local/cuda -c %s 2>&1 | FileCheck --check-prefixes=CHECK,GIVEN %s
// RUN: printf '#!/bin/sh\necho 8.9; echo 9.0\n' > %t/nvidia-smi
// RUN: sh -c 'PATH=%t:$PATH exec "$@"' - %rgcxx -### -c %s 2>&1 | FileCheck --check-prefix=PRESENT %s
// RUN: %rgcxx -O1 --offload-arch=sm_80 %s -o %t/program
// RUN: %rgcxx -O1 -DWITH_THRUST --offload-arch=sm_80 -c %s -o %t/object.o && %rgcxx %t/object.o -o %t/program
// RUN: not %rgcxx --offload-arch=sm_80 -nodefaultlibs %s -o %t/program 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %rgcxx -O1 -c -o %t.o -Xclang -load -Xclang %plugin -mllvm -enzyme-new-cache=1 %s

// PRESENT-NOT: no GPU
// PRESENT: "-target-cpu" "sm_89"
// NONE: cudaLaunchKernel
// DEFAULT: rg-clang: note: this machine has no GPU: compiling for sm_90
// CHECK-NOT: unknown argument
// CHECK-NOT: unknown-cuda-version
// CHECK: "-triple" "nvptx64-nvidia-cuda"
// DEFAULT-SAME: "-target-cpu" "sm_90"
// GIVEN-SAME: "-target-cpu" "sm_80"
// CHECK-SAME: "-isystem" "{{.*}}/include/cccl"

#ifdef WITH_THRUST // takes five seconds: once
#include <thrust/execution_policy.h>
#endif
__global__ void twice(double *x) { x[threadIdx.x] *= 2; }
int main() { twice<<<1, 1>>>(nullptr); }

