// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -I%root/test/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include -fsanitize=address %s -o %t && %t
// Static shared memory that is more than 48 KiB with its adjoints, alone, beside dynamic
// shared memory, and in kernels that have variables in common.
#include "gradients.h"
#include <cuda_runtime.h>

// Two tiles of 16 KiB.
__global__ void product(const double *a, const double *b, double *c, int n) {
  __shared__ double left[64][32], right[32][64];
  int t = threadIdx.x, row = blockIdx.x * 64;
  double sum[64] = {};
  for (int k = 0; k < n; k += 32) {
    for (int i = t; i < 64 * 32; i += 64) {
      left[i / 32][i % 32] = row + i / 32 < n && k + i % 32 < n ? a[(row + i / 32) * n + k + i % 32] : 0;
      right[i / 64][i % 64] = k + i / 64 < n && i % 64 < n ? b[(k + i / 64) * n + i % 64] : 0;
    }
    __syncthreads();
    for (int j = 0; j < 32; j++)
      for (int i = 0; i < 64; i++)
        sum[i] += left[i][j] * right[j][t];
    __syncthreads();
  }
  for (int i = 0; i < 64; i++)
    if (row + i < n && t < n)
      c[(row + i) * n + t] = sum[i];
}
double products(const double *x, int n) {
  int m = 10;
  double *a, *c, *out = new double[m * m], sum = 0;
  cudaMalloc(&a, m * m * sizeof(double));
  cudaMalloc(&c, m * m * sizeof(double));
  for (int i = 0; i < m * m; i++)
    out[i] = x[i % n] * (1 + 0.01 * i);
  cudaMemcpy(a, out, m * m * sizeof(double), cudaMemcpyHostToDevice);
  product<<<1, 64>>>(a, a, c, m);
  product<<<1, 64>>>(c, a, c, m);
  cudaMemcpy(out, c, m * m * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < m * m; i++)
    sum += sin(out[i]);
  cudaFree(a);
  cudaFree(c);
  delete[] out;
  return sum;
}

// All that a kernel can have, less than 1 KiB, and dynamic memory of odd size beside it.
__global__ void rows(double *x, int n) {
  __shared__ double most[5900];
  __shared__ double few[100];
  extern __shared__ double by_launch[];
  int t = threadIdx.x;
  for (int i = t; i < 5900; i += blockDim.x)
    most[i] = x[i % n] * (i % 3);
  few[t] = x[t];
  by_launch[t] = x[t] * x[t];
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < 5900; i += 59)
    sum += most[(i + t) % 5900] * by_launch[(t + i) % n];
  sum += few[n - 1 - t];
  __syncthreads();
  x[t] = 0.01 * sum;
}
double row(const double *x, int n) {
  double *d, *out = new double[n], sum = 0;
  cudaMalloc(&d, n * sizeof(double));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  rows<<<1, n, n * sizeof(double)>>>(d, n);
  cudaFuncSetAttribute((const void *)rows, cudaFuncAttributeMaxDynamicSharedMemorySize, 56 << 10);
  rows<<<1, n, 56 << 10>>>(d, n);
  cudaMemcpy(out, d, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    sum += out[i] * out[i];
  cudaFree(d);
  delete[] out;
  return sum;
}

// Two kernels with one variable, of which one has another one, too; the program's own launches.
__shared__ double common[4096];
__device__ void turn(const double *x, double *y, int n) {
  int t = threadIdx.x;
  for (int i = t; i < 4096; i += n)
    common[i] = x[i % n] * x[(i + 1) % n];
  __syncthreads();
  y[t] = common[4095 - t] + common[(t * 37) % 4096] * x[t];
  __syncthreads();
}
__device__ void turn_twice(const double *x, double *y, int n) {
  __shared__ double other[1536];
  turn(x, y, n);
  int t = threadIdx.x;
  for (int i = t; i < 1536; i += n)
    other[i] = y[t] * common[i];
  __syncthreads();
  y[t] = other[1535 - t];
}
template <class... T> __device__ void __enzyme_autodiff(void *, T...);
template <class... T> __device__ void __enzyme_fwddiff(void *, T...);
template <bool Twice> __global__ void backward(const double *x, double *dx, double *y, double *dy, int n) {
  if (Twice)
    __enzyme_autodiff((void *)turn_twice, x, dx, y, dy, n);
  else
    __enzyme_autodiff((void *)turn, x, dx, y, dy, n);
}
template <bool Twice> __global__ void forward(const double *x, const double *dx, double *y, double *dy, int n) {
  if (Twice)
    __enzyme_fwddiff((void *)turn_twice, x, dx, y, dy, n);
  else
    __enzyme_fwddiff((void *)turn, x, dx, y, dy, n);
}
template <bool Twice> __global__ void plain(const double *x, double *y, int n) {
  if (Twice)
    turn_twice(x, y, n);
  else
    turn(x, y, n);
}
template <bool Twice> void launched() {
  constexpr int n = 64;
  double *x, *dx, *v, *y, *dy, along = 0, reverse = 0, differences = 0, h = 1e-6;
  for (double **p : {&x, &dx, &v, &y, &dy})
    cudaMallocManaged((void **)p, n * sizeof(double));
  for (int i = 0; i < n; i++)
    x[i] = 0.5 + 0.01 * (i * 7 % 23), v[i] = 0.1 * (i % 5) - 0.15, dx[i] = 0, dy[i] = 1 + 0.02 * i;
  backward<Twice><<<1, n>>>(x, dx, y, dy, n);
  RG_WITHIN((double)cudaDeviceSynchronize(), 0, 0);
  for (int i = 0; i < n; i++)
    reverse += dx[i] * v[i];
  forward<Twice><<<1, n>>>(x, v, y, dy, n);
  RG_WITHIN((double)cudaDeviceSynchronize(), 0, 0);
  for (int i = 0; i < n; i++)
    along += (1 + 0.02 * i) * dy[i];
  for (int side = 1; side >= -1; side -= 2) {
    for (int i = 0; i < n; i++)
      dx[i] = x[i] + side * h * v[i];
    plain<Twice><<<1, n>>>(dx, y, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
      differences += side * y[i] * (1 + 0.02 * i) / (2 * h);
  }
  RG_WITHIN(reverse, along, 1e-10);
  RG_WITHIN(reverse, differences, 1e-6);
}

int main() {
  rgCheckGradient(products, 20, 0.1);
  rgCheckGradient(row, 37, 0.6);
  launched<false>();
  launched<true>();
  return rgReport();
}
