// A loop of libdispatch is a direct call of a function that a team runs; its primal runs the thread's iterations.
// RUN: %rgcc -O1 -mllvm -rg-print-primal -c %s -o %t.o 2>&1 | FileCheck %s
#include <stddef.h>
void dispatch_apply_f(size_t, void *, void *, void (*)(void *, size_t));
void __enzyme_autodiff(void *, ...);
extern int enzyme_const;
struct rows {
  const double *x;
  double y[8];
};
static void row(void *p, size_t i) {
  struct rows *r = p;
  r->y[i] = r->x[i] * r->x[i];
}
// CHECK-DAG: define {{.*}}@rg.primal.rg.fork.apply.row(i32 {{[^,]*}}, i64 {{[^,]*}}, ptr
// CHECK-DAG: call void @rg.fork.apply.row(i32 %{{.*}}, i64 %{{.*}}, ptr {{.*}})
// A queue of the program's may be serial: one thread runs all.
// CHECK-DAG: call void @rg.fork.apply.row(i32 1, i64 %{{.*}}, ptr {{.*}})
// CHECK-NOT: call void @dispatch_apply_f
double f(const double *x, int n, void *own) {
  struct rows r = {x, {0}};
  dispatch_apply_f(n, 0, &r, row);
  dispatch_apply_f(n, own, &r, row);
  return r.y[0] * r.y[1];
}
void gradient(const double *x, double *dx, void *own) { __enzyme_autodiff((void *)f, x, dx, 8, enzyme_const, own); }
