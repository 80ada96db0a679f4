// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs by value, with pointers and numbers in them; variables of the device that hold active
// numbers, in a loop that changes them.
#include "rgtest.h"
#include <cuda_runtime.h>
#include <cmath>
#include <vector>
extern int enzyme_dup, enzyme_const, enzyme_out;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);
struct Field { double *u; int nx, ny; __device__ double &at(int i, int j) const { return u[j * nx + i]; } };
struct Par { double dt, k[2]; };
struct Small { float a; int n; };
__device__ double gain;
__constant__ double weights[3];
__device__ double total;
__device__ double weigh(double x, int i) { return x * weights[i % 3]; }
__global__ void step(Field in, Field out, Par p, Small s, bool flip) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= in.nx || j >= in.ny) return;
  double c = in.at(i, j), l = in.at((i + 1) % in.nx, j);
  out.at(i, j) = c + p.dt * (p.k[0] * l * l - p.k[1] * weigh(c, i)) * gain * s.a + (flip ? 0.1 * s.n * c : 0);
}
__global__ void sum(Field f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < f.nx * f.ny) atomicAdd(&total, f.u[i] * f.u[i]);
}
double run(const double *x, double k0, int nx, int ny) {
  Field a{nullptr, nx, ny}, b{nullptr, nx, ny};
  size_t bytes = nx * ny * sizeof(double);
  cudaMalloc(&a.u, bytes);
  cudaMalloc(&b.u, bytes);
  cudaMemcpy(a.u, x, bytes, cudaMemcpyHostToDevice);
  double w[3] = {x[0], 0.5, x[1] * x[2]}, g = 1 + x[3];
  cudaMemcpyToSymbol(weights, w, sizeof w);
  cudaMemcpyToSymbol(gain, &g, sizeof g);
  double zero = 0;
  cudaMemcpyToSymbol(total, &zero, 8);
  Par p{0.1, {k0, 0.3}};
  Small s{1.25f, 3};
  for (int t = 0; t < 3; t++) {
    step<<<dim3((nx + 7) / 8, (ny + 3) / 4), dim3(8, 4)>>>(a, b, p, s, t == 1);
    p.dt *= 0.9;
    Field c = a; a = b; b = c;
    double w1 = w[0] * (t + 1);
    cudaMemcpyToSymbol(weights, &w1, 8, 8);
  }
  sum<<<(nx * ny + 31) / 32, 32>>>(a);
  double r;
  cudaMemcpyFromSymbol(&r, total, 8);
  cudaFree(a.u); cudaFree(b.u);
  return r;
}
int main() {
  const int nx = 9, ny = 5, n = nx * ny;
  std::vector<double> x(n), g(n), t(n);
  for (int i = 0; i < n; i++) x[i] = 0.3 + 0.01 * (i * 7 % 23), t[i] = 0.1 * (i % 5) - 0.2;
  double gk = 0;
  for (int twice = 0; twice < 2; twice++) {
  std::fill(g.begin(), g.end(), 0);
  gk = __enzyme_autodiff<double>((void *)run, enzyme_dup, x.data(), g.data(), enzyme_out, 0.4, enzyme_const, nx, enzyme_const, ny);
  }
  double along = 0.5 * gk;
  for (int i = 0; i < n; i++) along += g[i] * t[i];
  double fwd = __enzyme_fwddiff<double>((void *)run, enzyme_dup, x.data(), t.data(), enzyme_dup, 0.4, 0.5, enzyme_const, nx, enzyme_const, ny);
  double h = 1e-5;
  RG_WITHIN(fwd, along, 1e-11);
  RG_WITHIN(gk, (run(x.data(), 0.4 + h, nx, ny) - run(x.data(), 0.4 - h, nx, ny)) / (2 * h), 1e-6);
  for (int i = 0; i < 6; i++) {
    double o = x[i]; x[i] = o + h; double u = run(x.data(), 0.4, nx, ny); x[i] = o - h; double d = run(x.data(), 0.4, nx, ny); x[i] = o;
    RG_WITHIN(g[i], (u - d) / (2 * h), 1e-6);
  }
  return rgReport();
}
