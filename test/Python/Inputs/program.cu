// Host functions that launch kernels. Arrays of `energy`, `step` are device memory; `total` copies from the host.
#include <cuda_runtime.h>
#include <vector>

__global__ void wave(const double *x, double *y, double a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * sin(x[i]) * x[i];
}
__global__ void squares(const double *y, double *s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(s, y[i] * y[i]);
}
__global__ void move(float *state, const float *rate, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    state[i] = state[i] + by * rate[i] * state[i] * state[i];
}

double energy(const double *x, double a, int n) {
  double *y, *s, out;
  cudaMalloc(&y, n * sizeof(double));
  cudaMalloc(&s, sizeof(double));
  cudaMemset(s, 0, sizeof(double));
  wave<<<(n + 63) / 64, 64>>>(x, y, a, n);
  squares<<<(n + 63) / 64, 64>>>(y, s, n);
  cudaMemcpy(&out, s, sizeof(double), cudaMemcpyDeviceToHost);
  cudaFree(y);
  cudaFree(s);
  return out;
}

// In place, several times: the derivative keeps and puts back what is overwritten.
void steps(float *state, const float *rate, int times, int n) {
  for (int t = 0; t < times; ++t)
    move<<<(n + 63) / 64, 64>>>(state, rate, 0.1f, n);
}

double total(const double *x, double a, int n) {
  double *d;
  cudaMalloc(&d, n * sizeof(double));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  double s = energy(d, a, n);
  cudaFree(d);
  return s;
}
