// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Dynamic shared memory: launches say how much the primal needs, and what shadows need
// is added to it.
#include "rgcuda.h"

extern __shared__ double tile[];
extern __shared__ __align__(16) unsigned char bytes[];

__device__ void neighbours(const double *x, double *y, int n) {
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, last = blockDim.x - 1;
  tile[t] = x[i] * x[i];
  __syncthreads();
  y[i] = tile[last - t] * tile[t] + tile[t ? t - 1 : last];
}

// Two arrays in one piece of memory, of two types, and static memory beside them.
__device__ void pieces(const float *x, float *y, int n) {
  __shared__ float fixed[64];
  double *values = (double *)bytes;
  int *order = (int *)(values + blockDim.x);
  float *narrow = (float *)(order + blockDim.x);
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  values[t] = sin((double)x[i]);
  order[t] = (t * 7 + 3) % blockDim.x;
  narrow[t] = x[i] * 0.5f;
  fixed[t] = x[i];
  __syncthreads();
  double sum = 0;
  for (int k = 0; k < 5; ++k) {
    sum += values[order[(t + k) % blockDim.x]] * fixed[order[t]];
    __syncthreads();
    values[t] = values[t] * 0.5 + narrow[order[t]];
    __syncthreads();
  }
  y[i] = sum;
}

// In a function of its own.
__device__ __noinline__ double reduce(double mine) {
  int t = threadIdx.x;
  tile[t] = mine;
  __syncthreads();
  for (int step = blockDim.x / 2; step; step /= 2) {
    if (t < step)
      tile[t] += tile[t + step];
    __syncthreads();
  }
  double all = tile[0];
  __syncthreads();
  return all;
}
__device__ void normalise(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double scale = sqrt(reduce(x[i] * x[i]));
  y[i] = x[i] / scale + reduce(cos(x[i])) * 0.01;
}
__device__ void single(const float *x, float *y, int n) {
  float *s = (float *)bytes;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = x[i];
  __syncthreads();
  y[i] = s[(t + 1) % blockDim.x] * s[t] * s[t];
}

// Forward over reverse: the adjoints of that memory have tangents there, too.
__device__ void cubes(const double *x, double *y) {
  int t = threadIdx.x;
  tile[t] = x[t];
  __syncthreads();
  atomicAdd(y, tile[t] * tile[t] * tile[(t + 1) % blockDim.x]);
}
__device__ void gradientOf(const double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff<void>((void *)cubes, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
__global__ void hessian(const double *x, const double *v, double *dx, double *hv, double *y, double *ty, double *dy, double *tdy) {
  __enzyme_fwddiff<void>((void *)gradientOf, enzyme_dup, x, v, enzyme_dup, dx, hv, enzyme_dup, y, ty, enzyme_dup, dy, tdy);
}
static int second() {
  const int n = 40;
  rg::Buffer<double> x(n), v(n), dx(n), hv(n), y(1), ty(1), dy(1), tdy(1);
  std::vector<double> X(n), V(n), Zero(n, 0.0);
  for (int i = 0; i < n; ++i)
    X[i] = 1 + 0.1 * i, V[i] = cos(i);
  x.set(X), v.set(V), dx.set(Zero), hv.set(Zero), y.set({0}), ty.set({0}), dy.set({1}), tdy.set({0});
  hessian<<<1, n, n * sizeof(double)>>>(x.P, v.P, dx.P, hv.P, y.P, ty.P, dy.P, tdy.P);
  rg::must(cudaDeviceSynchronize(), "hessian");
  int bad = 0;
  std::vector<double> G = dx.get(), H = hv.get();
  for (int i = 0; i < n; ++i) {
    int next = (i + 1) % n, last = (i + n - 1) % n;
    double g = 2 * X[i] * X[next] + X[last] * X[last];
    double h = 2 * V[i] * X[next] + 2 * X[i] * V[next] + 2 * X[last] * V[last];
    if (fabs(G[i] - g) > 1e-12 * g || fabs(H[i] - h) > 1e-10)
      ++bad, printf("second order, %d: %g for %g, %g for %g\n", i, G[i], g, H[i], h);
  }
  return bad;
}

int main() {
  return rg::checkKernel<double, neighbours>("neighbours", 128, 128, 2, 64, 64 * sizeof(double)) +
         rg::checkKernel<double, neighbours>("neighbours, odd", 3 * 37, 3 * 37, 3, 37, 37 * sizeof(double)) +
         rg::checkKernel<float, pieces>("pieces", 96, 96, 2, 48, 48 * 16) +
         rg::checkKernel<double, normalise>("normalise", 64, 64, 2, 32, 32 * sizeof(double)) +
         rg::checkKernel<float, single>("single", 50, 50, 2, 25, 25 * sizeof(float)) + second();
}
