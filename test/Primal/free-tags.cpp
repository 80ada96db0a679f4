// -fno-strict-aliasing: accesses carry the names of their types, which tell nothing of aliases. What is copied through a pointer to
// integers has none.
// RUN: %rgcxx -O1 -fno-strict-aliasing -S -emit-llvm %s -o - | FileCheck %s
struct Record {
  double x;
  long n;
};
double __enzyme_autodiff(void *, ...);
// CHECK-LABEL: define {{.*}}@_Z4copy
// CHECK: load double, {{.*}} !tbaa [[NUMBER:![0-9]+]]
// CHECK: store i64 {{.*}} !tbaa [[COUNT:![0-9]+]]
// CHECK: load i64, ptr %{{.*}}, align 8{{$}}
void copy(Record *to, double *from, long *words) {
  to->x = *from;
  to->n = 7;
  words[0] = words[1];
}
double f(double x) { return x * x; }
double df(double x) { return __enzyme_autodiff((void *)f, x); }
// CHECK-DAG: [[NUMBER]] = !{[[DOUBLE:![0-9]+]], [[DOUBLE]], i64 0}
// CHECK-DAG: [[DOUBLE]] = !{!"double", [[ROOT:![0-9]+]], i64 0}
// CHECK-DAG: [[ROOT]] = !{!"rg.written double"}
// CHECK-DAG: [[COUNT]] = !{[[MEMBER:![0-9]+]], [[LONG:![0-9]+]], i64 0}
// CHECK-DAG: [[MEMBER]] = !{!"rg.written long member", [[LONG]], i64 0}
