// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// Shuffles of every kind, in full warps, segments and parts of a warp; votes; sums
// over warps; atomics.
#include "rgcuda.h"

__device__ void shuffles(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  double a = x[i], s = a;
  s += 0.5 * __shfl_up_sync(0xffffffffu, a, 3) * a;
  s += 0.3 * __shfl_down_sync(0xffffffffu, a * a, 5);
  s += __shfl_xor_sync(0xffffffffu, s, 9) * 0.1;
  s += __shfl_sync(0xffffffffu, sin(a), (t * 7) % 32);
  s += __shfl_sync(0xffffffffu, a, 4) * a;
  s += __shfl_up_sync(0xffffffffu, s, 2, 8);
  s += __shfl_down_sync(0xffffffffu, s, 1, 16) * 0.2;
  s += __shfl_sync(0xffffffffu, a, 1, 4);
  y[i] = s;
}

__device__ void shufflesf(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  float a = x[i], s = a;
  s += 0.5f * __shfl_up_sync(0xffffffffu, a, 3) * a;
  s += 0.3f * __shfl_down_sync(0xffffffffu, a * a, 5);
  s += __shfl_xor_sync(0xffffffffu, s, 9) * 0.1f;
  s += __shfl_sync(0xffffffffu, a, (t * 7) % 32);
  y[i] = s;
}

// Half a warp.
__device__ void parts(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x % 32;
  double a = x[i] * x[i], s = 0;
  if (t < 16)
    s = __shfl_down_sync(0x0000ffffu, a, 2, 16) * a;
  else
    s = __shfl_xor_sync(0xffff0000u, a, 1) + a;
  y[i] = s;
}

__device__ void warpSum(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double a = i < n ? x[i] * sin(x[i]) : 0;
  for (int d = 16; d > 0; d /= 2)
    a += __shfl_down_sync(0xffffffffu, a, d);
  if (threadIdx.x % 32 == 0)
    y[i / 32] = a * a;
}

__device__ void votes(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Big = __ballot_sync(0xffffffffu, x[i] > 1);
  int Count = __popc(Big);
  double s = __any_sync(0xffffffffu, x[i] > 1.4) ? x[i] * x[i] : x[i];
  __syncwarp();
  y[i] = s * Count;
}

__device__ void atomics(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  atomicAdd(&y[i % 5], x[i] * x[i]);
  __dAtomicAdd_system(&y[5], sin(x[i])); // NVVM's intrinsic
}

__device__ void sharedAtomics(const double *x, double *y, int n) {
  __shared__ double bins[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  if (t < 8)
    bins[t] = 0;
  __syncthreads();
  __dAtomicAdd_block(&bins[(t * t) % 8], x[i] * x[i]);
  __syncthreads();
  y[i] = bins[t % 8] * x[i];
}

__device__ void counted(const double *x, double *y, int n) {
  __shared__ double s[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  s[t] = x[i];
  int Big = __syncthreads_count(x[i] > 1);
  y[i] = s[63 - t] * Big;
}

int main() {
  int Bad = rg::checkKernel<double, shuffles>("shuffles", 128, 128, 2, 64);
  Bad |= rg::checkKernel<float, shufflesf>("float shuffles", 128, 128, 2, 64);
  Bad |= rg::checkKernel<double, parts>("parts of a warp", 128, 128, 2, 64);
  Bad |= rg::checkKernel<double, warpSum>("sum of a warp", 120, 4, 2, 64);
  Bad |= rg::checkKernel<double, votes>("votes", 128, 128, 2, 64);
  Bad |= rg::checkKernel<double, atomics>("atomics", 100, 6, 2, 64);
  Bad |= rg::checkKernel<double, sharedAtomics>("shared atomics", 128, 128, 2, 64);
  Bad |= rg::checkKernel<double, counted>("counting barrier", 128, 128, 2, 64);
  return Bad;
}
