// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib -Xclang -target-sdk-version=12.8 -isystem %root/include/retrograd/cuda -include %root/include/retrograd/cuda/retrograd_cuda.h -w --cuda-device-only -O2 -S %s -o %t.ptx -mllvm -rg-keep-kernels=%t.bc
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-path=%t.none -nocudainc -nocudalib -Xclang -target-sdk-version=12.8 -isystem %root/include/retrograd/cuda -include %root/include/retrograd/cuda/retrograd_cuda.h -w --cuda-host-only -O2 -S -emit-llvm %s -o %t.ll -mllvm -rg-kernels=%t.bc
// RUN: FileCheck %s < %t.ll
// A launch of a kernel that reads variables in constant memory has a derivative on a GPU, too: it is
// given their addresses, which are no constant memory to it.
#include <cuda_runtime.h>
extern int enzyme_dup;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

__constant__ double coefficients[4];
__constant__ int order;
__device__ double horner(double v) {
  double s = 0;
  for (int k = order; k >= 0; k--)
    s = s * v + coefficients[k];
  return s;
}
// CHECK: @rg.kernels.ptx = {{.*}}.entry _Z4polyPKdPdi_rg_rev0_1_4
// CHECK-NOT: ld.const
__global__ void poly(const double *x, double *y, int n) {
  int i = threadIdx.x;
  if (i < n)
    y[i] = horner(x[i]);
}
double f(const double *x, const double *c) {
  double *d, *e, y[4];
  int o = 3;
  cudaMalloc(&d, sizeof y);
  cudaMalloc(&e, sizeof y);
  cudaMemcpyToSymbol(order, &o, sizeof o);
  cudaMemcpyToSymbol(coefficients, c, sizeof coefficients);
  cudaMemcpy(d, x, sizeof y, cudaMemcpyHostToDevice);
  poly<<<1, 4>>>(d, e, 4);
  cudaMemcpy(y, e, sizeof y, cudaMemcpyDeviceToHost);
  cudaFree(d), cudaFree(e);
  return y[0] + y[1] + y[2] + y[3];
}
void gradient(const double *x, double *g, const double *c, double *gc) {
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x, g, enzyme_dup, c, gc);
}
