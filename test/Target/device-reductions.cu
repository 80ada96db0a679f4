// Adjoints in a loop are added to by red, behind whose loops the threads of a warp come
// together again: of global memory where the pointer is the kernel's, alone or in a struct,
// and of any memory otherwise. Additions whose result is wanted, and the program's own
// in order, stay what they are.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O0 -S %s -o %t.ptx
// RUN: FileCheck --check-prefix=NONE %s < %t.ptx
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=gpu-red %s -o - | FileCheck --check-prefix=OFF %s
// RUN: %rgcxx -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck --check-prefix=AMD %s
// AMD-NOT: red.
// OFF-NOT: red.
// NONE: red.relaxed.gpu
#include "rgdevice.h"
__device__ void gather(const double *x, const float *z, double *y, const int *index, int n) {
  int i = INDEX();
  double s = 0;
  for (int k = 0; k < index[i]; ++k)
    s += x[index[k]] * x[index[k] + 3] * z[index[k]];
  y[i] = s;
}
// CHECK-LABEL: .entry _Z5given
// CHECK-NOT: atom.{{.*}}add
// CHECK-DAG: red.relaxed.gpu.global.add.f64 [%rd{{[0-9]+}}+24], %
// CHECK-DAG: red.relaxed.gpu.global.add.f64 [%rd{{[0-9]+}}+0], %
// CHECK-DAG: red.relaxed.gpu.global.add.f32 [%rd{{[0-9]+}}+0], %
// CHECK-LABEL: .entry _Z8inStruct
// CHECK-NOT: atom.{{.*}}add
// CHECK-DAG: red.relaxed.gpu.global.add.f64
// CHECK-DAG: red.relaxed.gpu.global.add.f32
// CHECK-LABEL: .entry _Z8byTables
// CHECK-NOT: atom.{{.*}}add
// CHECK-DAG: red.relaxed.gpu.add.f64
// CHECK-DAG: red.relaxed.gpu.add.f32
// OFF-LABEL: .entry _Z5given
// OFF: atom.global.add.f64
__global__ void given(const double *x, double *dx, const float *z, float *dz, double *y, double *dy,
                      const int *index, int n) {
  __enzyme_autodiff((void *)gather, enzyme_dup, x, dx, enzyme_dup, z, dz, enzyme_dup, y, dy, enzyme_const, index,
                    enzyme_const, n);
}
struct Arrays {
  double *x, *dx;
  float *z, *dz;
  double *y, *dy;
};
__global__ void inStruct(Arrays a, const int *index, int n) {
  __enzyme_autodiff((void *)gather, enzyme_dup, a.x, a.dx, enzyme_dup, a.z, a.dz, enzyme_dup, a.y, a.dy,
                    enzyme_const, index, enzyme_const, n);
}
__global__ void byTables(const Arrays *a, const int *index, int n) {
  __enzyme_autodiff((void *)gather, enzyme_dup, a->x, a->dx, enzyme_dup, a->z, a->dz, enzyme_dup, a->y, a->dy,
                    enzyme_const, index, enzyme_const, n);
}
