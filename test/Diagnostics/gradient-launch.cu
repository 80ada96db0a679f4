// RUN: not %rgcxx -O2 --offload=cpu -DTYPES -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: not %rgcxx -O2 --offload=cpu -c %s -o %t.o 2>&1 | FileCheck %s
// A host derivative that is launched, and a kernel's derivative that is called.
#include <cuda_runtime.h>
#include <retrograd/retrograd.hpp>
double square(double x) { return x * x; }
void fill(double *x, int n) {
  for (int i = 0; i < n; i++)
    x[i] *= x[i];
}
__global__ void twice(double *x, int n) {
  if (threadIdx.x < n)
    x[threadIdx.x] *= 2;
}
int main() {
  double x = 1, g = 0;
#ifdef TYPES
  // TYPES: gradient-launch.cu:[[@LINE+1]]:{{[0-9]+}}: error: only the gradient of a kernel is launched with a grid
  rg::gradient(square).launch(1, 1, 2.0);
  // TYPES: gradient-launch.cu:[[@LINE+1]]:{{[0-9]+}}: error: the gradient of a kernel is launched: rg::gradient(kernel).launch(grid, block, arguments...)
  rg::gradient(twice)(rg::dup(&x, &g), 1);
  // TYPES: gradient-launch.cu:[[@LINE+1]]:{{[0-9]+}}: error: a pointer must be wrapped
  rg::gradient(twice).launch(1, 1, &x, 1);
  // TYPES: gradient-launch.cu:[[@LINE+1]]:{{[0-9]+}}: error: the kernel cannot be launched with these arguments
  rg::gradient(twice).launch(1, 1, rg::dup(&x, &g));
#else
  // CHECK: error: a CUDA program cannot be differentiated here: {{.*}}a launch of what is no kernel of this file: a host function is called, and its derivative, too [RG2203]
  rg::gradient(fill).launch(1, 1, rg::dup(&x, &g), 1);
#endif
}
