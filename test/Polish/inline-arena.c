// A record per iteration is one bump of a pointer, inlined, at -O0 too; only the
// slow path of growth is a call.
// RUN: %clang -O0 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O0 -fpass-plugin=%plugin -S -emit-llvm %s -mllvm -rg-disable=cleanup -o - | FileCheck --check-prefix=RAW %s

double sin(double);
double __enzyme_autodiff(void *, double);

double settle(double x) {
  while (x < 100)
    x = x * x + sin(x) + 1;
  return x;
}

// CHECK-NOT: call {{.*}}@rg_tape_alloc(
// CHECK: call {{.*}}@rg_tape_alloc_slow(
// RAW: call {{.*}}@rg_tape_alloc(
double dsettle(double x) { return __enzyme_autodiff(settle, x); }
