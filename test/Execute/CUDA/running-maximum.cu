// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-disable=last-extremum %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-disable=invariant-shifts %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-print-plan -c %s -o %t.o 2>&1 | FileCheck %s
// What is taken off in front of exponentials, and on what nothing depends: the largest number of a warp's row; the
// largest so far, of a lane, of a tile after the other. And the like on which something does depend.
#include "rgcuda.h"

__device__ double warpSum(double x) {
  for (int d = 16; d; d /= 2)
    x += __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}
__device__ double warpMax(double x) {
  for (int d = 16; d; d /= 2)
    x = fmax(x, __shfl_xor_sync(0xffffffffu, x, d));
  return x;
}

// A row for each warp, rows by strides of the grid.
// CHECK-LABEL: plan for rg.primal.{{.*}}softmax
// CHECK-NOT: last choice of
__device__ void softmax(const double *__restrict__ x, double *__restrict__ y, int n) {
  int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32, c = n / 5;
  for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < 5; row += warps) {
    const double *mine = x + row * c;
    double most = -INFINITY, sum = 0;
    for (int i = lane; i < c; i += 32)
      most = fmax(most, mine[i]);
    most = warpMax(most);
    for (int i = lane; i < c; i += 32)
      sum += exp(mine[i] - most);
    sum = warpSum(sum);
    for (int i = lane; i < c; i += 32)
      y[row * c + i] = exp(mine[i] - most) / sum;
  }
}

// CHECK-LABEL: plan for rg.primal.{{.*}}online
// CHECK: last of all:
// CHECK-NOT: records of
__device__ void online(const double *__restrict__ x, double *__restrict__ y, int n) {
  int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, c = n / 5;
  if (row >= 5)
    return;
  const double *mine = x + row * c;
  double most = -1e30, sum = 0;
  for (int i = lane; i < c; i += 32) {
    double grown = fmax(most, mine[i]);
    sum = sum * exp(most - grown) + exp(mine[i] - grown);
    most = grown;
  }
  double top = warpMax(most);
  sum = warpSum(sum * exp(most - top));
  for (int i = lane; i < c; i += 32)
    y[row * c + i] = exp(mine[i] - top) / sum;
}

// A thread's rows, one after the other: a maximum of one row is none of the next. By powers of two, and the logarithm.
// CHECK-LABEL: plan for rg.primal.{{.*}}rows
// CHECK: last of all:
__device__ void rows(const double *__restrict__ x, double *__restrict__ y, int n) {
  int threads = gridDim.x * blockDim.x;
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < n / 6; row += threads) {
    double most = -1e300, sum = 0, of = 0;
    for (int i = 0; i < 6; ++i) {
      double a = x[6 * row + i] * x[(6 * row + i + 7) % n], grown = fmax(a, most);
      double old = exp2((most - grown) * 3.0), now = exp2(3.0 * (a - grown));
      sum = now + old * sum;
      of = of * old + now * x[(row + i) % n];
      most = grown;
    }
    y[row] = of / sum + (log2(sum) + 3.0 * most);
  }
}

// The smallest so far, which begins with a number that counts.
// CHECK-LABEL: plan for rg.primal.{{.*}}smallest
__device__ void smallest(const double *__restrict__ x, double *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double least = x[i % n], sum = 1;
  for (int k = 1; k < 9; ++k) {
    double a = x[(i + 3 * k) % n], now = fmin(least, a);
    sum = sum * exp(now - least) + exp(now - a);
    least = now;
  }
  y[i] = log(sum) - least;
}

// As attention does: tiles of keys in shared memory, a query for each thread.
// CHECK-LABEL: plan for rg.primal.{{.*}}tiles
// CHECK: last of all:
__device__ void tiles(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double tile[16][4];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  double mine[2] = {x[i % n], x[(i + 1) % n]}, sum[2] = {0, 0}, most = -1e30, total = 0;
  for (int base = 0; base < 64; base += 16) {
    __syncthreads();
    for (int k = t; k < 64; k += blockDim.x)
      tile[k / 4][k % 4] = x[(base * 4 + k) % n];
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < 16; ++j) {
      double score = 3 * (mine[0] * tile[j][0] + mine[1] * tile[j][1]);
      double grown = fmax(most, score), old = exp(most - grown), now = exp(score - grown);
      total = total * old + now;
      sum[0] = sum[0] * old + now * tile[j][2];
      sum[1] = sum[1] * old + now * tile[j][3];
      most = grown;
    }
  }
  y[i] = sum[0] / total - 0.5 * sum[1] / total;
}

// The maximum counts: it is a result itself; what was rescaled is asked for on the way; a branch depends on it.
// CHECK-LABEL: plan for rg.primal.{{.*}}counts
// CHECK-NOT: last of all:
__device__ void counts(const double *__restrict__ x, double *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double most = -1e30, sum = 0;
  for (int k = 0; k < 7; ++k) {
    double a = x[(i + 3 * k) % n], grown = fmax(most, a);
    sum = sum * exp(most - grown) + exp(a - grown);
    most = grown;
  }
  y[i] = sum + most;
}
// CHECK-LABEL: plan for rg.primal.{{.*}}onTheWay
__device__ void onTheWay(const double *__restrict__ x, double *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double most = -1e30, sum = 0, of = 0, shares = 0;
  for (int k = 0; k < 7; ++k) {
    double a = x[(i + 3 * k) % n], grown = fmax(most, a);
    double old = exp(most - grown), now = exp(a - grown);
    sum = sum * old + now;
    of = of * old + (a > most ? now * x[(i + k) % n] : 0.5 * now);
    shares += a * now / sum;
    most = grown;
  }
  y[i] = shares + of / sum;
}

int main() {
  int Bad = 0;
  for (int Threads : {32, 64, 96}) {
    Bad |= rg::checkKernel<double, softmax>("softmax", 5 * 41, 5 * 41, 2, Threads);
    Bad |= rg::checkKernel<double, online>("running maximum", 5 * 71, 5 * 71, 5, Threads);
    Bad |= rg::checkKernel<double, rows>("rows", 6 * 50, 50, 1, Threads / 2);
    Bad |= rg::checkKernel<double, smallest>("running minimum", 50, 2 * Threads, 2, Threads);
    Bad |= rg::checkKernel<double, tiles>("tiles", 256, 2 * Threads, 2, Threads);
    Bad |= rg::checkKernel<double, counts>("a maximum that counts", 50, 2 * Threads, 2, Threads);
    Bad |= rg::checkKernel<double, onTheWay>("shares on the way", 50, 2 * Threads, 2, Threads);
  }
  return Bad;
}
