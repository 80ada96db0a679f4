// A failed assert of a kernel: its line, who failed, and the error of the next call; the
// error stays until the device is reset. printf of a device.
// RUN: %rgcxx --offload=cpu -O2 %s -o %t && %t > %t.out 2> %t.err
// RUN: FileCheck %s < %t.err
// RUN: FileCheck --check-prefix=OUT %s < %t.out
#include <assert.h>
#include <cuda_runtime.h>
#include <stdio.h>
__global__ void fails(int *X) {
  // CHECK: assert.cu:[[@LINE+1]]: {{.*}}fails{{.*}}: block: [1,0,0], thread: [3,0,0] Assertion `X[threadIdx.x] != 3 || blockIdx.x != 1` failed.
  assert(X[threadIdx.x] != 3 || blockIdx.x != 1);
}
__global__ void tells(int N) {
  if (threadIdx.x == 1)
    printf("%d %5.2f %s %c %llu %x%% %-4d|\n", N, 2.5, "word", 'c', 1ull << 40, 255, 7);
}
int main() {
  int *X;
  cudaMallocManaged(&X, 16);
  for (int I = 0; I < 4; ++I)
    X[I] = I;
  // OUT: 42  2.50 word c 1099511627776 ff% 7   |
  tells<<<1, 2>>>(42);
  fails<<<2, 4>>>(X);
  // OUT: device-side assert triggered
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  // OUT: device-side assert triggered
  printf("%s\n", cudaGetErrorString(cudaMemset(X, 0, 4)));
  cudaDeviceReset();
  // OUT: no error
  printf("%s\n", cudaGetErrorString(cudaMemset(X, 0, 4)));
}
