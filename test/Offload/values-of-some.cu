// RUN: %rgcxx --offload=cpu -O0 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-plan=naive %s -o %t && %t
// A value that is the same for all threads that have it, and that not all have, across a barrier.
// The last thread of the block has none. Found by fuzz/run.py --kernels 0.1.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
template <typename R, typename... A> __device__ R __enzyme_autodiff(void *, A...);

__device__ void work(const double *x, const double *u, double *y) {
  int t = threadIdx.x;
  double v = x[t] > 0 ? sin(u[0]) : 0.5; // its derivative asks for cos(u[0])
  __syncthreads();
  y[t] = v * x[t];
}
__global__ void gradient(const double *x, double *dx, const double *u, double *du, double *y, double *dy) {
  __enzyme_autodiff<void>((void *)work, x, dx, u, du, y, dy);
}

__global__ void primal(const double *x, const double *u, double *y) {
  int t = threadIdx.x;
  double v;
  if (x[t] > 0)
    v = cos(u[0]);
  __syncthreads();
  y[t] = x[t] > 0 ? v : 0;
}

int main() {
  const int n = 40;
  double x[n], dx[n], y[n], dy[n], z[n], u = 0.3, du = 0, want = 0;
  for (int i = 0; i < n; ++i) {
    x[i] = i % 3 == 0 ? -1 : i, dx[i] = 0, dy[i] = 1;
    want += x[i] > 0 ? cos(u) * x[i] : 0;
  }
  primal<<<1, n>>>(x, &u, z);
  gradient<<<1, n>>>(x, dx, &u, &du, y, dy);
  int bad = cudaDeviceSynchronize() != cudaSuccess;
  for (int i = 0; i < n; ++i)
    if (fabs(z[i] - (x[i] > 0 ? cos(u) : 0)) > 1e-12 || fabs(dx[i] - (x[i] > 0 ? sin(u) : 0.5)) > 1e-12)
      bad = 1, printf("thread %d: primal %g, dx %g\n", i, z[i], dx[i]);
  if (fabs(du - want) > 1e-10)
    bad = 1, printf("du %.12g and not %.12g\n", du, want);
  return bad;
}
