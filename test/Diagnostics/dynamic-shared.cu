// Dynamic shared memory that is too much with its shadow, on this machine, and a machine
// whose kernels cannot ask for it.
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include %s -o %t
// RUN: %t 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: not %rgcxx -x hip --offload-arch=gfx90a --cuda-device-only -nogpuinc -nogpulib -DHIP -I%root/test/include -O2 -S %s -o %t.s 2>&1 | FileCheck %s --check-prefix=AMD
#ifdef HIP
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define THREAD() __builtin_amdgcn_workitem_id_x()
#define BARRIER() __builtin_amdgcn_s_barrier()
#else
#include <cuda_runtime.h>
#include <stdio.h>
#define THREAD() threadIdx.x
#define BARRIER() __syncthreads()
#endif
extern __device__ int enzyme_dup;
template <typename... T> __device__ void __enzyme_autodiff(void *, T...);

extern __shared__ double tile[];
__device__ void mirror(const double *x, double *y) {
  tile[THREAD()] = x[THREAD()];
  BARRIER();
  y[THREAD()] = tile[31 - THREAD()] * tile[THREAD()];
}
__global__ void gradient(double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff((void *)mirror, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
// AMD: error: {{.*}}dynamic shared memory ('tile') has no shadow on this machine [RG2201]

#ifndef HIP
int main() {
  double x[32], dx[32] = {}, y[32], dy[32];
  for (int i = 0; i < 32; ++i)
    x[i] = i, dy[i] = 1;
  cudaFuncSetAttribute((void *)gradient, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10);
  gradient<<<1, 32, 120 << 10>>>(x, dx, y, dy);
  // SAYS: retrograd: a derivative in kernel '{{.*}}gradient{{.*}}' needs 245760 bytes of shared memory for a block, 2 times the 122880 that its launch asks for and 0 for its own variables, and there are 232448: launch it with less, or make these smaller [RG2201]
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  // SAYS-NEXT: invalid argument
  fflush(stdout);
  gradient<<<1, 32, 100 << 10>>>(x, dx, y, dy);
  printf("%s %g\n", cudaGetErrorString(cudaGetLastError()), dx[3]);
  // SAYS-NEXT: no error 56
  return 0;
}
#endif
