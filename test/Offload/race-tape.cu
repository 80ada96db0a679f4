// The tape of a gradient is each thread's own memory; threads of the next block find theirs in the same place. That is no
// race, while one of the gradient's own (all add to y[0] in the primal by plain stores) is told of.
// RUN: %rgcxx --offload=cpu -O2 -I%root/include -rg-check-races %s -o %t
// RUN: %t 2>&1 | FileCheck --allow-empty --check-prefix=FINE %s
// RUN: not %t racy 2>&1 | FileCheck --check-prefix=RACY %s
// RUN: %rgcxx --offload=cpu -O0 -I%root/include -rg-check-races %s -o %t.0 && %t.0 2>&1 | FileCheck --allow-empty --check-prefix=FINE %s
// FINE-NOT: RG1602
#include <cstdio>
#include <cuda_runtime.h>
template <typename... T> __device__ void __enzyme_autodiff(void *, T...);
extern __device__ int enzyme_dup, enzyme_const;
__device__ void f(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < n; ++k)
    v = v * v + x[i];
  y[i] = v;
}
__device__ void racy(const float *x, float *y, int n) {
  // RACY: race-tape.cu:[[@LINE+1]]:{{[0-9]+}}: error: race in kernel
  y[0] += x[blockIdx.x * blockDim.x + threadIdx.x];
}
__global__ void gradient(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
__global__ void racyGradient(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)racy, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
int main(int argc, char **) {
  float *p[4];
  for (float *&q : p)
    cudaMalloc(&q, 64 * 4), cudaMemset(q, 0, 64 * 4);
  if (argc > 1)
    racyGradient<<<2, 32>>>(p[0], p[1], p[2], p[3], 40);
  else
    gradient<<<2, 32>>>(p[0], p[1], p[2], p[3], 40);
  return cudaDeviceSynchronize();
}
