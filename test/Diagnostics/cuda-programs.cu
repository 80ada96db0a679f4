// RUN: not %rgcxx -O2 --offload=cpu -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O0 --offload=cpu -c %s -o %t.o 2>&1 | FileCheck %s
// What host functions with launches may not do is told with the routine's name, at its line.
#include <cuda_runtime.h>
extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

__global__ void twice(double *x) { x[threadIdx.x] *= 2; }

__global__ void texture(cudaTextureObject_t t, double *x) { x[threadIdx.x] *= tex1Dfetch<float>(t, threadIdx.x); }
cudaTextureObject_t pixels;
double fetches(double *x) {
  double *d, y;
  cudaMalloc(&d, 8);
  cudaMemcpy(d, x, 8, cudaMemcpyHostToDevice);
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'texture', which follows pointers that it reads from memory [RG2203]
  // CHECK-DAG: cuda-programs.cu:[[@LINE+1]]:{{[0-9]+}}: note: it is here, in 'fetches'
  texture<<<1, 1>>>(pixels, d);
  cudaMemcpy(&y, d, 8, cudaMemcpyDeviceToHost);
  cudaFree(d);
  return y;
}

double array(double *x) {
  cudaArray_t a;
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: 'cudaMallocArray', which has no reverse{{.*}} [RG2203]
  // CHECK-DAG: cuda-programs.cu:[[@LINE+1]]:{{[0-9]+}}: note: it is here, in 'array'
  cudaMallocArray(&a, nullptr, 8, 1, 0);
  twice<<<1, 1>>>(x);
  return x[0];
}

__global__ void rows(double **x) { x[threadIdx.x][0] *= 2; }
double pointers(double **x) {
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'rows', which follows pointers that it reads from memory [RG2203]
  rows<<<1, 1>>>(x);
  return 0;
}

double unseen(double *x, const void *kernel) {
  void *args[] = {&x};
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: 'cudaLaunchKernel', of which the compiler does not see the kernel [RG2203]
  cudaLaunchKernel(kernel, dim3(1), dim3(1), args, 0, 0);
  return 0;
}

struct table {
  double number[150];
};
__global__ void squares(table t, double *y) { y[threadIdx.x] = t.number[threadIdx.x] * t.number[threadIdx.x]; }
double large(const double *x) {
  table t;
  for (int i = 0; i < 150; i++)
    t.number[i] = x[i];
  double *d, y;
  cudaMalloc(&d, sizeof t);
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: a launch of 'squares', which takes a struct of more than 128 members with numbers or pointers by value; {{.*}} [RG2203]
  squares<<<1, 150>>>(t, d);
  cudaMemcpy(&y, d, 8, cudaMemcpyDeviceToHost);
  cudaFree(d);
  return y;
}

int main(int argc, char **argv) {
  double x = 1, g = 0, *px = &x, *pg = &g;
  __enzyme_autodiff<double>((void *)fetches, enzyme_dup, &x, &g);
  __enzyme_autodiff<double>((void *)array, enzyme_dup, &x, &g);
  __enzyme_autodiff<double>((void *)pointers, enzyme_dup, &px, &pg);
  double x150[150] = {}, g150[150] = {};
  __enzyme_autodiff<double>((void *)large, enzyme_dup, x150, g150);
  __enzyme_autodiff<double>((void *)unseen, enzyme_dup, &x, &g, enzyme_const, (const void *)argv[0]);
}
