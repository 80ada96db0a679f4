// A loop from thread to thread, or from grid to grid, runs as often as a division says, and has a counter from zero; one
// with a second exit and one that begins without a question stay as they are. Where threads wait for each other, the
// number is that of the way from the first index to the end, if it does not name the thread as these do.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s -mllvm -rg-print-after=count-strides 2>&1 | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s -mllvm -rg-print-loops 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s -mllvm -rg-disable=count-strides -mllvm -rg-print-loops 2>&1 | FileCheck %s --check-prefix=OFF
#include "rgdevice.h"
#define THREADS() (unsigned)__nvvm_read_ptx_sreg_ntid_x()
#define GRID() (THREADS() * (unsigned)__nvvm_read_ptx_sreg_nctaid_x())
// CHECK: ; after count-strides
// CHECK-LABEL: @rg.primal._Z8ofThread
// CHECK: %[[TIMES:.*]] = call i32 @rg_strides_s32(
// CHECK: %[[DONE:.*]] = phi i32 [ 0, %{{.*}} ], [ %[[NEXT:.*]], %{{.*}} ]
// CHECK: %[[NEXT]] = add nuw i32 %[[DONE]], 1
// CHECK: icmp {{eq|ne}} i32 %[[DONE]], %[[TIMES]]
// LOOPS-LABEL: loops of rg.primal._Z8ofThread
// LOOPS: backedges = %
// OFF-LABEL: loops of rg.primal._Z8ofThread
// OFF: backedges unknown
__device__ void ofThread(const double *__restrict__ x, double *__restrict__ y, int n) {
  double s = 0;
  for (int i = THREAD(); i < n; i += THREADS())
    s += x[i] * x[i];
  y[INDEX()] = s;
}
// CHECK-LABEL: @rg.primal._Z6ofGrid
// CHECK: call i64 @rg_strides_u64(
// LOOPS-LABEL: loops of rg.primal._Z6ofGrid
// LOOPS: backedges = %
__device__ void ofGrid(const double *__restrict__ x, double *__restrict__ y, unsigned long n) {
  for (unsigned long i = INDEX(); i < n; i += GRID())
    y[i] = x[i] * x[i];
}
// CHECK-NOT: rg_strides
// CHECK-LABEL: @rg.primal._Z9waitsRows
// CHECK: %[[WAY:.*]] = mul i32 %2, 9
// CHECK: %[[ONE:.*]] = call i32 @llvm.smax.i32(i32 %[[WAY]], i32 1)
// CHECK: %[[LESS:.*]] = sub i32 %[[ONE]], 1
// CHECK: %[[TIMES:.*]] = udiv i32 %[[LESS]],
// CHECK: icmp {{eq|ne}} i32 %{{.*}}, %[[TIMES]]
// LOOPS-LABEL: loops of rg.primal._Z9waitsRows
// LOOPS: backedges = ((-1 + (1 smax (9 * %2)))
__device__ void waitsRows(const double *__restrict__ x, double *__restrict__ y, int n) {
  double s = 0;
  const int rows = __nvvm_read_ptx_sreg_ctaid_x();
  for (int i = rows * 9 * n + THREAD(); i < (rows + 1) * 9 * n + (int)THREAD(); i += n) {
    s += x[i] * x[i];
    BARRIER();
  }
  y[INDEX()] = s;
}
// CHECK-NOT: rg_strides
// CHECK-NOT: rg.times
__device__ void waits(const double *__restrict__ x, double *__restrict__ y, int n) {
  double s = 0;
  for (int i = THREAD(); i < n; i += THREADS()) {
    s += x[i] * x[i];
    BARRIER();
  }
  y[INDEX()] = s;
}
__device__ void leaves(const double *__restrict__ x, double *__restrict__ y, int n) {
  double s = 0;
  for (int i = THREAD(); i < n; i += THREADS()) {
    s += x[i] * x[i];
    if (s > 100)
      break;
  }
  y[INDEX()] = s;
}
__device__ void beginsAnyway(const double *__restrict__ x, double *__restrict__ y, int n) {
  double s = 0;
  int i = THREAD();
  do {
    s += x[i] * x[i];
    i += THREADS();
  } while (i < n);
  y[INDEX()] = s;
}
template <typename T> __device__ void gradientOf(void *f, const double *x, double *dx, double *y, double *dy, T n) {
  __enzyme_autodiff(f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
__global__ void gradient(const double *x, double *dx, double *y, double *dy, int n, unsigned long m) {
  gradientOf((void *)ofThread, x, dx, y, dy, n);
  gradientOf((void *)ofGrid, x, dx, y, dy, m);
  gradientOf((void *)waitsRows, x, dx, y, dy, n);
  gradientOf((void *)waits, x, dx, y, dy, n);
  gradientOf((void *)leaves, x, dx, y, dy, n);
  gradientOf((void *)beginsAnyway, x, dx, y, dy, n);
}
