// Managed memory that the program keeps from call to call: the host may read what a launch
// writes there without a call that a derivative would see, so that the program ends.
// RUN: %rgcxx -O2 --offload=cpu %s -o %t
// RUN: not --crash %t 2>&1 | FileCheck %s
// CHECK: retrograd: derivatives flow through memory that has no shadow: a launch of 'twice' writes memory that host and device share, {{.*}} [RG1105]
#include <cuda_runtime.h>
extern int enzyme_dup;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

__global__ void twice(const double *x, double *y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }
static double *kept;
static double f(const double *x) {
  double *a;
  if (!kept)
    cudaMallocManaged(&kept, 4 * sizeof(double));
  cudaMalloc(&a, 4 * sizeof(double));
  cudaMemcpy(a, x, 4 * sizeof(double), cudaMemcpyHostToDevice);
  twice<<<1, 4>>>(a, kept);
  cudaDeviceSynchronize();
  cudaFree(a);
  return kept[0] + kept[3];
}
int main() {
  double x[4] = {1, 2, 3, 4}, d[4] = {};
  f(x);
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x, d);
  return 0;
}
