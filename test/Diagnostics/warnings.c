// RUN: %rgcc -O1 -c %s -o %t.o 2>&1 | FileCheck %s
extern int enzyme_const;
double __enzyme_autodiff(void *, ...);
void __enzyme_autodiff_void(void *, ...);
double square(double x) { return x * x; }
double first(double *p) { return p[0] * p[0]; }
void test(double x, double *p) {
  // CHECK: warnings.c:[[@LINE+1]]:{{[0-9]+}}: warning: no argument of 'square' is active, so every derivative is zero [RG4001]
  __enzyme_autodiff_void((void *)square, enzyme_const, x);
  // CHECK: warnings.c:[[@LINE+1]]:{{[0-9]+}}: warning: parameter 1 of 'first' and its shadow are the same pointer, so its derivative overwrites its value [RG4002]
  __enzyme_autodiff_void((void *)first, p, p);
}
// CHECK: 2 warnings generated
