// A launch in which two threads write one place cannot leave the seeds as they are: it is stopped, and says why.
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include %s -o %t
// RUN: %t 0 2>&1 | FileCheck %s
// RUN: %t 1 2>&1 | FileCheck %s
// RUN: %t 2 2>&1 | FileCheck --check-prefix=RIGHT %s
// CHECK: retrograd: the adjoints that the derivative of 'rows' starts from cannot stay as they are (enzyme_seed) in this launch: threads may write one place twice.
// CHECK: stopped
// RIGHT-NOT: retrograd
// RIGHT: went through
#include "rgcuda.h"
extern __device__ int enzyme_seed;

__device__ void rows(const float *__restrict__ x, float *__restrict__ y, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  for (int i = lane; i < n; i += 32)
    y[size_t(row) * n + i] = x[i] * x[row];
}
__global__ void gradient(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff<void>((void *)rows, enzyme_dup, x, dx, enzyme_seed, y, dy, enzyme_const, n);
}
int main(int, char **words) {
  rg::Buffer<float> x(400), dx(400), y(400), dy(400);
  // Two rows of threads, which the kernel does not tell apart; blocks that end within a warp.
  dim3 blocks[] = {dim3(32, 2), dim3(48), dim3(64)};
  gradient<<<2, blocks[atoi(words[1])]>>>(x.P, dx.P, y.P, dy.P, 40);
  bool right = cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
  printf("%s\n", right ? "went through" : "stopped");
}
