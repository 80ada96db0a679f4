// Barriers of the grid where blocks do not run together, and where one does not come: told, and an error of the launch.
// RUN: %rgcxx --offload=cpu -O1 %s -o %t && %t 2>&1 | FileCheck %s
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdio.h>
// CHECK: kernel 'meets' has a barrier of the grid and was not launched by cudaLaunchCooperativeKernel [RG1605]
// CHECK: alone: unspecified launch failure
// CHECK: kernel 'meets': a block waits for the grid, and another has ended [RG1605]
// CHECK: left: unspecified launch failure
// CHECK: many: too many blocks in cooperative launch
__global__ void meets(int *X, int Leaves) {
  if (Leaves && blockIdx.x == 1)
    return;
  cooperative_groups::this_grid().sync();
  X[blockIdx.x] = 1;
}
int main() {
  setbuf(stdout, nullptr);
  int *X, Leaves = 1;
  cudaMallocManaged(&X, 64);
  meets<<<2, 4>>>(X, 0);
  printf("alone: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaDeviceReset();
  void *Arguments[] = {&X, &Leaves};
  cudaLaunchCooperativeKernel(meets, dim3(3), dim3(4), Arguments);
  printf("left: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaDeviceReset();
  printf("many: %s\n", cudaGetErrorString(cudaLaunchCooperativeKernel(meets, dim3(5000), dim3(4), Arguments)));
}
