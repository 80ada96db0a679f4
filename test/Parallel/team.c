// A region and what reverses it: the derivative for one thread, and around it a function that has a team run it. The turns
// in which the threads added to the sum are taken again, last turn first; x is split among them, so that its shadow is
// added to without atomics.
// RUN: %rgcc -O2 -fopenmp -S -emit-llvm -mllvm -rg-print-derivative %s -o /dev/null 2>&1 | FileCheck %s
// CHECK-LABEL: @rg.f.grad(
// CHECK:         %[[ARENA:.*]] = call ptr @rg_tape_begin()
// CHECK:         call { ptr } @rg.[[REGION:.*]].aug.team(ptr %[[ARENA]],
// CHECK:         call void @rg.[[REGION]].rev.team(ptr %[[ARENA]],
// CHECK:         call void @rg_tape_end(ptr %[[ARENA]])

// CHECK-LABEL: define internal { ptr } @rg.{{.*}}.aug(ptr
// CHECK:         %[[ENTERED:.*]] = call i64 @rg_turn_enter(ptr nonnull @[[LOCK:.*]])
// CHECK:         store i64 %[[ENTERED]], ptr
// CHECK:         %[[LEFT:.*]] = call i64 @rg_turn_leave(ptr nonnull @[[LOCK]])
// CHECK:         store i64 %[[LEFT]], ptr

// CHECK-LABEL: define internal void @rg.{{.*}}.rev(ptr
// CHECK-NOT:     atomicrmw
// CHECK:         call void @rg_turn_again(ptr @[[LOCK]], i64
// CHECK:         call void @rg_turn_done(ptr @[[LOCK]], i64
// CHECK-NOT:     atomicrmw

// CHECK-LABEL: define internal { ptr } @rg.{{.*}}.aug.team(ptr
// CHECK:         call ptr @rg_team_augment(ptr %0, i32 %1, ptr @rg.[[REGION]].aug.each, ptr
// CHECK-LABEL: define internal void @rg.{{.*}}.rev.team(ptr
// CHECK:         call void @rg_team_reverse(ptr %1, ptr @rg.[[REGION]].rev.each, ptr
// CHECK-LABEL: define internal void @rg.{{.*}}.rev.each(ptr
// CHECK:         call void @rg.[[REGION]].rev(ptr
void __enzyme_autodiff(void *, ...);
double f(double *x, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += x[i] * x[i];
  return s;
}
void g(double *x, double *dx, int n) { __enzyme_autodiff((void *)f, x, dx, n); }
