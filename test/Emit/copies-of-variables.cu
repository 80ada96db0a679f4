// RUN: %rgcxx --offload=cpu -O1 -mllvm -rg-print-derivative -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcxx --offload=cpu -O1 -DFORWARD -mllvm -rg-print-derivative -c %s -o %t.o 2>&1 | FileCheck --check-prefix=FORWARD %s
// A copy of device memory is given both primals: by them the runtime finds that a shadow is a variable's, which lies on
// the host, as far from the shadow's address as the device's variable is from the host's.
#include <cuda_runtime.h>
extern int enzyme_dup;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);
__device__ double table[4];
double f(const double *x) {
  double *t, y[4];
  cudaGetSymbolAddress((void **)&t, table);
  cudaMemcpy(t, x, sizeof y, cudaMemcpyHostToDevice);
  cudaMemcpy(y, t, sizeof y, cudaMemcpyDeviceToHost);
  return y[0] * y[1];
}
#ifdef FORWARD
double g(const double *x, double *d) { return __enzyme_fwddiff<double>((void *)f, enzyme_dup, x, d); }
#else
void g(const double *x, double *d) { __enzyme_autodiff<void>((void *)f, enzyme_dup, x, d); }
#endif
// CHECK-COUNT-2: call void @rg_gpu_adjoint_move_f64(ptr %{{[^,]*}}, ptr %{{[^,]*}}, ptr %{{[^,]*}}, ptr %{{[^,]*}},
// FORWARD-COUNT-2: call void @rg_gpu_tangent_move(ptr %{{[^,]*}}, ptr %{{[^,]*}}, ptr %{{[^,]*}}, ptr %{{[^,]*}},
