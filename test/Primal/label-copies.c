// What a struct assignment copies is written down before the optimiser forgets the struct:
// TBAA has no words for arrays in structs.
// RUN: %rgcc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcc -O2 -DALONE -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ALONE
struct Inner { short tag; float f[3]; };
union Either { double d; long n; };
struct Mixed {
  char name[3];
  struct Inner in[2];
  char storage[8];
  double d[3];
  union Either e;
  int count[2];
  double *p;
};

// CHECK-LABEL: @whole(
// CHECK: call void @llvm.memcpy{{.*}} i64 96, i1 false){{.*}} !rg.layout ![[WHOLE:[0-9]+]]
// ALONE-LABEL: @whole(
// ALONE-NOT: rg.layout
void whole(struct Mixed *to, int i) { to[i] = to[1]; }

// The accesses to members tell what is copied here.
// CHECK-LABEL: @named(
// CHECK: call void @llvm.memcpy{{.*}} i64 96, i1 false){{.*}} !rg.layout ![[WHOLE]]
int named(struct Mixed *to, const struct Mixed *from) {
  *to = *from;
  return from->count[1];
}

// From the middle of the struct on, its beginning comes last.
// CHECK-LABEL: @part(
// CHECK: call void @llvm.memcpy{{.*}} i64 24, i1 false){{.*}} !rg.layout ![[PART:[0-9]+]]
void part(struct Mixed *to, const struct Mixed *from) {
  __builtin_memcpy(&to[1].d, &from[2].d, sizeof to->d);
}

// CHECK-DAG: ![[WHOLE]] = !{!"0:i24,4:i16,8:f32,12:f32,16:f32,20:i16,24:f32,28:f32,32:f32,36:?8,48:f64,56:f64,64:f64,72:?8,80:i32,84:i32,88:p", i64 96}
// CHECK-DAG: ![[PART]] = !{!"0:f64,8:f64,16:f64,24:?8,
#ifndef ALONE
extern double __enzyme_autodiff(void *, double);
static double square(double x) { return x * x; }
double slope(double x) { return __enzyme_autodiff((void *)square, x); }
#endif
