// Markers of the compatibility layer that contradict the function or each other.
//
// RUN: not %rgcc -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
extern int enzyme_const, enzyme_dup, enzyme_byref, enzyme_interleave;
extern int enzyme_const_return, enzyme_active_return, enzyme_dup_return;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
double square(double x) { return x * x; }
double product(double *x, double *y) { return *x * *y; }
double *where(double *x) { return x; }
int count(double x) { return (int)x; }

double sink;
void test(double x, double *p, double *dp, unsigned long n) {
  // CHECK: markers.c:[[@LINE+1]]:{{[0-9]+}}: error: enzyme_byref must be followed by the size of the argument and by its address: parameter 1 of 'square' has 8 bytes and not 4 [RG1030]
  sink = __enzyme_autodiff((void *)square, enzyme_byref, 4ul, &x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: enzyme_byref {{.*}}: no pointer follows it [RG1030]
  sink = __enzyme_autodiff((void *)square, enzyme_byref, 8ul, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: enzyme_byref {{.*}}: the number behind it is not a constant [RG1030]
  sink = __enzyme_autodiff((void *)square, enzyme_byref, n, &x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'enzyme_active_return' does not fit the result of the function: 'where' returns a pointer and not floating-point numbers [RG1031]
  sink = __enzyme_autodiff((void *)where, enzyme_active_return, p, dp);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'enzyme_dup_return' {{.*}}: reverse mode returns no shadow of a result
  sink = __enzyme_autodiff((void *)square, enzyme_dup_return, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'enzyme_active_return' {{.*}}: in forward mode a result has no adjoint
  sink = __enzyme_fwddiff((void *)square, enzyme_active_return, x, 1.0);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'enzyme_dup_return' {{.*}}: 'count' returns an integer of 32 bits, which has no tangent
  sink = __enzyme_fwddiff((void *)count, enzyme_dup_return, x, 1.0);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'enzyme_const_return' {{.*}}: another marker, enzyme_active_return, contradicts it
  sink = __enzyme_autodiff((void *)square, enzyme_active_return, enzyme_const_return, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: a derivative call must pass every parameter of 'product': parameter 2 of 2 (a pointer) is missing [RG1004]
  sink = __enzyme_autodiff((void *)product, p, enzyme_interleave, dp, dp);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: parameter 2 of 'product' is a pointer and must be followed by its shadow [RG1006]
  sink = __enzyme_autodiff((void *)product, p, p, enzyme_interleave, dp);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: a derivative call must pass only the parameters of 'product' and their shadows, and 1 more are passed [RG1005]
  sink = __enzyme_autodiff((void *)product, p, p, enzyme_interleave, dp, dp, dp);
}
