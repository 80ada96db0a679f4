// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Particles that attract and repel each other, in memory that host and device see: a few steps of
// velocity Verlet, and how the temperature at the end depends on where they began and on the
// strength of the force.
//
//     rg-clang++ --offload=cpu -O2 -I test/include examples/cuda/molecules.cu -o molecules
#include "rgtest.h"
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

extern int enzyme_dup, enzyme_const, enzyme_out;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

struct Particles {
  double3 *at, *speed, *force;
  int count;
};

__global__ void forces(Particles p, double strength) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.count)
    return;
  double3 me = p.at[i], sum = make_double3(0, 0, 0);
  for (int j = 0; j < p.count; ++j) {
    if (j == i)
      continue;
    double dx = me.x - p.at[j].x, dy = me.y - p.at[j].y, dz = me.z - p.at[j].z;
    double r2 = dx * dx + dy * dy + dz * dz + 0.1, r6 = 1 / (r2 * r2 * r2);
    double f = strength * (2 * r6 * r6 - r6) / r2;
    sum.x += f * dx, sum.y += f * dy, sum.z += f * dz;
  }
  p.force[i] = sum;
}
__global__ void kick(Particles p, double time) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.count)
    return;
  p.speed[i].x += time * p.force[i].x;
  p.speed[i].y += time * p.force[i].y;
  p.speed[i].z += time * p.force[i].z;
}
__global__ void drift(Particles p, double time) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.count)
    return;
  p.at[i].x += time * p.speed[i].x;
  p.at[i].y += time * p.speed[i].y;
  p.at[i].z += time * p.speed[i].z;
}

double temperature(const double *start, double strength, double time, int count, int steps) {
  Particles p;
  p.count = count;
  cudaMallocManaged(&p.at, count * sizeof(double3));
  cudaMallocManaged(&p.speed, count * sizeof(double3));
  cudaMallocManaged(&p.force, count * sizeof(double3));
  for (int i = 0; i < count; ++i) {
    p.at[i] = make_double3(start[3 * i], start[3 * i + 1], start[3 * i + 2]);
    p.speed[i] = make_double3(0, 0.01 * (i % 3), 0);
  }
  int blocks = (count + 31) / 32;
  forces<<<blocks, 32>>>(p, strength);
  for (int t = 0; t < steps; ++t) {
    kick<<<blocks, 32>>>(p, time / 2);
    drift<<<blocks, 32>>>(p, time);
    forces<<<blocks, 32>>>(p, strength);
    kick<<<blocks, 32>>>(p, time / 2);
  }
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += p.speed[i].x * p.speed[i].x + p.speed[i].y * p.speed[i].y + p.speed[i].z * p.speed[i].z;
  cudaFree(p.at), cudaFree(p.speed), cudaFree(p.force);
  return sum / (3 * count);
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 12, steps = argc > 2 ? atoi(argv[2]) : 3;
  std::vector<double> start(3 * count), gradient(3 * count), along(3 * count);
  double strength = 0.7, time = 0.02;
  for (int i = 0; i < 3 * count; ++i)
    start[i] = i % 3 == 0 ? 1.5 * (i / 3 % 3) : i % 3 == 1 ? 1.6 * (i / 9 % 3) : 1.4 * (i / 27),
    start[i] += 0.1 * (i * 7 % 5), along[i] = 0.1 * (i % 7) - 0.3;
  double byStrength =
      __enzyme_autodiff<double>((void *)temperature, enzyme_dup, start.data(), gradient.data(), enzyme_out, strength,
                                enzyme_const, time, count, steps);
  RG_WITHIN(byStrength, RG_DIFF(temperature(start.data(), strength, time, count, steps), strength), 1e-7);
  for (int i = 0; i < 3 * count; i += 1 + count / 3)
    RG_WITHIN(gradient[i], RG_DIFF(temperature(start.data(), strength, time, count, steps), start[i]), 1e-7);
  double slope = 0.6 * byStrength;
  for (int i = 0; i < 3 * count; ++i)
    slope += along[i] * gradient[i];
  RG_WITHIN(__enzyme_fwddiff<double>((void *)temperature, enzyme_dup, start.data(), along.data(), enzyme_dup, strength,
                                     0.6, enzyme_const, time, count, steps),
            slope, 1e-10);
  return rgReport();
}
