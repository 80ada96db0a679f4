// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %rgcxx -O2 -I%S/../../test/include %s --offload=cpu -o %t
// RUN: env RG_CUDA_DEVICES=2 %t
// RUN: env RG_CUDA_DEVICES=3 %t
//
// Heat in a rod that is cut in pieces, one per device: each has a stream, halos go by copies
// between devices, and events tell a neighbour when they are there.
//
//     rg-clang++ --offload=cpu -O2 -I test/include examples/cuda/heat.cu -o heat && RG_CUDA_DEVICES=2 ./heat
#include "rgtest.h"
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

extern int enzyme_dup, enzyme_const, enzyme_out;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

// A piece of n cells with a halo cell at each end.
__global__ void diffuse(const double *from, double *to, const double *conductivity, double rate, int n) {
  int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    to[i] = from[i] + rate * conductivity[i] * (from[i - 1] - 2 * from[i] + from[i + 1]) * (1 + 0.1 * from[i]);
}
enum { Most = 4 };
double heat(const double *start, const double *conductivity, double rate, int n, int steps) {
  int devices, each;
  cudaGetDeviceCount(&devices);
  if (devices > Most)
    devices = Most;
  each = n / devices;
  double *u[Most], *v[Most], *c[Most], sum = 0;
  cudaStream_t stream[Most];
  cudaEvent_t done[Most];
  for (int d = 0; d < devices; ++d) {
    cudaSetDevice(d);
    cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done[d], cudaEventDisableTiming);
    cudaMalloc(&u[d], (each + 2) * sizeof(double));
    cudaMalloc(&v[d], (each + 2) * sizeof(double));
    cudaMalloc(&c[d], (each + 2) * sizeof(double));
    cudaMemsetAsync(u[d], 0, (each + 2) * sizeof(double), stream[d]);
    cudaMemsetAsync(v[d], 0, (each + 2) * sizeof(double), stream[d]);
    cudaMemcpyAsync(u[d] + 1, start + d * each, each * sizeof(double), cudaMemcpyHostToDevice, stream[d]);
    cudaMemcpyAsync(c[d] + 1, conductivity + d * each, each * sizeof(double), cudaMemcpyHostToDevice, stream[d]);
    cudaEventRecord(done[d], stream[d]);
  }
  for (int t = 0; t < steps; ++t) {
    for (int d = 0; d < devices; ++d) { // halos come when the neighbours have their cells
      cudaSetDevice(d);
      if (d > 0) {
        cudaStreamWaitEvent(stream[d], done[d - 1], 0);
        cudaMemcpyPeerAsync(u[d], d, u[d - 1] + each, d - 1, sizeof(double), stream[d]);
      }
      if (d + 1 < devices) {
        cudaStreamWaitEvent(stream[d], done[d + 1], 0);
        cudaMemcpyPeerAsync(u[d] + each + 1, d, u[d + 1] + 1, d + 1, sizeof(double), stream[d]);
      }
    }
    for (int d = 0; d < devices; ++d) {
      cudaSetDevice(d);
      diffuse<<<(each + 63) / 64, 64, 0, stream[d]>>>(u[d], v[d], c[d], rate, each);
      double *old = u[d];
      u[d] = v[d];
      v[d] = old;
      cudaEventRecord(done[d], stream[d]);
    }
    // The next halos overwrite what a neighbour may still read.
    for (int d = 0; d < devices; ++d) {
      cudaSetDevice(d);
      for (int e = 0; e < devices; ++e)
        cudaStreamWaitEvent(stream[d], done[e], 0);
    }
  }
  std::vector<double> end(n);
  for (int d = 0; d < devices; ++d) {
    cudaSetDevice(d);
    cudaMemcpyAsync(&end[d * each], u[d] + 1, each * sizeof(double), cudaMemcpyDeviceToHost, stream[d]);
    cudaStreamSynchronize(stream[d]);
    cudaFree(u[d]), cudaFree(v[d]), cudaFree(c[d]);
    cudaStreamDestroy(stream[d]);
    cudaEventDestroy(done[d]);
  }
  cudaSetDevice(0);
  for (int i = 0; i < each * devices; ++i)
    sum += end[i] * end[i] * (1 + i % 3);
  return sum;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 36, steps = argc > 2 ? atoi(argv[2]) : 7;
  std::vector<double> u(n), c(n), gu(n), gc(n), tu(n), tc(n);
  double rate = 0.2;
  for (int i = 0; i < n; ++i)
    u[i] = 0.1 * (i * 7 % 11), c[i] = 1 + 0.05 * (i % 4), tu[i] = 0.1 * (i % 5) - 0.2, tc[i] = 0.3 - 0.1 * (i % 3);
  double byRate = __enzyme_autodiff<double>((void *)heat, enzyme_dup, u.data(), gu.data(), enzyme_dup, c.data(),
                                            gc.data(), enzyme_out, rate, n, steps);
  RG_WITHIN(byRate, RG_DIFF(heat(u.data(), c.data(), rate, n, steps), rate), 1e-8);
  for (int i = 0; i < n; i += 1 + n / 9) {
    RG_WITHIN(gu[i], RG_DIFF(heat(u.data(), c.data(), rate, n, steps), u[i]), 1e-8);
    RG_WITHIN(gc[i], RG_DIFF(heat(u.data(), c.data(), rate, n, steps), c[i]), 1e-8);
  }
  double slope = 0.4 * byRate;
  for (int i = 0; i < n; ++i)
    slope += gu[i] * tu[i] + gc[i] * tc[i];
  RG_WITHIN(__enzyme_fwddiff<double>((void *)heat, enzyme_dup, u.data(), tu.data(), enzyme_dup, c.data(), tc.data(),
                                     enzyme_dup, rate, 0.4, n, steps),
            slope, 1e-10);
  return rgReport();
}
