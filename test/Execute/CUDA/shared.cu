// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Shared memory and barriers: each of the four orders of a store and a load around a
// barrier, loops with barriers, uniform branches, several arrays.
#include "rgcuda.h"

// store, barrier, load
__device__ void neighbours(const double *x, double *y, int n) {
  __shared__ double s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = i < n ? x[i] * x[i] : 0;
  __syncthreads();
  if (i < n)
    y[i] = s[(t + 1) % 64] * s[(t + 63) % 64] + s[t];
}

// load, barrier, store; store, barrier, store
__device__ void rotate(const double *x, double *y, int n) {
  __shared__ double s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = sin(x[i]);
  __syncthreads();
  for (int k = 0; k < 5; ++k) {
    double left = s[(t + 63) % 64];
    __syncthreads();
    s[t] = s[t] * left + 0.25 * x[i];
    __syncthreads();
  }
  if (t == 0)
    s[5] = x[i] * 3;
  __syncthreads();
  y[i] = s[63 - t];
}

// A tree: half of the threads in each step.
__device__ void tree(const double *x, double *y, int n) {
  __shared__ double s[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  s[t] = i < n ? exp(0.1 * x[i]) : 0;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (t < step)
      s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0)
    y[blockIdx.x] = s[0] * s[0];
}

// A branch that all threads of a block take alike.
__device__ void uniformBranch(const double *x, double *y, int n) {
  __shared__ double a[32], b[32];
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  a[t] = x[i];
  __syncthreads();
  if (blockIdx.x % 2) {
    b[t] = a[31 - t] * a[t];
    __syncthreads();
    a[t] = b[(t + 7) % 32] + 1;
    __syncthreads();
  }
  y[i] = a[(t + 1) % 32] * x[i];
}

// One address for all threads of the block.
__device__ void broadcast(const double *x, double *y, int n) {
  __shared__ double s;
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (t == 0)
    s = x[blockIdx.x * 64] * 2;
  __syncthreads();
  y[i] = s * s * x[i];
}

int main() {
  int Bad = rg::checkKernel<double, neighbours>("neighbours", 200, 200, 4, 64);
  Bad |= rg::checkKernel<double, rotate>("rotate", 256, 256, 4, 64);
  Bad |= rg::checkKernel<double, tree>("tree", 500, 4, 4, 128);
  Bad |= rg::checkKernel<double, uniformBranch>("uniform branch", 128, 128, 4, 32);
  Bad |= rg::checkKernel<double, broadcast>("broadcast", 192, 192, 3, 64);
  return Bad;
}
