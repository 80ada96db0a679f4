// Sine and cosine of one argument are computed in one call; and where both were kept, the
// derivative of one is the other.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=pair-sines -emit-llvm %s -o - | FileCheck --check-prefix=APART %s
#include "rgdevice.h"
extern "C" __device__ double __nv_sin(double) __attribute__((const));
extern "C" __device__ double __nv_cos(double) __attribute__((const));
__device__ void f(const double *__restrict__ x, double *__restrict__ y, int n) {
  int i = INDEX();
  double s = 0;
  for (int k = 0; k < n; ++k)
    s += x[k] * __nv_sin(x[k + i]);
  y[i] = s;
}
// In a deferred loop: the sine for x[k], the cosine for x[k + i].
// CHECK-LABEL: @_Z8gradient
// CHECK: call void @__nv_sincos(double
// CHECK-NOT: call {{.*}}@__nv_
// CHECK: ret void
// CHECK-LABEL: @_Z4both
// CHECK: call void @__nv_sincos(double
// CHECK-NOT: call {{.*}}@__nv_
// CHECK: ret void
// APART-LABEL: @_Z8gradient
// APART-NOT: sincos
// APART-LABEL: @_Z4both
// APART: call {{.*}}@__nv_sin(
// APART: call {{.*}}@__nv_cos(
// APART-NOT: call {{.*}}@__nv_
// APART: ret void
__global__ void gradient(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
__device__ void g(const double *__restrict__ x, double *__restrict__ y, int n) {
  int i = INDEX();
  double s = 0;
  for (int k = 0; k < n; ++k)
    s += __nv_sin(x[k + i]) * __nv_cos(x[k + i]);
  y[i] = s;
}
__global__ void both(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)g, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
// One within the other.
// CHECK-LABEL: @_Z6nested
// CHECK: call void @__nv_sincos(double
// CHECK: ret void
__device__ void h(const double *__restrict__ x, double *__restrict__ y) {
  int i = INDEX();
  y[i] = __nv_sin(__nv_cos(x[i]));
}
__global__ void nested(const double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff((void *)h, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
