// RUN: not %rgcxx -O2 --offload=cpu -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O0 --offload=cpu -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx --offload=cpu -fgpu-rdc -S %s -o %t.s 2>&1 | FileCheck --check-prefix=RDC %s
// RUN: not %rgcxx --offload=cpu -DAPI -c %s -o %t.o 2>&1 | FileCheck --check-prefix=API %s
// RUN: not %rgcxx --offload=cpu -DCUDNN -c %s -o %t.o 2>&1 | FileCheck --check-prefix=CUDNN %s
// What cannot run on a CPU is told with its name, at its line.
#include <cuda.h>
#include <cuda_runtime.h>
#ifdef CUDNN
// CUDNN: error: "cuDNN is not part of --offload=cpu
#include <cudnn.h>
#endif

__device__ int climbs(int *X, int N) {
  __syncthreads();
  // CHECK-DAG: offload.cu:[[@LINE+1]]:{{[0-9]+}}: error: 'climbs' calls itself and contains a barrier or an operation of a warp [RG2603]
  return N ? climbs(X, N - 1) + X[N] : 0;
}
__global__ void recursion(int *X) { X[0] = climbs(X, X[1]); }

__device__ void waits(int *X) {
  X[threadIdx.x] = 1;
  // CHECK-DAG: offload.cu:[[@LINE+1]]:{{[0-9]+}}: error: 'waits' contains a barrier or an operation of a warp and is called through a pointer [RG2604]
  __syncthreads();
}
__device__ void (*Table[])(int *) = {waits};
__global__ void pointer(int *X) { Table[X[0]](X); }

__device__ float elsewhere(float);
__global__ void undefined(float *X) {
  // CHECK-DAG: offload.cu:[[@LINE+1]]:{{[0-9]+}}: error: device code must be defined in the file that uses it, and 'elsewhere' is not [RG1601]
  X[0] = elsewhere(X[1]);
}
__global__ void assembly(unsigned *X) {
  X[1] = __funnelshift_l(X[2], X[3], 5); // assembly that is understood
  // CHECK-DAG: offload.cu:[[@LINE+1]]:{{[0-9]+}}: error: PTX assembly cannot run on a CPU: 'fence.proxy.async;' [RG2602]
  asm volatile("fence.proxy.async;");
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(X[0]));
}
__global__ void processor(unsigned *X) {
  // CHECK-DAG: offload.cu:[[@LINE+1]]:{{[0-9]+}}: error: device intrinsic 'llvm.nvvm.read.ptx.sreg.smid' has no counterpart on a CPU [RG2601]
  asm volatile("mov.u32 %0, %%smid;" : "=r"(X[0]));
}
__global__ void named(int *X) {
  // CHECK-DAG: offload.cu:[[@LINE+1]]:{{[0-9]+}}: error: device intrinsic 'llvm.nvvm.barrier.cta.sync.count' has no counterpart on a CPU [RG2601]
  __nvvm_barrier_sync_cnt(1, 64);
  X[0] = 1;
}
__global__ void stack(int *X) {
  // CHECK-DAG: offload.cu:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'stack' takes stack memory whose size is known only at run time [RG2605]
  int *Row = (int *)__builtin_alloca(X[0]);
  for (int I = 0; I < X[1]; ++I)
    Row[I] = X[I];
  X[0] = Row[X[2]];
}
#ifdef API
// API: offload.cu:[[@LINE+1]]:{{[0-9]+}}: error: 'CUdevice' is unavailable: CUdevice is of the driver interface
CUdevice Device;
// API: offload.cu:[[@LINE+1]]:{{[0-9]+}}: error: 'cudaSurfaceObject_t' is unavailable: surface memory is not part of --offload=cpu
__global__ void surface(cudaSurfaceObject_t S, float *X) {}
// API: offload.cu:[[@LINE+1]]:{{[0-9]+}}: error: 'tex2DGrad<float, {{.*}}>' is unavailable: fetches with gradients
__global__ void sloped(cudaTextureObject_t T, float *X, float2 D) { *X = tex2DGrad<float>(T, 0.0f, 0.0f, D, D); }
#endif
// RDC: error: the code of a file is made when the program is linked, with -fgpu-rdc
