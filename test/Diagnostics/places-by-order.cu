// RUN: not %rgcxx -O2 --offload=cpu -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O0 --offload=cpu -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// Kernels that append numbers to a list: who gets which place is decided by the order of threads,
// which is another when the kernel runs again in the reverse sweep. And copies of bytes that
// nobody says to be numbers.
#include <cuda_runtime.h>
extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

__global__ void append(const double *x, double *list, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0)
    list[atomicAdd(count, 1)] = x[i];
}
__global__ void appendByBlock(const double *x, double *list, int *count, int n) {
  __shared__ int own, base;
  int i = blockIdx.x * blockDim.x + threadIdx.x, rank = -1;
  if (threadIdx.x == 0)
    own = 0;
  __syncthreads();
  if (i < n && x[i] > 0)
    rank = atomicAdd(&own, 1);
  __syncthreads();
  if (threadIdx.x == 0)
    base = atomicAdd(count, own);
  __syncthreads();
  if (rank >= 0)
    list[base + rank] = x[i];
}
// No error: the number depends on its place alone, whoever takes it.
__global__ void queue(const double *x, double *y, int *next, int n) {
  for (int i = atomicAdd(next, 1); i < n; i = atomicAdd(next, 1))
    y[i] = x[i] * x[i];
}
// No error: places are integers of another launch.
__global__ void places(const double *x, int *place, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  place[i] = i < n && x[i] > 0 ? atomicAdd(count, 1) : -1;
}
__global__ void put(const double *x, double *list, const int *place, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && place[i] >= 0)
    list[place[i]] = x[i];
}
double f(const double *x, int n) {
  double *a, *b, y;
  int *count, *place;
  cudaMalloc(&a, n * 8);
  cudaMalloc(&b, n * 8);
  cudaMalloc(&count, 16);
  cudaMalloc(&place, 4 * n);
  cudaMemset(count, 0, 16);
  cudaMemcpy(a, x, n * 8, cudaMemcpyHostToDevice);
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'append', which puts numbers at places that it counts by atomic operations, in the order in which threads come: in the reverse sweep it runs again, and the order may be another; let one kernel write the places to memory, as integers, and another one the numbers there [RG2203]
  // CHECK-DAG: places-by-order.cu:[[@LINE+1]]:{{[0-9]+}}: note: it is here, in 'f'
  append<<<2, 32>>>(a, b, count, n);
  // CHECK-DAG: a launch of 'appendByBlock', which puts numbers at places
  appendByBlock<<<2, 32>>>(b, a, count + 1, n);
  // CHECK-NOT: a launch of 'queue'
  // CHECK-NOT: a launch of 'p
  queue<<<2, 32>>>(a, b, count + 2, n);
  places<<<2, 32>>>(b, place, count + 3, n);
  put<<<2, 32>>>(b, a, place, n);
  cudaMemcpy(&y, a, 8, cudaMemcpyDeviceToHost);
  return y;
}
int main() {
  double x[40] = {1}, g[40] = {};
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x, g, enzyme_const, 40);
}
