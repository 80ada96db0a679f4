// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
extern int enzyme_const;
double __enzyme_autodiff(void *, ...);
struct ops {
  double (*f)(double);
};
double apply(struct ops *o, double x) { return o->f(x) * x; }
double test(struct ops *o, double x) {
  // CHECK: indirect-call.c:[[@LINE+1]]:{{[0-9]+}}: error: a call through a pointer that derivatives flow through cannot be differentiated yet{{.*}} [RG2003]
  return __enzyme_autodiff((void *)apply, enzyme_const, o, x);
}
// CHECK: indirect-call.c:7:{{[0-9]+}}: note: it is here, in 'apply'
