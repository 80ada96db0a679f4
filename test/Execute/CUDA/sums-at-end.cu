// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-disable=gpu-sums-at-end %s -o %t && %t
// Numbers that a thread reads at a place that is known from the start: what it adds to their
// adjoints waits for the end. Where something stores there, it must not wait.
#include "rgcuda.h"

// Weights of a block, behind branches that some threads do not take, and in a loop.
__device__ void weights(const double *__restrict__ x, double *__restrict__ y, int n) {
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n - 8)
    return;
  const double *w = x + n - 8 + blockIdx.x % 2 * 3;
  double sum = 0;
  if (t > 0)
    sum += w[0] * x[i];
  if (t % 3)
    sum += w[1] * sin(x[i]) + w[0];
  for (int k = 0; k < t % 5; ++k)
    sum = sum * w[2] + x[i] * x[n - 1];
  y[i] = sum;
}

// A place of each thread by the pointer that it is given.
__device__ __noinline__ double own(const double *__restrict__ w, double v) { return w[0] * v + w[1]; }
__device__ void places(const double *__restrict__ x, double *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = own(x + i % (n - 1), x[(i + 3) % n]);
}

// Read and written through one parameter: the adjoint is taken in between. A thread in each block.
__device__ void inPlace(double *__restrict__ v, const double *__restrict__ x, double *__restrict__ y, int n) {
  double a = v[blockIdx.x] * x[blockIdx.x];
  v[blockIdx.x] = a * a;
  y[blockIdx.x] = a * v[blockIdx.x];
}
__global__ void inPlaceGradient(double *v, double *dv, const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff<void>((void *)inPlace, enzyme_dup, v, dv, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}

// More places than are kept back.
__device__ void many(const float *__restrict__ x, float *__restrict__ y, int n) {
  float v = x[threadIdx.x + 32], sum = 0;
#pragma unroll
  for (int k = 0; k < 24; ++k)
    sum = sum * 0.9f + x[k] * v;
  y[threadIdx.x] = sum;
}

int main() {
  int Bad = rg::checkKernel<double, weights>("weights", 72, 64, 2, 32);
  Bad |= rg::checkKernel<double, places>("places", 64, 64, 2, 32);
  Bad |= rg::checkKernel<float, many>("many", 64, 32, 1, 32);

  // v becomes (v x)^2 and y (v x)^3.
  constexpr int N = 16;
  rg::Buffer<double> V(N), DV(N), X(N), DX(N), Y(N), DY(N);
  std::vector<double> Vs(N), Xs(N), Ones(N, 1.0), Zeros(N);
  for (int I = 0; I < N; ++I)
    Vs[I] = 2 - I / 16.0, Xs[I] = 1 + I / 8.0;
  V.set(Vs), DV.set(Zeros), X.set(Xs), DX.set(Zeros), Y.set(Ones), DY.set(Ones);
  inPlaceGradient<<<N, 1>>>(V.P, DV.P, X.P, DX.P, Y.P, DY.P, N);
  rg::must(cudaDeviceSynchronize(), "gradient in place");
  std::vector<double> By = DV.get();
  for (int I = 0; I < N; ++I) {
    double Right = 3 * Xs[I] * std::pow(Vs[I] * Xs[I], 2);
    if (std::fabs(By[I] - Right) > 1e-12 * Right)
      printf("in place %d: %.17g instead of %.17g\n", I, By[I], Right), Bad = 1;
  }
  return Bad;
}
