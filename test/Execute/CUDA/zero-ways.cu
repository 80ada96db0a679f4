// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-print-after=zero-ways %s -o %t 2>&1 | FileCheck %s
// RUN: %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-disable=zero-ways %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Iterations that are skipped behind much arithmetic, at one of several conditions, and rays that end: their way back leads
// past the arithmetic.
#include "rgcuda.h"

// CHECK: define {{.*}}seen
__device__ void seen(const double *__restrict__ x, double *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double at = 0.03 * (i % 32), sum = 0, through = 1;
  for (int k = 0; k + 4 < n; ++k) {
    double a = x[k] - at, b = x[k + 1] - at;
    double power = x[k + 2] * a * a - a * b * b + x[k + 3] * b;
    if (power > 0.6)
      continue;
    double alpha = 0.4 * exp(power - 1);
    if (alpha < 0.15)
      continue;
    double left = through * (1 - alpha);
    if (left < 1e-3)
      break;
    sum += alpha * through * x[k + 4];
    through = left;
  }
  y[i] = sum + through;
}

// An infinite slope in front of a condition that skips it passes nothing on.
__device__ void steep(const double *__restrict__ x, double *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    double a = x[k] * (1 + i % 3), b = sqrt(a * a * 0.25) + a * a - a * x[(k + 1) % n];
    if (b < 0.2)
      continue;
    sum += log(b) * x[(k + 2) % n];
  }
  y[i] = sum;
}

int main() {
  int Bad = 0;
  for (int Threads : {32, 64, 40}) {
    Bad |= rg::checkKernel<double, seen>("seen", 50, 3 * Threads, 3, Threads);
    Bad |= rg::checkKernel<double, steep>("steep", 50, 3 * Threads, 3, Threads);
  }
  return Bad;
}
