// Programs define letters (-DN=1024). Our headers of CUDA have none of their own.
// RUN: %rgcxx --offload=cpu -O1 -w -fsyntax-only %s -DA=7 -DB=7 -DC=7 -DD=7 -DE=7 -DF=7 -DG=7 -DH=7 -DI=7 -DJ=7 -DK=7 -DL=7 -DM=7 -DN=7 -DO=7 -DP=7 -DQ=7 -DR=7 -DS=7 -DT=7 -DU=7 -DV=7 -DW=7 -DX=7 -DY=7 -DZ=7
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/cub.cuh>
#include <cuComplex.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <hip/hip_runtime.h>
#include <math_functions.h>
#include <thrust/device_vector.h>

__global__ void kernel(float *x, float *y) {
  auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 a = make_float4(x[i], N, 2, 3);
  y[i] = a.x * a.y + cooperative_groups::reduce(warp, x[i], cooperative_groups::plus<float>()) + __half2float(__float2half(x[i]));
}
int main() { kernel<<<1, 32>>>(nullptr, nullptr); }
