// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and kernels in streams, events, callbacks.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
__global__ void init_array(int *g, int *factor, int iters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < iters; k++)
    g[i] += *factor;
}
__global__ void increment_kernel(int *g_data, int inc_value) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  g_data[idx] = g_data[idx] + inc_value;
}
static void CUDART_CB cb(cudaStream_t s, cudaError_t st, void *d) { (*(int *)d)++; }
int main(int argc, char **argv) {
  const int n = 1 << 14, ns = 4;
  int *a, *d_a, *d_c, five = 5;
  size_t bytes = n * sizeof(int);
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  CHECK(cudaMallocHost((void **)&a, bytes));
  CHECK(cudaMalloc((void **)&d_a, bytes));
  CHECK(cudaMalloc((void **)&d_c, 4));
  CHECK(cudaMemcpy(d_c, &five, 4, cudaMemcpyHostToDevice));
  cudaStream_t st[ns];
  for (int i = 0; i < ns; i++)
    CHECK(cudaStreamCreate(&st[i]));
  cudaEvent_t e0, e1;
  CHECK(cudaEventCreateWithFlags(&e0, cudaEventBlockingSync));
  CHECK(cudaEventCreate(&e1));
  cudaProfilerStart();
  CHECK(cudaMemset(d_a, 0, bytes));
  CHECK(cudaEventRecord(e0, 0));
  int calls = 0;
  for (int i = 0; i < ns; i++) {
    init_array<<<n / ns / 256, 256, 0, st[i]>>>(d_a + i * n / ns, d_c, 3);
    CHECK(cudaGetLastError());
  }
  for (int i = 0; i < ns; i++)
    CHECK(cudaMemcpyAsync(a + i * n / ns, d_a + i * n / ns, bytes / ns, cudaMemcpyDeviceToHost, st[i]));
  for (int i = 0; i < ns; i++)
    CHECK(cudaStreamAddCallback(st[i], cb, &calls, 0));
  CHECK(cudaEventRecord(e1, 0));
  unsigned long cnt = 0;
  while (cudaEventQuery(e1) == cudaErrorNotReady)
    cnt++;
  CHECK(cudaEventSynchronize(e1));
  float ms;
  CHECK(cudaEventElapsedTime(&ms, e0, e1));
  EXPECT(ms >= 0);
  cudaProfilerStop();
  EXPECT(calls == ns);
  for (int i = 0; i < n; i++)
    EXPECT(a[i] == 15);
  increment_kernel<<<n / 512, 512, 0, cudaStreamPerThread>>>(d_a, 7);
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  increment_kernel<<<n / 512, 512, 0, cudaStreamLegacy>>>(d_a, 1);
  CHECK(cudaStreamSynchronize(cudaStreamLegacy));
  CHECK(cudaMemcpy(a, d_a, bytes, cudaMemcpyDefault));
  for (int i = 0; i < n; i++)
    EXPECT(a[i] == 23);
  for (int i = 0; i < ns; i++) {
    CHECK(cudaStreamWaitEvent(st[i], e1, 0));
    CHECK(cudaStreamQuery(st[i]));
    CHECK(cudaStreamDestroy(st[i]));
  }
  int lo, hi;
  CHECK(cudaDeviceGetStreamPriorityRange(&lo, &hi));
  cudaStream_t hs;
  CHECK(cudaStreamCreateWithPriority(&hs, cudaStreamNonBlocking, hi));
  CHECK(cudaEventRecordWithFlags(e0, hs, cudaEventRecordDefault));
  CHECK(cudaEventDestroy(e0));
  CHECK(cudaFreeHost(a));
  CHECK(cudaFree(d_a));
  CHECK(cudaDeviceReset());
  return finish();
}
