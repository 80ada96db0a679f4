// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that speaks HIP: memory, streams, events, launches and variables by HIP's names.
#include "gradients.h"
#include <hip/hip_runtime.h>

__constant__ double weights[3];
template <class T> __global__ void mix(const T *x, T *y, T factor, int n) {
  HIP_DYNAMIC_SHARED(double, tile)
  int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
  tile[threadIdx.x] = i < n ? x[i] * x[i] * factor : 0;
  __syncthreads();
  if (i < n)
    y[i] = weights[i % 3] * tile[threadIdx.x] + tile[threadIdx.x ^ 1];
}
double f(const double *x, int n) {
  double *a, *b, *pinned, s = 0;
  hipStream_t stream;
  hipEvent_t done;
  hipDeviceProp_t about;
  if (hipGetDeviceProperties(&about, 0) != hipSuccess || about.warpSize != 32)
    return -1;
  hipStreamCreateWithFlags(&stream, hipStreamNonBlocking);
  hipEventCreateWithFlags(&done, hipEventDisableTiming);
  if (hipMalloc(&a, n * sizeof(double)) || hipMalloc((void **)&b, n * sizeof(double)) ||
      hipHostMalloc(&pinned, n * sizeof(double), hipHostMallocDefault))
    return -1;
  hipMemcpyToSymbol(HIP_SYMBOL(weights), x + 1, sizeof weights);
  hipMemcpyAsync(a, x, n * sizeof(double), hipMemcpyHostToDevice, stream);
  hipMemsetAsync(b, 0, n * sizeof(double), stream);
  for (int t = 0; t < 3; t++) {
    hipLaunchKernelGGL(HIP_KERNEL_NAME(mix<double>), dim3((n + 7) / 8), dim3(8), 8 * sizeof(double), stream, a, b, x[t], n);
    mix<double><<<(n + 7) / 8, 8, 8 * sizeof(double), stream>>>(b, a, 0.5, n);
  }
  hipEventRecord(done, stream);
  hipEventSynchronize(done);
  hipMemcpy(pinned, a, n * sizeof(double), hipMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    s += pinned[i] * (1 + i % 4);
  hipHostFree(pinned);
  (void)hipFree(a), (void)hipFree(b);
  hipEventDestroy(done), hipStreamDestroy(stream);
  return hipGetLastError() == hipSuccess ? s : -1;
}
int main() {
  rgCheckGradient(f, 20, 0.6);
  return rgReport();
}
