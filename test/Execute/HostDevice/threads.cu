// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RG-FLAGS: -pthread
// Threads of the program that launch kernels: each on memory and a stream of its own, all on parts of one block, in
// place and several times, before and after launches of the thread that starts them.
#include "gradients.h"
#include <cuda_runtime.h>
#include <thread>

__global__ void bend(double *d, int n, double a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    d[i] = sin(a * d[i]) * d[i];
}
__global__ void mix(const double *x, double *y, int n, double a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * sin(x[i]) * x[(i + 1) % n] + 0.5 * y[i];
}
static double sumOf(const double *d, int n) {
  std::vector<double> h(n);
  cudaMemcpy(h.data(), d, n * sizeof(double), cudaMemcpyDeviceToHost);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += h[i] * h[i] * (1 + i % 3);
  return s;
}

struct Job {
  const double *x;
  int n;
  double a;
  double *result;
  int device;
  void run() const {
    cudaStream_t s;
    double *d, *h;
    cudaSetDevice(device);
    cudaStreamCreate(&s);
    cudaMallocAsync(&d, n * sizeof(double), s);
    cudaMallocHost(&h, n * sizeof(double));
    for (int i = 0; i < n; i++)
      h[i] = x[i];
    cudaMemcpyAsync(d, h, n * sizeof(double), cudaMemcpyHostToDevice, s);
    for (int t = 0; t < 3; t++)
      bend<<<1, 64, 0, s>>>(d, n, a + t);
    cudaMemcpyAsync(h, d, n * sizeof(double), cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    double r = 0;
    for (int i = 0; i < n; i++)
      r += h[i];
    *result = r;
    cudaFreeAsync(d, s), cudaFreeHost(h), cudaStreamDestroy(s);
  }
};
double jobs(const double *x, int n) {
  const int threads = 3;
  int m = (n - threads) / threads, devices;
  cudaGetDeviceCount(&devices);
  std::vector<double> result(threads, 0.0);
  std::vector<Job> job;
  for (int k = 0; k < threads; k++)
    job.push_back({x + k * m, m, x[n - 1 - k], &result[k], k % devices});
  std::vector<std::thread> all;
  for (int k = 0; k < threads; k++)
    all.emplace_back([&job, k] { job[k].run(); });
  for (std::thread &t : all)
    t.join();
  double s = 0;
  for (int k = 0; k < threads; k++)
    s += (k + 1) * result[k] * result[k];
  return s;
}

// Halves of one block, read by the copies of one array of the caller.
double halves(const double *x, int n) {
  int half = n / 2;
  double *d, *y;
  cudaMalloc(&d, n * sizeof(double)), cudaMalloc(&y, n * sizeof(double));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(y, x, n * sizeof(double), cudaMemcpyHostToDevice);
  bend<<<1, 64>>>(d, n, 0.7);
  cudaDeviceSynchronize();
  for (int round = 0; round < 2; round++) {
    std::vector<std::thread> all;
    for (int k = 0; k < 2; k++)
      all.emplace_back([=] {
        cudaStream_t s;
        cudaStreamCreate(&s);
        for (int t = 0; t < 3; t++) {
          mix<<<1, 64, 0, s>>>(d + k * half, y + k * half, half, 1.5 + t);
          bend<<<1, 64, 0, s>>>(d + k * half, half, 0.5 + 0.1 * t);
        }
        cudaStreamSynchronize(s);
        cudaStreamDestroy(s);
      });
    for (std::thread &t : all)
      t.join();
    mix<<<1, 64>>>(d, y, n, 0.3);
    cudaDeviceSynchronize();
  }
  double s = sumOf(y, n) + sumOf(d, n);
  cudaFree(d), cudaFree(y);
  return s;
}

// Without threads, in memory that the host has, too: those of earlier derivatives are gone.
double alone(const double *x, int n) {
  double *d, s = 0;
  cudaMallocManaged(&d, n * sizeof(double));
  for (int i = 0; i < n; i++)
    d[i] = x[i];
  bend<<<1, 64>>>(d, n, 0.7);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++)
    s += d[i] * d[i];
  cudaFree(d);
  return s;
}

int main() {
  for (int again = 0; again < 3; again++) {
    rgCheckGradient(jobs, 33, 0.4);
    rgCheckGradient(halves, 26, 0.4);
  }
  rgCheckGradient(alone, 20, 0.4);
  return rgReport();
}
