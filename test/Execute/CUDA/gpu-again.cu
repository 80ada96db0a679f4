// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -I%root/test/include -I%root/include -mllvm -rg-gpu-stack=64 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-disable=gpu-again %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-disable=waits-that-end %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-print-plan %s -o %t 2>&1 | FileCheck %s
// Loops that run in both sweeps, and whose number of iterations is known in front (tiles, with
// barriers within), or when the first run is over.
#include "rgcuda.h"

// A running state over tiles: the count of a loop with barriers.
// CHECK-LABEL: plan for rg.primal._Z5tiles
// CHECK: loop {{.*}} runs again in the reverse sweep
// CHECK-NOT: records of {{.*}}count of
__device__ void tiles(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double tile[32];
  int t = threadIdx.x;
  double total = x[t], sum = 0;
  for (int first = 0; first < n; first += 32) {
    __syncthreads();
    tile[t] = x[first + t] * 0.5;
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < 32; ++j) {
      total = total * exp(-0.1 * tile[j] * x[t]) + tile[(j + t) % 32];
      sum = sum * 0.5 + total * total;
    }
  }
  y[t] = total + sum;
}

// Rounds of a grid that have nothing to do with each other: only one round is kept at a time,
// and nothing of where it starts.
// CHECK-LABEL: plan for rg.primal._Z6rounds
// CHECK: loop %[[R:.*]] runs again in the reverse sweep
// CHECK: scope %[[R]]: {{.*}} bytes of one iteration
__device__ void rounds(const double *__restrict__ x, double *__restrict__ y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    double v = x[i];
#pragma unroll 1
    for (int k = 0; k < n % 7 + 3; ++k)
      v = v * v * 0.5 + x[(i + k) % n];
    y[n - 1 - i] = v; // nobody sees that each round has a place of its own
  }
}

// A step that grows, and what is handed on: from 1 to n by doubling.
// CHECK-LABEL: plan for rg.primal._Z8doubling
// CHECK: loop {{.*}} runs again in the reverse sweep
// CHECK: i64 count of
__device__ void doubling(const double *__restrict__ x, double *__restrict__ y, int n) {
  int t = threadIdx.x;
  double v = x[t], w = 1;
  float f = 1;
  for (int step = 1; step < n; step *= 2) {
#pragma unroll 1
    for (int k = 0; k < step % 5 + 2; ++k) {
      v = sin(v) + x[(t + k * step) % n];
      w = w * 0.5 + v * v;
    }
    f = f * 1.5f;
  }
  y[t] = v * w * f;
}

// Each thread as often as its data say, at least once.
// CHECK-LABEL: plan for rg.primal._Z9converges
// CHECK: loop {{.*}} runs again in the reverse sweep
__device__ void converges(const double *__restrict__ x, double *__restrict__ y, int n) {
  int t = threadIdx.x;
  double v = x[t], w = 8 * x[t];
  do {
    double s = 0;
#pragma unroll 1
    for (int k = 0; k < 4; ++k)
      s = sin(s) * v + w * x[(t + k) % n];
    v = 0.5 * v + 0.1 * s;
    w = w * 0.5;
  } while (w > 0.3);
  y[t] = v;
}

// Never, once, or often, within a branch.
__device__ void perhaps(const double *__restrict__ x, double *__restrict__ y, int n) {
  int t = threadIdx.x;
  double v = x[t];
  if (t % 3)
    for (int i = t; i < n; i += i + 1)
#pragma unroll 1
      for (int k = 0; k < i % 4; ++k)
        v = cos(v) * x[(i + k) % n];
  y[t] = v;
}

int main() {
  int Bad = rg::checkKernel<double, tiles>("tiles", 128, 32, 1, 32);
  Bad |= rg::checkKernel<double, rounds>("rounds", 100, 100, 2, 16);
  Bad |= rg::checkKernel<double, doubling>("doubling", 64, 32, 1, 32);
  Bad |= rg::checkKernel<double, converges>("converges", 64, 32, 1, 32);
  Bad |= rg::checkKernel<double, perhaps>("perhaps", 64, 32, 1, 32);
  return Bad;
}
