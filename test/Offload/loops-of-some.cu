// RUN: %rgcxx --offload=cpu -O0 -ffp-contract=off %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -ffp-contract=off %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -ffp-contract=off -mllvm -rg-gpu-interleave %s -o %t && %t
// A loop that all threads run equally often, within a branch that some take, within another loop: threads come to it in
// different iterations of the outer loop. Each kernel is compared with the same code on the host.
#include <cmath>
#include <cstdio>
#include <cstring>

// The nearest four, of which the worst is replaced and looked for again.
__host__ __device__ inline void nearest(const float *x, float *y, int i, int n, int few) {
  float *keys = y + i * few, worst = 100;
  int at = few - 1;
  for (int j = 0; j < few; ++j)
    keys[j] = 100;
  for (int k = 0; k < n; ++k) {
    float d = (x[i] - x[k]) * (x[i] - x[k]);
    if (d < worst) {
      keys[at] = d;
      worst = d;
      for (int j = 0; j < few; ++j)
        if (keys[j] > worst) {
          worst = keys[j];
          at = j;
        }
    }
  }
}
// The branch is a continue, and what the loop does depends on the counter around it.
__host__ __device__ inline void passed(const float *x, float *y, int i, int n, int few) {
  for (int j = 0; j < few; ++j)
    y[i * few + j] = 0;
  for (int k = 0; k < n; ++k) {
    if (x[(i + k) % n] < 0.5f)
      continue;
    for (int j = 0; j < few; ++j)
      y[i * few + j] = 0.5f * y[i * few + j] + x[k] * (j + 1);
  }
}
// Two loops deep, behind a condition that all threads have in common.
__host__ __device__ inline void deep(const float *x, float *y, int i, int n, int few) {
  for (int j = 0; j < few; ++j)
    y[i * few + j] = 1;
  for (int k = 0; k < n / 2; ++k)
    for (int l = 0; l < 2; ++l)
      if (few > 2 && (k + l) % 3 != 0)
        if ((i * 7 + k) % 5 < 2)
          for (int j = 0; j < few; ++j)
            y[i * few + j] += y[i * few + (j + 1) % few] * 0.25f + x[2 * k + l];
}
// Threads that end early, which hold nobody up.
__host__ __device__ inline void ended(const float *x, float *y, int i, int n, int few) {
  for (int j = 0; j < few; ++j)
    y[i * few + j] = 0;
  if (i % 3 == 1)
    return;
  for (int k = 0; k < n; ++k) {
    if (i + k > 80)
      return;
    for (int j = 0; j < few; ++j)
      y[i * few + j] += x[k] * x[(i + j) % n];
  }
}
#define KERNEL(f) \
  __global__ void f##Kernel(const float *__restrict__ x, float *__restrict__ y, int n, int few) { f(x, y, threadIdx.x, n, few); }
KERNEL(nearest)
KERNEL(passed)
KERNEL(deep)
KERNEL(ended)

int main() {
  const int n = 64, few = 4;
  float x[n], y[n * few], want[n * few], *dx, *dy;
  unsigned seed = 1;
  for (float &v : x) {
    seed = seed * 1664525u + 1013904223u;
    v = (seed >> 8) / 16777216.0f;
  }
  cudaMalloc(&dx, sizeof x);
  cudaMalloc(&dy, sizeof y);
  cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
  int wrong = 0;
  auto check = [&](const char *name, auto kernel, auto host) {
    kernel<<<1, n>>>(dx, dy, n, few);
    cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
      host(x, want, i, n, few);
    int differ = 0;
    for (int k = 0; k < n * few; ++k)
      differ += !(std::fabs(y[k] - want[k]) <= 1e-5f * std::fabs(want[k]));
    printf("%s: %d of %d differ\n", name, differ, n * few);
    wrong += differ;
  };
  check("nearest", nearestKernel, nearest);
  check("passed", passedKernel, passed);
  check("deep", deepKernel, deep);
  check("ended", endedKernel, ended);
  return wrong != 0;
}
