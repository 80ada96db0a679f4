// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A volume of glowing fog, fitted to images of it: rays march through a grid and gather light, and
// the density of each voxel follows the gradient of what the images differ by. An argument is the
// name of a picture to write: what was wanted, what the fit began with, and how it ended.
//
//     rg-clang++ --offload=cpu -O2 -I test/include examples/cuda/volume.cu -o volume && ./volume fog.pgm
#include "rgtest.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

enum { Side = 10, Pixels = 14, Views = 3, Steps = 24 };

// Density at a place in the unit cube, linear between voxels.
__device__ double density(const double *v, double x, double y, double z) {
  double gx = x * (Side - 1), gy = y * (Side - 1), gz = z * (Side - 1);
  int i = (int)floor(gx), j = (int)floor(gy), k = (int)floor(gz);
  if (i < 0 || j < 0 || k < 0 || i >= Side - 1 || j >= Side - 1 || k >= Side - 1)
    return 0;
  double fx = gx - i, fy = gy - j, fz = gz - k, sum = 0;
  for (int c = 0; c < 8; ++c) {
    double w = (c & 1 ? fx : 1 - fx) * (c & 2 ? fy : 1 - fy) * (c & 4 ? fz : 1 - fz);
    sum += w * v[((k + (c >> 2)) * Side + j + (c >> 1 & 1)) * Side + i + (c & 1)];
  }
  return sum;
}
// One ray per pixel and view; views turn about the axis. A ray ends where hardly any light is left.
__global__ void render(const double *v, double *image) {
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= Views * Pixels * Pixels)
    return;
  int px = n % Pixels, py = n / Pixels % Pixels, view = n / Pixels / Pixels;
  double angle = view * 1.0, s = sin(angle), c = cos(angle), step = 1.7 / Steps;
  double u = (px + 0.5) / Pixels - 0.5, h = (py + 0.5) / Pixels, light = 0, left = 1;
  for (int k = 0; k < Steps && left > 1e-3; ++k) {
    double t = (k + 0.5) * step - 0.85;
    double d = density(v, 0.5 + c * u - s * t, h, 0.5 + s * u + c * t);
    double gone = 1 - exp(-d * d * step);
    light += left * gone;
    left *= 1 - gone;
  }
  image[n] = light;
}
void draw(const double *volume, double *image) {
  double *v, *p;
  cudaMalloc(&v, Side * Side * Side * sizeof(double));
  cudaMalloc(&p, Views * Pixels * Pixels * sizeof(double));
  cudaMemcpy(v, volume, Side * Side * Side * sizeof(double), cudaMemcpyHostToDevice);
  render<<<(Views * Pixels * Pixels + 63) / 64, 64>>>(v, p);
  cudaMemcpy(image, p, Views * Pixels * Pixels * sizeof(double), cudaMemcpyDeviceToHost);
  cudaFree(v), cudaFree(p);
}
double difference(const double *volume, const double *want) {
  std::vector<double> image(Views * Pixels * Pixels);
  draw(volume, image.data());
  double sum = 0;
  for (int i = 0; i < Views * Pixels * Pixels; ++i)
    sum += (image[i] - want[i]) * (image[i] - want[i]);
  return sum;
}

int main(int argc, char **argv) {
  const int voxels = Side * Side * Side, points = Views * Pixels * Pixels;
  std::vector<double> truth(voxels), fit(voxels, 0.7), g(voxels), want(points), along(voxels), begin(points),
      end(points), m(voxels), v(voxels);
  for (int k = 0; k < Side; ++k)
    for (int j = 0; j < Side; ++j)
      for (int i = 0; i < Side; ++i) {
        double x = i / (Side - 1.) - 0.4, y = j / (Side - 1.) - 0.6, z = k / (Side - 1.) - 0.5;
        truth[(k * Side + j) * Side + i] = 3 * exp(-12 * (x * x + y * y + z * z)) + (j < 2 ? 1 : 0);
      }
  draw(truth.data(), want.data());
  draw(fit.data(), begin.data());
  double first = difference(fit.data(), want.data()), last = first, slope = 0;
  __enzyme_autodiff<double>((void *)difference, enzyme_dup, fit.data(), g.data(), enzyme_const, want.data());
  for (int i = 0; i < voxels; i += 97)
    RG_WITHIN(g[i], RG_DIFF(difference(fit.data(), want.data()), fit[i]), 1e-8);
  for (int i = 0; i < voxels; ++i)
    along[i] = 0.1 * (i % 7) - 0.3, slope += along[i] * g[i];
  RG_WITHIN(
      __enzyme_fwddiff<double>((void *)difference, enzyme_dup, fit.data(), along.data(), enzyme_const, want.data()),
      slope, 1e-10);
  for (int round = 1; round <= 30; ++round) { // Adam
    for (double &x : g)
      x = 0;
    __enzyme_autodiff<double>((void *)difference, enzyme_dup, fit.data(), g.data(), enzyme_const, want.data());
    for (int i = 0; i < voxels; ++i) {
      m[i] = 0.9 * m[i] + 0.1 * g[i];
      v[i] = 0.99 * v[i] + 0.01 * g[i] * g[i];
      fit[i] -= 0.1 * (m[i] / (1 - pow(0.9, round))) / (sqrt(v[i] / (1 - pow(0.99, round))) + 1e-8);
    }
  }
  last = difference(fit.data(), want.data());
  printf("images differ by %g at first, by %g at the end\n", first, last);
  RG_TRUE(last < 0.02 * first);
  if (argc > 1) {
    draw(fit.data(), end.data());
    FILE *f = fopen(argv[1], "w");
    if (!f)
      return 1;
    fprintf(f, "P2\n%d %d\n255\n", 3 * Pixels, Views * Pixels);
    for (int view = 0; view < Views; ++view)
      for (int y = Pixels - 1; y >= 0; --y)
        for (int x = 0; x < 3 * Pixels; ++x) {
          const std::vector<double> &of = x < Pixels ? want : x < 2 * Pixels ? begin : end;
          fprintf(f, "%d\n", (int)(255 * fmin(1, of[(view * Pixels + y) * Pixels + x % Pixels])));
        }
    fclose(f);
  }
  return rgReport();
}
