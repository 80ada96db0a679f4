// RUN: %rgcxx --offload=cpu -O2 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 %s -o %t && %t
// RUN: %t part 2>&1 | FileCheck %s
// CHECK: Assertion `a cuda::barrier is one of all threads of the block` failed.
// Tiles of more than a warp, and barriers in two halves: in primals, and in the gradient of a norm that both make.
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstring>
#include <cuda/barrier>
#include <cuda_runtime.h>
#include <utility>
namespace cg = cooperative_groups;
extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

template <unsigned Size> __global__ void tiles(int *out) {
  __shared__ cg::block_tile_memory<256> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<Size>(block);
  int at = block.thread_rank(), *mine = out + 6 * at;
  mine[0] = tile.thread_rank();
  mine[1] = tile.meta_group_rank() * 100 + tile.meta_group_size();
  mine[2] = cg::reduce(tile, at, cg::plus<int>());
  mine[3] = tile.shfl(at, 5);
  mine[4] = tile.any(at == 70) * 10 + tile.all(at < 128);
  tile.sync();
  mine[5] = tile.num_threads();
}
typedef cuda::barrier<cuda::thread_scope_block> Barrier;

// part[block] = the sum over the block, in two halves: threads do something between.
__global__ void norm(const double *x, double *part, int n) {
  __shared__ double sums[4];
  __shared__ Barrier barrier;
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  block.sync();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = i < n ? x[i] * x[i] : 0;
  for (int k = 16; k > 0; k /= 2)
    v += tile.shfl_down(v, k);
  if (tile.thread_rank() == 0)
    sums[tile.meta_group_rank()] = v;
  auto token = barrier.arrive();
  double scale = 1 + 0.5 * blockIdx.x;
  barrier.wait(std::move(token));
  if (threadIdx.x == 0)
    part[blockIdx.x] = scale * (sums[0] + sums[1] + sums[2] + sums[3]);
}
__global__ void copied(const int *from, int *to) {
  __shared__ int lines[128];
  __shared__ Barrier barrier;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  block.sync();
  cuda::memcpy_async(block, lines, from, cuda::aligned_size_t<4>(sizeof lines), barrier);
  barrier.arrive_and_wait();
  to[threadIdx.x] = lines[127 - threadIdx.x];
}
__global__ void part() {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0)
    init(&barrier, 32);
  __syncthreads();
  barrier.arrive_and_wait();
}

double f(const double *x, int n) {
  double *dx, *dp, p[2];
  cudaMalloc(&dx, n * sizeof(double));
  cudaMalloc(&dp, sizeof p);
  cudaMemcpy(dx, x, n * sizeof(double), cudaMemcpyHostToDevice);
  norm<<<2, 128>>>(dx, dp, n);
  cudaMemcpy(p, dp, sizeof p, cudaMemcpyDeviceToHost);
  cudaFree(dx), cudaFree(dp);
  return sqrt(p[0] + p[1]);
}

template <unsigned Size> static int check(int *out) {
  int wrong = 0;
  tiles<Size><<<1, 256>>>(out);
  cudaDeviceSynchronize();
  for (int t = 0; t < 256; ++t) {
    int first = t / Size * Size, sum = 0, *mine = out + 6 * t;
    for (unsigned i = 0; i < Size; ++i)
      sum += first + i;
    wrong += mine[0] != t - first || mine[1] != first / (int)Size * 100 + 256 / (int)Size || mine[2] != sum || mine[3] != first + 5;
    wrong += mine[4] != (first <= 70 && 70 < first + (int)Size) * 10 + (first + (int)Size <= 128) || mine[5] != Size;
  }
  if (wrong)
    std::printf("tiles of %u: %d wrong\n", Size, wrong);
  return wrong;
}
int main(int argc, char **argv) {
  int *out, wrong = 0;
  if (argc > 1 && !std::strcmp(argv[1], "part")) {
    part<<<1, 128>>>();
    return cudaDeviceSynchronize() != cudaErrorAssert;
  }
  cudaMallocManaged(&out, 256 * 6 * sizeof(int));
  wrong += check<64>(out) + check<128>(out) + check<256>(out);
  for (int i = 0; i < 128; ++i)
    out[i] = i * i;
  copied<<<1, 128>>>(out, out + 128);
  cudaDeviceSynchronize();
  for (int i = 0; i < 128; ++i)
    wrong += out[128 + i] != (127 - i) * (127 - i);
  const int n = 200;
  double x[n], g[n] = {};
  for (int i = 0; i < n; ++i)
    x[i] = 0.01 * i - 0.7;
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x, g, enzyme_const, n);
  double y = f(x, n);
  for (int i = 0; i < n; ++i)
    wrong += !(std::fabs(g[i] - (i < 128 ? 1 : 1.5) * x[i] / y) < 1e-12);
  if (wrong)
    std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
