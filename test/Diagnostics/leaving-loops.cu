// RUN: not %rgcxx --offload=cpu -O2 -c %s -o /dev/null 2>&1 | FileCheck %s
// Threads that are done with a loop sooner than others do not return, and the message does not say so.
#include <cuda_runtime.h>
template <typename... T> __device__ void __enzyme_autodiff(void *, T...);
extern __device__ int enzyme_dup, enzyme_const;
__device__ void rounds(const float *x, float *y, const int *n) {
  __shared__ float s[64];
  int i = threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n[i]; ++t) {
    s[i] = x[t];
    __syncthreads();
    sum += s[63 - i] * s[i];
    __syncthreads();
  }
  y[i] = sum;
}
__global__ void g(const float *x, float *dx, float *y, float *dy, const int *n) {
  // CHECK: leaving-loops.cu:[[@LINE+1]]:{{[0-9]+}}: error: this GPU operation cannot be reversed: some threads may leave this loop here while others go on to a barrier in it: {{.*}} [RG2201]
  __enzyme_autodiff((void *)rounds, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n + threadIdx.x);
}
int main() {}
