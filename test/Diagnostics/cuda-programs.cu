// RUN: not %rgcxx -O2 --offload=cpu -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O0 --offload=cpu -c %s -o %t.o 2>&1 | FileCheck %s
// What host functions with launches may not do is told with the routine's name, at its line.
#include <cuda_runtime.h>
extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

__global__ void twice(double *x) { x[threadIdx.x] *= 2; }

double pitched(double *x) {
  double *d, y;
  cudaMalloc(&d, 8);
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: 'cudaMemcpy2D', which has no reverse; copy with cudaMemcpy [RG2203]
  // CHECK-DAG: cuda-programs.cu:[[@LINE+1]]:{{[0-9]+}}: note: it is here, in 'pitched'
  cudaMemcpy2D(d, 8, x, 8, 8, 1, cudaMemcpyHostToDevice);
  twice<<<1, 1>>>(d);
  cudaMemcpy(&y, d, 8, cudaMemcpyDeviceToHost);
  return y;
}

__device__ double factor;
__global__ void scaled(double *x) { x[threadIdx.x] *= factor; }
double symbol(double *x) {
  double *d, y, f = 3;
  cudaMalloc(&d, 8);
  cudaMemcpy(d, x, 8, cudaMemcpyHostToDevice);
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: 'cudaMemcpyToSymbol', which handles a variable of the device: {{.*}} [RG2203]
  cudaMemcpyToSymbol(factor, &f, 8);
  scaled<<<1, 1>>>(d);
  cudaMemcpy(&y, d, 8, cudaMemcpyDeviceToHost);
  return y;
}

__global__ void counts(double *x) {
  x[threadIdx.x] *= 2;
  factor = x[0];
}
double writes(double *x) {
  double *d, y;
  cudaMalloc(&d, 8);
  cudaMemcpy(d, x, 8, cudaMemcpyHostToDevice);
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'counts', which writes the variable 'factor' [RG2203]
  counts<<<1, 1>>>(d);
  cudaMemcpy(&y, d, 8, cudaMemcpyDeviceToHost);
  return y;
}

__global__ void rows(double **x) { x[threadIdx.x][0] *= 2; }
double pointers(double **x) {
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'rows', which goes through pointers that lie in memory [RG2203]
  rows<<<1, 1>>>(x);
  return 0;
}

struct small {
  double *at;
};
__global__ void held(small s) { s.at[threadIdx.x] *= 2; }
void structs(double *x) {
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'held', which goes through pointers that lie in memory [RG2203]
  held<<<1, 1>>>(small{x});
}

void back(void *) {}
void callback(double *x) {
  twice<<<1, 1>>>(x);
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: 'cudaLaunchHostFunc', the reverse of a stream calls nothing back [RG2203]
  cudaLaunchHostFunc(0, back, nullptr);
}

int main() {
  double x = 1, g = 0, *px = &x, *pg = &g;
  __enzyme_autodiff<double>((void *)pitched, enzyme_dup, &x, &g);
  __enzyme_autodiff<double>((void *)symbol, enzyme_dup, &x, &g);
  __enzyme_autodiff<double>((void *)writes, enzyme_dup, &x, &g);
  __enzyme_autodiff<double>((void *)pointers, enzyme_dup, &px, &pg);
  __enzyme_autodiff<void>((void *)structs, enzyme_dup, &x, &g);
  __enzyme_autodiff<void>((void *)callback, enzyme_dup, &x, &g);
}
