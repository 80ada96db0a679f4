// The invariant of lib/Guard: after release nothing is left of a guard. Where a link follows, other units may still ask for
// derivatives, so that all of them hold.
// RUN: %rgcc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcc -O2 -S -emit-llvm -DNONE %s -o - | FileCheck %s
// RUN: %rgcc -O2 -flto -S -emit-llvm %s -o - | FileCheck --check-prefix=HELD %s
// CHECK-NOT: rg..
// CHECK-NOT: arithmetic.fence
// CHECK-NOT: weak
// CHECK-NOT: noinline
// CHECK-NOT: "rg-{{linkage|apart}}"
// HELD:      define weak {{.*}} @level(double {{.*}}) #[[APART:[0-9]+]]
// HELD:      define {{.*}} @f(
// HELD:      call double @rg..constant.global.double(
// HELD:      call double @llvm.arithmetic.fence.f64(
// HELD:      call double @rg..constant.{{[0-9]}}(
// HELD:      call double @level(
// HELD:      attributes #[[APART]] = { noinline {{.*}}"rg-apart"{{.*}}"rg-linkage"
double __enzyme_autodiff(void *, ...);
double __enzyme_ignore_derivatives(double);

// Held: a function of which something is said, an equality, a value without a derivative, a number of an inactive global.
double level(double x) { return x * x + 1; }
void *__enzyme_inactivefn_level = (void *)level;
double log_of_run;
void *__enzyme_inactive_global_log = &log_of_run;
double f(double x) {
  log_of_run = x;
  double n = __enzyme_ignore_derivatives(x * 5);
  if (x == 3)
    return x * x + n;
  return level(x) * x + log_of_run;
}
double primal(double x) { return f(x); }
#ifndef NONE
double slope(double x) { return __enzyme_autodiff((void *)f, x); }
#endif
