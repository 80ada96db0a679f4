// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Loops that lanes run a different number of times, which data decides: left by a break in the middle, by one of
// several, by the end; not run at all; in branches, in each other, in iterations that run again.
#include "rgcuda.h"

// A ray that ends where little is left, or where its samples end; a sample that is skipped.
__device__ void rays(const double *__restrict__ x, double *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double through = 1, sum = 0;
  for (int k = i % 7; k < n; ++k) {
    double a = x[k] * 0.5;
    if (a < 0.35)
      continue;
    double left = through * (1 - a);
    if (left < 0.01)
      break;
    sum += a * through * x[(k + 1) % n];
    through = left;
  }
  y[i] = sum + through * through;
}

// Several ways out, at different places, of a loop in a branch; what is behind it depends on the way.
__device__ void doors(const double *__restrict__ x, double *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double p = x[i % n], q = 0.3;
  if (i % 3) {
    int k = 0;
    for (;; ++k) {
      p = sin(p) * 1.1 + x[(i + k) % n] * 0.2;
      if (p < 0.4)
        break;
      q += p * x[k % n];
      if (q > 5)
        break;
      p = p * q * 0.4;
      if (k > 3 * (i % 5)) {
        q = q * p;
        break;
      }
    }
    if (k % 2)
      q *= p;
  }
  y[i] = q + p;
}

// The inner loop's length is read from what the outer has computed; the outer one ends by what the inner has.
__device__ void inside(const double *__restrict__ x, double *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double p = x[i % n];
  for (int k = 0; k < 12; ++k) {
    int steps = int(p * 4) % 5;
    for (int j = 0; j < steps; ++j)
      p = p * 0.8 + x[(i + j + k) % n] * sin(p);
    if (p > 1.9)
      break;
    p += 0.1 * x[k % n];
  }
  y[i] = p;
}

// Newton's steps until it is near enough.
__device__ void near(const double *__restrict__ x, double *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double a = x[i % n] * (1 + i), r = 1;
  while (fabs(r * r - a) > 1e-3 * a)
    r = 0.5 * (r + a / r) + 1e-5 * x[(i + 1) % n];
  y[i] = r;
}

// All lanes read the same rows of a tile, up to where each ends.
__device__ void tiles(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[32][4];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float through = 1, sum = 0;
  bool done = false;
  for (int base = 0; base < n; base += 32) {
    int count = min(32, n - base);
    __syncthreads();
    if (t < count)
      for (int k = 0; k < 4; ++k)
        tile[t][k] = x[(base + t + 5 * k) % n];
    __syncthreads();
    for (int j = 0; j < count && !done; ++j) {
      if ((3 * j + i) % 4 == 0)
        continue;
      float a = tile[j][0] * tile[j][1] * 0.06f * (1 + i % 4), left = through * (1 - a);
      if (base + j > 20 + 7 * i % 60) {
        done = true;
        break;
      }
      sum += a * through * (tile[j][2] + tile[j][3]);
      through = left;
    }
  }
  y[i] = sum + through;
}

// More numbers of a row than go at once, doubles, an odd number of them; lanes that skip the loop.
__device__ void rows(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double tile[32][19];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  double through = 1, sum = 0;
  for (int base = 0; base < n; base += 32) {
    int count = min(32, n - base);
    __syncthreads();
    if (t < count)
      for (int k = 0; k < 19; ++k)
        tile[t][k] = x[(base + t + 5 * k) % n];
    __syncthreads();
    if ((i + base / 32) % 5)
      for (int j = 0; j < count; ++j) {
        double a = tile[j][0] * 0.06 * (1 + i % 4), left = through * (1 - a);
        if (tile[j][0] * (j + i % 7) > 11)
          break;
        double s = 0;
#pragma unroll
        for (int k = 1; k < 19; ++k)
          s += tile[j][k] * (k + i % 3);
        sum += a * through * s;
        through = left;
      }
  }
  y[i] = sum + through;
}

int main() {
  int Bad = 0;
  for (int Threads : {32, 64, 40}) {
    Bad |= rg::checkKernel<double, rays>("rays", 50, 3 * Threads, 3, Threads);
    Bad |= rg::checkKernel<double, doors>("doors", 50, 3 * Threads, 3, Threads);
    Bad |= rg::checkKernel<double, inside>("inside", 50, 3 * Threads, 3, Threads);
    Bad |= rg::checkKernel<double, near>("near enough", 50, 3 * Threads, 3, Threads);
    Bad |= rg::checkKernel<float, tiles>("tiles", 90, 3 * Threads, 3, Threads);
  }
  for (int Threads : {32, 37, 63})
    Bad |= rg::checkKernel<double, rows>("rows", 90, 3 * Threads, 3, Threads);
  return Bad;
}
