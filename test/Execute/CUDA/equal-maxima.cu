// RUN: %rgcxx --offload=cpu -O2 -I%root/include %s -o %t && %t
// A softmax whose maximum is taken by all lanes of a warp, where several numbers are
// the largest: it does not depend on which of them counts, as long as all lanes agree.
#include <cmath>
#include <initializer_list>
#include <cstdio>

template <typename R, typename... A> __device__ R __enzyme_autodiff(void *, A...);
extern __device__ int enzyme_dup, enzyme_const;

__device__ void softmax(const double *x, double *y, int n) {
  int row = blockIdx.x * n, lane = threadIdx.x;
  double most = -INFINITY, sum = 0;
  for (int i = lane; i < n; i += 32)
    most = fmax(most, x[row + i]);
  for (int d = 16; d > 0; d /= 2)
    most = fmax(most, __shfl_xor_sync(0xffffffffu, most, d));
  for (int i = lane; i < n; i += 32)
    sum += exp(x[row + i] - most);
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, d);
  for (int i = lane; i < n; i += 32)
    y[row + i] = exp(x[row + i] - most) / sum;
}
__global__ void primal(const double *x, double *y, int n) { softmax(x, y, n); }
__global__ void gradient(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff<void>((void *)softmax, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}

int main() {
  const int Rows = 2, N = 80, All = Rows * N;
  double *x, *dx, *y, *dy, w[All];
  for (double **p : {&x, &dx, &y, &dy})
    if (cudaMallocManaged(p, All * sizeof(double)) != cudaSuccess)
      return 1;
  for (int i = 0; i < All; ++i) {
    x[i] = i % 7 * 0.25;
    dx[i] = 0;
    w[i] = dy[i] = sin(i * 1.0);
  }
  gradient<<<Rows, 32>>>(x, dx, y, dy, N);
  cudaDeviceSynchronize();
  double worst = 0;
  for (int i = 0; i < All; ++i) {
    double at = x[i], loss[2] = {0, 0}, h = 1e-5;
    for (int side = 0; side < 2; ++side) {
      x[i] = at + (side ? -h : h);
      primal<<<Rows, 32>>>(x, y, N);
      cudaDeviceSynchronize();
      for (int j = 0; j < All; ++j)
        loss[side] += y[j] * w[j];
    }
    x[i] = at;
    worst = fmax(worst, fabs((loss[0] - loss[1]) / (2 * h) - dx[i]));
  }
  printf("largest error %g\n", worst);
  return worst < 1e-9 ? 0 : 1;
}
