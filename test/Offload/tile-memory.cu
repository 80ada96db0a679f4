// RUN: %rgcxx --offload=cpu -O0 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 %s -o %t && %t
// A block that is given memory for large tiles, and is divided into tiles of a warp.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <stdio.h>
namespace cg = cooperative_groups;
template <typename R, typename... A> __device__ R __enzyme_autodiff(void *, A...);
int __device__ enzyme_dup, enzyme_const;

__device__ void norms(const double *x, double *y) {
  __shared__ cg::block_tile_memory<64> memory;
  cg::thread_block block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<32>(block);
  double v = x[block.thread_rank()];
  double sum = cg::reduce(tile, v * v, cg::plus<double>());
  if (tile.thread_rank() == 0)
    y[tile.meta_group_rank()] = sum;
}
__global__ void gradient(double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff<void>((void *)norms, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
int main() {
  double *x, *dx, *y, *dy;
  cudaMallocManaged(&x, 64 * 8);
  cudaMallocManaged(&dx, 64 * 8);
  cudaMallocManaged(&y, 2 * 8);
  cudaMallocManaged(&dy, 2 * 8);
  for (int i = 0; i < 64; ++i) {
    x[i] = i - 20;
    dx[i] = 0;
  }
  dy[0] = 1;
  dy[1] = 10;
  gradient<<<1, 64>>>(x, dx, y, dy);
  cudaDeviceSynchronize();
  int bad = 0;
  for (int i = 0; i < 64; ++i)
    bad += dx[i] != 2 * x[i] * (i < 32 ? 1 : 10);
  printf("%d wrong\n", bad);
  return bad != 0;
}
