// A loop of compare and exchange that adds to a number is one atomic addition, whose old number is what the loop has found.
// One that goes on while its number is the smaller one is an atomic minimum. One that multiplies, and one that does more, stay loops.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s -mllvm -rg-print-after=spell-exchange-loops 2>&1 | FileCheck %s
#include "rgdevice.h"
typedef unsigned long long word;

// CHECK: ; after spell-exchange-loops
// CHECK-LABEL: @rg.primal._Z5added
// CHECK-NOT: {{cmpxchg|load i64}}
// CHECK: atomicrmw fadd ptr %{{.*}}, double %{{.*}} seq_cst
// CHECK-NOT: {{cmpxchg|load i64}}
// CHECK: ret void
__device__ void added(const double *__restrict__ x, double *y, int *__restrict__ found) {
  word *p = (word *)y, old = *p, seen;
  do {
    seen = old;
    old = seen;
    __atomic_compare_exchange_n(p, &old, (word)__builtin_bit_cast(word, x[THREAD()] + __builtin_bit_cast(double, seen)), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  } while (old != seen);
  found[THREAD()] = old == 0;
}
__global__ void ofAdded(const double *x, double *dx, double *y, double *dy, int *found) {
  __enzyme_autodiff((void *)added, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, found);
}
// CHECK-NOT: @rg.primal._Z8multiplied
__device__ void multiplied(const double *__restrict__ x, double *y) {
  word *p = (word *)y, old = *p, seen;
  do {
    seen = old;
    __atomic_compare_exchange_n(p, &old, __builtin_bit_cast(word, x[THREAD()] * __builtin_bit_cast(double, seen)), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  } while (old != seen);
}
__global__ void ofMultiplied(const double *x, double *dx, double *y, double *dy) {
  __enzyme_fwddiff((void *)multiplied, enzyme_const, x, enzyme_const, y);
}
// CHECK-LABEL: @rg.primal._Z12whileSmaller
// CHECK-NOT: cmpxchg
// CHECK: atomicrmw fmin ptr %{{.*}}, float %{{.*}} seq_cst
// CHECK-NOT: cmpxchg
// CHECK: ret void
__device__ void whileSmaller(const float *__restrict__ x, float *y) {
  unsigned *p = (unsigned *)y, old = *p;
  float v = x[THREAD()];
  while (v < __builtin_bit_cast(float, old))
    if (__atomic_compare_exchange_n(p, &old, __builtin_bit_cast(unsigned, v), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      break;
}
__global__ void ofSmaller(const float *x, float *dx, float *y, float *dy) {
  __enzyme_fwddiff((void *)whileSmaller, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
// LLVM chooses among the bits of both.
// CHECK-LABEL: @rg.primal._Z6larger
// CHECK-NOT: cmpxchg
// CHECK: atomicrmw fmax ptr %{{.*}}, double %{{.*}} seq_cst
// CHECK-NOT: cmpxchg
// CHECK: ret void
__device__ void larger(const double *__restrict__ x, double *y) {
  word *p = (word *)y, old = *p, seen;
  double v = x[THREAD()];
  do {
    seen = old;
    double was = __builtin_bit_cast(double, seen);
    __atomic_compare_exchange_n(p, &old, __builtin_bit_cast(word, was > v ? was : v), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  } while (old != seen);
}
__global__ void ofLarger(const double *x, double *dx, double *y, double *dy) {
  __enzyme_fwddiff((void *)larger, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
