// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Shared arrays that a loop fills again and again: what the reverse sweep may fill again,
// and what it must not, since older contents are read. Additions to one shared place by
// whole warps, parts of them, and lanes in a pattern.
#include "rgcuda.h"

// A tile per step, read by all threads; whole warps read one place.
template <typename T> __device__ void product(const T *__restrict__ x, T *__restrict__ y, int n) {
  __shared__ T a[8][8], b[8][8];
  int c = threadIdx.x, r = threadIdx.y, size = n / 32;
  const T *left = x, *right = x + size * size;
  int row = blockIdx.x / 2 * 8 + r, column = blockIdx.x % 2 * 8 + c;
  T sum = 0;
#pragma unroll 1
  for (int step = 0; step < size; step += 8) {
    a[r][c] = left[row * size + step + c] * left[row * size + step + c];
    b[r][c] = right[(step + r) * size + column];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 8; ++k)
      sum += a[r][k] * b[k][c];
    __syncthreads();
  }
  y[row * size + column] = sum;
}

// Scores and a running sum: the inner loop carries a value, the tile is read twice.
__device__ void running(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double tile[32];
  int t = threadIdx.x;
  double total = x[t], most = 0;
  for (int first = 0; first < n; first += 32) {
    __syncthreads();
    tile[t] = x[first + t] * 0.5;
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < 32; ++j) {
      double score = tile[j] * x[t];
      most = fmax(most, score);
      total = total * exp(-0.1 * score) + tile[(j + t) % 32] * most;
    }
  }
  y[t] = total;
}

// Fewer threads write in each step, and all read: old contents count. Then more.
template <int Grows> __device__ void partlyFilled(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double tile[32];
  int t = threadIdx.x;
  double sum = 0;
  tile[t] = x[t];
#pragma unroll 1
  for (int k = 0; k < n / 32; ++k) {
    int count = Grows ? 8 * (k + 1) : 32 - 8 * k;
    __syncthreads();
    if (t < count)
      tile[t] = x[32 * k + t] * x[t];
    __syncthreads();
    sum += tile[31 - t] * tile[(t + k) % 32];
  }
  y[t] = sum;
}

// Another place in each step.
__device__ void moving(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double ring[128];
  int t = threadIdx.x;
  double sum = 0;
#pragma unroll 1
  for (int k = 0; k < n / 32; ++k) {
    __syncthreads();
    ring[32 * k + t] = x[32 * k + t] * x[t];
    __syncthreads();
    int back = k ? k - 1 : 0;
    sum += ring[32 * back + 31 - t] * ring[32 * k + t];
  }
  y[t] = sum;
}

// Written twice in one step, with a barrier between.
__device__ void twice(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double tile[32];
  int t = threadIdx.x;
  double sum = 0;
#pragma unroll 1
  for (int k = 0; k < n / 32; ++k) {
    tile[t] = x[32 * k + t] * x[t];
    __syncthreads();
    double left = tile[(t + 1) % 32];
    __syncthreads();
    tile[31 - t] = left * left;
    __syncthreads();
    sum += tile[(t + 5) % 32] * left;
    __syncthreads();
  }
  y[t] = sum;
}

// 5 x 5 threads, and lanes that leave out some: groups of lanes read one place.
__device__ void groups(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double tile[5][5];
  int i = threadIdx.x, j = threadIdx.y, at = blockIdx.x * 25 + j * 5 + i;
  double sum = 0;
  tile[j][i] = x[at] * x[at];
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < 5; ++k)
    sum += x[at] * tile[j][k] + tile[k][i];
  if ((i + j) % 3)
    sum *= tile[2][j] + tile[i][2];
  y[at] = sum;
}

// One warp, whose groups of lanes read eight places each: apart from each other's, the same
// by other steps, some of the same, and one place twice. Rows longer than 124 bytes.
template <typename T, int Lanes, int Step, int Row = 1> __device__ void eight(const T *x, T *y, int n) {
  __shared__ T tile[512];
  int t = threadIdx.x, g = t / Lanes * Step;
  for (int k = 0; k < 16; ++k)
    tile[n * k + t] = x[t] * x[(t + k) % n];
  __syncthreads();
  T sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    sum += tile[g + Row * k + 1] * tile[g + Row * k + 1] * T(k + 1);
  __syncthreads();
  y[t] = sum + tile[g] * tile[g + 2] + tile[g + 300];
}
// Steps down: the parts of the addresses that vary are negative for some.
__device__ void down(const float *x, float *y, int n) {
  __shared__ float tile[64];
  int t = threadIdx.x, g = (1 - t / 8) * 2;
  tile[t] = x[t];
  tile[t + 32] = x[t] * x[t];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    sum += tile[g + k + 8] * tile[g + k + 9];
  y[t] = sum;
}

// A small array per iteration, read before the iteration may be left: the reverse sweep
// does not enter such an iteration at its end.
__device__ void leavesEarly(const double *__restrict__ x, double *__restrict__ y, int n) {
  int t = threadIdx.x;
  double sum = 1;
#pragma unroll 1
  for (int k = 0; k < n / 32; ++k)
#pragma unroll 1
    for (int j = 0;; ++j) {
      double a[3] = {x[32 * k + t] * (j + 1), x[t], x[32 * k + t] * x[t]};
      sum = sum * a[(t + j) % 3] + 1;
      if (j >= (t + k) % 3)
        break;
      sum = sum * 0.5 * a[(t + 2 * j + 1) % 3];
    }
  y[t] = sum;
}

int main() {
  int Bad = rg::checkKernel<double, product<double>>("product", 512, 256, 4, dim3(8, 8));
  Bad |= rg::checkKernel<float, product<float>>("product of floats", 512, 256, 4, dim3(8, 8));
  Bad |= rg::checkKernel<double, running>("running", 128, 32, 1, 32);
  Bad |= rg::checkKernel<double, partlyFilled<0>>("fewer and fewer", 128, 32, 1, 32);
  Bad |= rg::checkKernel<double, partlyFilled<1>>("more and more", 128, 32, 1, 32);
  Bad |= rg::checkKernel<double, moving>("moving", 128, 32, 1, 32);
  Bad |= rg::checkKernel<double, twice>("twice", 128, 32, 1, 32);
  Bad |= rg::checkKernel<double, groups>("groups", 75, 75, 3, dim3(5, 5));
  Bad |= rg::checkKernel<float, eight<float, 4, 9>>("eight apart", 32, 32, 1, 32);
  Bad |= rg::checkKernel<float, eight<float, 8, 1>>("eight, the next one's", 32, 32, 1, 32);
  Bad |= rg::checkKernel<double, eight<double, 8, 3>>("eight, of others", 32, 32, 1, 32);
  Bad |= rg::checkKernel<double, eight<double, 5, 20, 2>>("eight of a row", 25, 25, 1, 25);
  Bad |= rg::checkKernel<float, eight<float, 8, 40, 20>>("eight rows", 32, 32, 1, 32);
  Bad |= rg::checkKernel<float, eight<float, 8, 31, 31>>("eight rows, of others", 32, 32, 1, 32);
  Bad |= rg::checkKernel<float, eight<float, 2, 4>>("many groups", 32, 32, 1, 32);
  Bad |= rg::checkKernel<float, down>("downwards", 32, 32, 1, 32);
  Bad |= rg::checkKernel<double, leavesEarly>("left early", 128, 32, 1, 32);
  return Bad;
}
