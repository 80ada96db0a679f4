// What stands in the way of a better order is told (lib/Loops/LoopNests.cpp), and such a nest stays as it is.
// REQUIRES: loop-nests
// RUN: %rgcc -O2 -fno-discard-value-names -mllvm -rg-loops -Rpass=rg-loops -Rpass-missed=rg-loops -fno-vectorize -fno-unroll-loops -S -emit-llvm %s -o %t.ll 2>%t.told
// RUN: FileCheck %s --check-prefix=TOLD --input-file=%t.told
// RUN: FileCheck %s --input-file=%t.ll
// RUN: %rgcc -O2 -fno-discard-value-names -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OFF
// OFF-NOT: rg.nest

// TOLD: remarks.c:[[#@LINE+5]]:{{.*}}loop nest: interchanged
// CHECK-LABEL: @columns(
// CHECK: rg.nest
// CHECK: {{^}}}
void columns(int n, double a[restrict][64]) {
  for (int j = 0; j < 64; j++)
    for (int i = 0; i < n; i++)
      a[i][j] += 1;
}

// TOLD: remarks.c:[[#@LINE+7]]:{{.*}}left as it is: an address that is not affine
// CHECK-LABEL: @scattered(
// CHECK-NOT: rg.nest
// CHECK: {{^}}}
void scattered(int n, double a[restrict][64], const int *restrict at) {
  for (int j = 0; j < 64; j++)
    for (int i = 0; i < n; i++)
      a[at[i]][j] += 1;
}

// TOLD: remarks.c:[[#@LINE+8]]:{{.*}}left as it is: a call
// CHECK-LABEL: @calling(
// CHECK-NOT: rg.nest
// CHECK: {{^}}}
void unknown(int);
void calling(int n, double a[restrict][64]) {
  for (int j = 0; j < 64; j++)
    for (int i = 0; i < n; i++) {
      unknown(i);
      a[i][j] += 1;
    }
}

// TOLD: remarks.c:[[#@LINE+7]]:{{.*}}left as it is: a condition that is not affine
// CHECK-LABEL: @conditional(
// CHECK-NOT: rg.nest
// CHECK: {{^}}}
void conditional(int n, double a[restrict][64], double b[restrict][64]) {
  for (int j = 0; j < 64; j++)
    for (int i = 0; i < n; i++)
      if (a[i][j] > 0)
        b[j][i & 63] = i;
}

// Each element needs one of the row behind and of the column before: rows go upwards, or lean.
// TOLD: remarks.c:[[#@LINE+4]]:{{.*}}loop nest: aligned, interchanged
// CHECK-LABEL: @skewed(
// CHECK: rg.nest
void skewed(int n, double a[restrict][64]) {
  for (int j = 1; j < 64; j++)
    for (int i = 0; i < n; i++)
      a[i][j] = a[i + 1][j - 1] * 3;
}

// Arrays that were asked are known to be apart in the new nest, and a loop with independent iterations says so.
// CHECK-LABEL: @apart(
// CHECK: call void @llvm.experimental.noalias.scope.decl
// CHECK: load double, {{.*}}!alias.scope {{.*}}!noalias {{.*}}!llvm.access.group
// CHECK: store double {{.*}}!alias.scope {{.*}}!noalias {{.*}}!llvm.access.group
// CHECK: br i1 {{.*}}!llvm.loop [[LOOP:![0-9]+]]
void apart(int n, double *a, double *b) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      a[(long)i * n + j] += b[(long)i * n + j];
}
// CHECK: [[LOOP]] = distinct !{[[LOOP]], {{.*}}}
// CHECK: !{!"llvm.loop.parallel_accesses",
