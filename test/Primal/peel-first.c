// What a loop does in its first iteration alone stands before it.
// RUN: %clang -O2 -S -emit-llvm -fno-discard-value-names %s -o %t.ll
// RUN: %loadopt '-passes=print<rg-primal>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %loadopt '-passes=print<rg-primal>' -rg-disable=peel-first -disable-output %t.ll 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OFF

#include <stdlib.h>

// Then it is known that the memory is nobody else's, and what lies there is in registers.
// CHECK-LABEL: define {{.*}} @rg.primal.steps(
// CHECK: call {{.*}} @malloc(
// CHECK: phi i32
// CHECK-NOT: call {{.*}} @malloc(
// CHECK-NOT: store double
// CHECK: icmp eq i32
// OFF-LABEL: define {{.*}} @rg.primal.steps(
// OFF: phi i32
// OFF: call {{.*}} @malloc(
// OFF: store double
double steps(double x, int n, long *state) {
  double *k = 0, s = x;
  int ready = 0;
  for (int i = 0; i < n; ++i) {
    if (!ready) {
      ready = 1;
      // Large enough to be out of the optimiser's reach.
      for (int j = 0; j < 4; ++j) {
        long w = state[j];
        w ^= w << 13, w ^= w >> 7, w ^= w << 17;
        w ^= w << 13, w ^= w >> 7, w ^= w << 17;
        w ^= w << 13, w ^= w >> 7, w ^= w << 17;
        w ^= w << 13, w ^= w >> 7, w ^= w << 17;
        w ^= w << 13, w ^= w >> 7, w ^= w << 17;
        state[j] = w;
      }
      k = malloc(2 * sizeof *k);
    }
    k[0] = s * s;
    k[1] = k[0] + x;
    s = k[1] * 0.5;
  }
  free(k);
  return s;
}
