// RUN: %rgcxx --offload=cpu -O0 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-plan=naive %s -o %t && %t
// A thread puts the address of its own stack memory away in front of a barrier, and finds it there
// behind it, beside the name of that memory. Found by fuzz/run.py --kernels 1: the naive plan keeps
// addresses of shadows.
#include <cuda_runtime.h>
#include <stdio.h>
template <typename R, typename... A> __device__ R __enzyme_autodiff(void *, A...);

__device__ double work(const double *x) {
  int t = threadIdx.x;
  __syncthreads();
  double a[2];
  for (int i = 0; i < 2; ++i)
    a[i] = x[t];
  if (t < 20)
    for (int i = 1; i >= 0; --i)
      a[0] = a[(i + t) & 1];
  __syncthreads();
  return a[0];
}
__global__ void gradient(const double *x, double *dx) { __enzyme_autodiff<void>((void *)work, x, dx); }

__global__ void primal(double *y) {
  double own[2] = {1, 2}, *kept[2];
  int t = threadIdx.x;
  for (int i = 0; i < 2; ++i)
    kept[(i + t) & 1] = &own[i];
  __syncthreads();
  own[0] = 10;
  *kept[t & 1] += 5; // own[0]
  y[t] = own[0] + 100 * *kept[(t + 1) & 1];
}

int main() {
  const int n = 40;
  double x[n], dx[n], y[n];
  for (int i = 0; i < n; ++i)
    x[i] = 0.5 + i, dx[i] = 0;
  gradient<<<1, n>>>(x, dx);
  primal<<<1, n>>>(y);
  int bad = cudaDeviceSynchronize() != cudaSuccess;
  for (int i = 0; i < n; ++i)
    if (dx[i] != 1 || y[i] != 215)
      bad = 1, printf("thread %d: gradient %g and not 1, primal %g and not 215\n", i, dx[i], y[i]);
  return bad;
}
