// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A flow by the lattice-Boltzmann method (nine velocities, one relaxation time): two buffers that
// change roles, the whole time loop in one gradient. What is asked is how the flow's energy at the
// end depends on the porosity of each cell and on the speed of the inflow.
//
//     rg-clang++ --offload=cpu -O2 -I test/include examples/cuda/lattice-boltzmann.cu -o lbm && ./lbm 64 32 150
#include "rgtest.h"
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

extern int enzyme_dup, enzyme_const, enzyme_out;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

__constant__ const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ const double weight[9] = {4. / 9,  1. / 9,  1. / 9,  1. / 9, 1. / 9,
                                       1. / 36, 1. / 36, 1. / 36, 1. / 36};

__device__ double equilibrium(int k, double density, double ux, double uy) {
  double along = 3 * (cx[k] * ux + cy[k] * uy);
  return weight[k] * density * (1 + along + 0.5 * along * along - 1.5 * (ux * ux + uy * uy));
}
__global__ void rest(double *f, int cells) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < cells)
    for (int k = 0; k < 9; ++k)
      f[k * cells + c] = equilibrium(k, 1, 0, 0);
}
// Collects what streams in from the neighbours, then collides. The first column is driven.
__global__ void step(const double *from, double *to, const double *porosity, double inflow, double relax, int nx,
                     int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, cells = nx * ny;
  if (x >= nx || y >= ny)
    return;
  double f[9], density = 0, ux = 0, uy = 0;
  for (int k = 0; k < 9; ++k) {
    int fx = (x - cx[k] + nx) % nx, fy = (y - cy[k] + ny) % ny;
    f[k] = from[k * cells + fy * nx + fx];
    density += f[k];
    ux += cx[k] * f[k];
    uy += cy[k] * f[k];
  }
  double open = 1 - porosity[y * nx + x];
  ux = x == 0 ? inflow : open * ux / density;
  uy = open * uy / density;
  for (int k = 0; k < 9; ++k)
    to[k * cells + y * nx + x] = f[k] + relax * (equilibrium(k, density, ux, uy) - f[k]);
}
__global__ void energy(const double *f, double *e, int cells) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cells)
    return;
  double mx = 0, my = 0;
  for (int k = 0; k < 9; ++k)
    mx += cx[k] * f[k * cells + c], my += cy[k] * f[k * cells + c];
  e[c] = 0.5 * (mx * mx + my * my);
}

double flow(const double *porosity, double inflow, int nx, int ny, int steps) {
  int cells = nx * ny;
  size_t bytes = cells * sizeof(double);
  double *f, *g, *p, *e, sum = 0;
  cudaMalloc(&f, 9 * bytes);
  cudaMalloc(&g, 9 * bytes);
  cudaMalloc(&p, bytes);
  cudaMalloc(&e, bytes);
  cudaMemcpy(p, porosity, bytes, cudaMemcpyHostToDevice);
  rest<<<(cells + 127) / 128, 128>>>(f, cells);
  dim3 block(16, 8), grid((nx + 15) / 16, (ny + 7) / 8);
  for (int t = 0; t < steps; ++t) {
    step<<<grid, block>>>(f, g, p, inflow, 0.6, nx, ny);
    double *old = f;
    f = g;
    g = old;
  }
  energy<<<(cells + 127) / 128, 128>>>(f, e, cells);
  std::vector<double> host(cells);
  cudaMemcpy(host.data(), e, bytes, cudaMemcpyDeviceToHost);
  for (int c = 0; c < cells; ++c)
    sum += host[c];
  cudaFree(f), cudaFree(g), cudaFree(p), cudaFree(e);
  return sum;
}

int main(int argc, char **argv) {
  int nx = argc > 1 ? atoi(argv[1]) : 20, ny = argc > 2 ? atoi(argv[2]) : 12, steps = argc > 3 ? atoi(argv[3]) : 9;
  std::vector<double> porosity(nx * ny), gradient(nx * ny), along(nx * ny);
  double inflow = 0.08;
  for (int c = 0; c < nx * ny; ++c)
    porosity[c] = 0.1 + 0.05 * (c * 7 % 5), along[c] = 0.1 * (c * 3 % 7) - 0.2;
  double byInflow = __enzyme_autodiff<double>((void *)flow, enzyme_dup, porosity.data(), gradient.data(), enzyme_out,
                                              inflow, nx, ny, steps);
  RG_WITHIN(byInflow, RG_DIFF(flow(porosity.data(), inflow, nx, ny, steps), inflow), 1e-8);
  for (int c = 0; c < nx * ny; c += 1 + nx * ny / 5)
    RG_WITHIN(gradient[c], RG_DIFF(flow(porosity.data(), inflow, nx, ny, steps), porosity[c]), 1e-8);
  double slope = byInflow * 0.3;
  for (int c = 0; c < nx * ny; ++c)
    slope += along[c] * gradient[c];
  RG_WITHIN(__enzyme_fwddiff<double>((void *)flow, enzyme_dup, porosity.data(), along.data(), enzyme_dup, inflow, 0.3,
                                     nx, ny, steps),
            slope, 1e-10);
  return rgReport();
}
