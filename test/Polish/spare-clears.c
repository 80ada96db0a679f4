// Zeros on zeros, and zeros that a loop overwrites (lib/Polish/SpareClears.cpp). That it is right is tested in Execute/C/spare-clears.c.
// RUN: %rgcc -O2 -fno-discard-value-names -S -emit-llvm -mllvm -rg-print-after=spare-clears %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -S -emit-llvm -mllvm -rg-print-after=spare-clears -mllvm -rg-disable=spare-clears %s -o /dev/null 2>&1 | count 0
#include <stdlib.h>
#include <string.h>
typedef struct {
  double lane[2];
} Two;
Two __enzyme_fwddiff_two(void *, ...);
extern int enzyme_dup, enzyme_const, enzyme_width;

// The shadow is cleared behind what the loop writes, in front of the loop, and as a whole where the loop does not run.
// CHECK-LABEL: define internal {{.*}}@rg.threes.fwd2
// CHECK: %[[SHADOW:[^ ]+]] = {{.*}}call {{.*}}@aligned_alloc
// CHECK-NOT: {{memset|store}}
// CHECK: br i1 %{{[^,]+}}, label %for.cond4.preheader.preheader, label %[[PAST:[^ ]+]]
// CHECK: %[[WRITTEN:[^ ]+]] = mul nuw nsw i64 %wide.trip.count, 48
// CHECK: %[[REST:[^ ]+]] = call i64 @llvm.smax.i64(i64 %[[WRITTEN]], i64 0)
// CHECK-NEXT: icmp slt i64 %[[REST]]
// CHECK: %[[FROM:[^ ]+]] = getelementptr i8, ptr %[[SHADOW]]
// CHECK-NEXT: call void @llvm.memset{{.*}}(ptr %[[FROM]], i8 0,
// CHECK: {{^}}[[PAST]]:
// CHECK-NEXT: call void @llvm.memset{{.*}}(ptr {{.*}}%[[SHADOW]], i8 0,
// CHECK-NOT: memset
// CHECK: {{^}}}
static double threes(const double *x, int n) {
  double *y = memset(malloc(n * sizeof(double)), 0, n * sizeof(double));
  for (int i = 0; i < n / 3; ++i)
    for (int j = 0; j < 3; ++j)
      y[3 * i + j] = x[i] * x[3 * i + j];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i] * x[i];
  free(y);
  return sum;
}
// What is read is cleared once.
// CHECK-LABEL: define internal {{.*}}@rg.reads.fwd2
// CHECK: call {{.*}}@aligned_alloc
// CHECK-NEXT: call void @llvm.memset{{.*}}(ptr align 64 %call.sh
// CHECK-NOT: memset{{.*}}sh
// CHECK-NOT: zeroinitializer, ptr
// CHECK: {{^}}}
static double reads(const double *x, int n) {
  double *y = malloc(n * sizeof(double));
  y[0] = 0;
  memset(y + 1, 0, (n - 1) * sizeof(double));
  for (int i = 0; i < n - 1; ++i)
    y[i] = x[i] * x[i] + y[i + 1];
  double sum = y[0];
  free(y);
  return sum;
}
Two all(const double *x, double *dx, double *dz, int n) {
  Two a = __enzyme_fwddiff_two((void *)threes, enzyme_width, 2, enzyme_dup, x, dx, dz, enzyme_const, n);
  Two b = __enzyme_fwddiff_two((void *)reads, enzyme_width, 2, enzyme_dup, x, dx, dz, enzyme_const, n);
  return (Two){{a.lane[0] + b.lane[0], a.lane[1] + b.lane[1]}};
}
