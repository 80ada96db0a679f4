// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: cuda-toolkit
// RUN: %rgcxx -O2 --offload-arch=sm_90 -c %s -o %t.o
//
// The device's library has tables that the host does not know (sinf of large numbers has one), and
// they are no constants there. A launch from differentiated host code may read them.
#include <cuda_runtime.h>

extern int enzyme_dup;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

__global__ void wave(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = sinf(x[i]) * cosf(x[i]);
}
float f(const float *x) {
  float *d, y[4];
  cudaMalloc(&d, sizeof y);
  cudaMemcpy(d, x, sizeof y, cudaMemcpyHostToDevice);
  wave<<<1, 4>>>(d, 4);
  cudaMemcpy(y, d, sizeof y, cudaMemcpyDeviceToHost);
  cudaFree(d);
  return y[0] + y[1] + y[2] + y[3];
}
void gradient(const float *x, float *g) { __enzyme_autodiff<float>((void *)f, enzyme_dup, x, g); }
