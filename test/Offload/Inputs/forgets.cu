// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of streams, right and wrong: prints what arrives. "forgets" leaves out what orders the two.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void add(double *x, double a) { *x += a; }
__global__ void twice(double *x) { *x *= 2; }

static void arrives(bool forgets, const char *what) {
  double *x, *pinned, y = 1;
  cudaStream_t one, two, apart;
  cudaEvent_t done;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
  cudaEventCreate(&done);
  cudaMalloc(&x, sizeof *x);
  cudaMallocHost(&pinned, sizeof *pinned);
  cudaMemcpy(x, &y, sizeof y, cudaMemcpyHostToDevice);
  *pinned = 1;
  if (!strcmp(what, "event")) {
    add<<<1, 1, 0, one>>>(x, 1);
    cudaEventRecord(done, one);
    if (!forgets)
      cudaStreamWaitEvent(two, done, 0);
    twice<<<1, 1, 0, two>>>(x);
    cudaStreamSynchronize(two);
    cudaMemcpyAsync(&y, x, sizeof y, cudaMemcpyDeviceToHost, two);
    cudaStreamSynchronize(two);
  } else if (!strcmp(what, "default")) { // a stream that is apart from the default one
    add<<<1, 1>>>(x, 1);
    twice<<<1, 1, 0, forgets ? apart : two>>>(x);
    cudaMemcpyAsync(&y, x, sizeof y, cudaMemcpyDeviceToHost, forgets ? apart : two);
  } else if (!strcmp(what, "pinned")) { // the program changes what has not been copied yet
    cudaMemcpyAsync(x, pinned, sizeof y, cudaMemcpyHostToDevice, one);
    if (!forgets)
      cudaStreamSynchronize(one);
    *pinned = 7;
    cudaMemcpyAsync(&y, x, sizeof y, cudaMemcpyDeviceToHost, one);
  } else { // what has arrived
    add<<<1, 1, 0, one>>>(x, 1);
    cudaMemcpyAsync(pinned, x, sizeof y, cudaMemcpyDeviceToHost, one);
    if (!forgets)
      cudaEventRecord(done, one), cudaEventSynchronize(done);
    y = *pinned;
  }
  printf("%g\n", y);
}
int main(int, char **argv) {
  for (int i = 2; argv[i]; i++)
    arrives(!strcmp(argv[1], "forgets"), argv[i]);
}
