// A struct by value is read where the kernel was given it, by whatever index; one that the
// function writes is copied.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-disable=parameters-in-place %s -o - | FileCheck --check-prefix=OFF %s
#include "rgdevice.h"

struct Table {
  unsigned data[130];
  float scale;
};
__device__ void look(Table t, const float *__restrict__ x, float *__restrict__ y, unsigned n) {
  unsigned i = INDEX();
  y[i] = x[t.data[i % 128]] * x[i] * t.scale;
}
// CHECK-LABEL: define{{.*}} @_Z4read
// CHECK-NOT: llvm.memcpy
// CHECK: ret void
// OFF-LABEL: define{{.*}} @_Z4read
// OFF: llvm.memcpy
__global__ void read(Table t, const float *x, float *dx, float *y, float *dy, unsigned n) {
  __enzyme_autodiff((void *)look, enzyme_const, t, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}

__device__ void change(Table t, const float *__restrict__ x, float *__restrict__ y, unsigned n) {
  unsigned i = INDEX();
  t.data[i % 128] = i;
  y[i] = x[t.data[(i + n) % 128] % n] * x[i];
}
// CHECK-LABEL: define{{.*}} @_Z5write
// CHECK: llvm.memcpy
// CHECK: ret void
__global__ void write(Table t, const float *x, float *dx, float *y, float *dy, unsigned n) {
  __enzyme_autodiff((void *)change, enzyme_const, t, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
