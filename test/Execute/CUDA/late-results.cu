// RUN: %rgcxx --offload=cpu -O2 -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-disable=defer-loops -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/include -mllvm -rg-print-plan %s -o %t 2>&1 | FileCheck %s
// Loops of kernels run in the reverse sweep, each iteration with its reverse, and hand
// their results over at the end; where others see the results before, they do not.
#include <cmath>
#include <cstdio>

template <typename R, typename... A> __device__ R __enzyme_autodiff(void *, A...);
extern __device__ int enzyme_dup, enzyme_const;

constexpr int Rows = 2, Threads = 64, N = 40, Outs = 3 * Rows * Threads;

// CHECK-LABEL: plan for rg.primal._Z6lookup
// CHECK: loop {{.*}} runs in the reverse sweep and carries its results
__device__ void lookup(const double *__restrict__ x, const int *__restrict__ index, double *__restrict__ y) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at % 5 == 3)
    return;
  double sum = 0, product = 1;
  int count = index[at];
  for (int i = 0; i < count; ++i) {
    double p = x[(at + 3 * i) % N], q = x[(at + 7 * i) % N];
    double r = sin(p) * q;
    sum += r * r;
    if (q > 1)
      product += p;
  }
  y[at] = sum;
  if (at % 3)
    y[at + Rows * Threads] = product + 2 * sum;
}

// What a thread stores, others read behind the barrier; what it read before is gone then.
// CHECK-LABEL: plan for rg.primal._Z9exchanged
// CHECK-NOT: carries its results
__device__ void exchanged(const double *__restrict__ x, const int *__restrict__ index, double *__restrict__ y) {
  __shared__ double tile[Threads];
  int at = blockIdx.x * blockDim.x + threadIdx.x, me = threadIdx.x;
  tile[me] = x[at % N];
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < index[at]; ++i)
    sum += sin(tile[(me + i) % Threads]) * tile[me];
  __syncthreads();
  tile[me] = sum;
  y[at] = sum;
  __syncthreads();
  double again = 0;
  for (int i = 0; i < 3; ++i)
    again += tile[(me + 5 * i) % Threads] * y[blockIdx.x * blockDim.x + (me + i) % Threads];
  y[at + 2 * Rows * Threads] = again;
}

#define KERNELS(F)                                                                                  \
  __global__ void F##Primal(const double *x, const int *index, double *y) { F(x, index, y); }        \
  __global__ void F##Gradient(const double *x, double *dx, const int *index, double *y, double *dy) { \
    __enzyme_autodiff<void>((void *)F, enzyme_dup, x, dx, enzyme_const, index, enzyme_dup, y, dy);    \
  }
KERNELS(lookup)
KERNELS(exchanged)

template <typename T> T *managed(int count) {
  T *p = nullptr;
  if (cudaMallocManaged(&p, count * sizeof(T)) != cudaSuccess)
    exit(1);
  return p;
}

int main() {
  double *x = managed<double>(N), *dx = managed<double>(N), *y = managed<double>(Outs), *dy = managed<double>(Outs);
  int *index = managed<int>(Rows * Threads);
  int failed = 0;
  for (int which = 0; which < 2; ++which) {
    auto Primal = [&] {
      for (int j = 0; j < Outs; ++j)
        y[j] = 0.5 * j;
      if (which)
        exchangedPrimal<<<Rows, Threads>>>(x, index, y);
      else
        lookupPrimal<<<Rows, Threads>>>(x, index, y);
      cudaDeviceSynchronize();
    };
    double w[Outs], want[Outs];
    for (int i = 0; i < N; ++i)
      x[i] = 0.3 + 0.04 * i, dx[i] = 0;
    for (int i = 0; i < Rows * Threads; ++i)
      index[i] = i % 6;
    for (int j = 0; j < Outs; ++j)
      w[j] = dy[j] = sin(j * 1.0);
    Primal();
    for (int j = 0; j < Outs; ++j)
      want[j] = y[j], y[j] = 0.5 * j;
    if (which)
      exchangedGradient<<<Rows, Threads>>>(x, dx, index, y, dy);
    else
      lookupGradient<<<Rows, Threads>>>(x, dx, index, y, dy);
    cudaDeviceSynchronize();
    double results = 0, worst = 0;
    for (int j = 0; j < Outs; ++j)
      results = fmax(results, fabs(y[j] - want[j]));
    for (int i = 0; i < N; ++i) {
      double at = x[i], loss[2] = {0, 0}, h = 1e-6;
      for (int side = 0; side < 2; ++side) {
        x[i] = at + (side ? -h : h);
        Primal();
        for (int j = 0; j < Outs; ++j)
          loss[side] += y[j] * w[j];
      }
      x[i] = at;
      worst = fmax(worst, fabs((loss[0] - loss[1]) / (2 * h) - dx[i]));
    }
    printf("%s: results differ by %g, gradients by %g\n", which ? "exchanged" : "lookup", results, worst);
    failed |= !(results < 1e-12) || !(worst < 1e-6);
  }
  return failed;
}
