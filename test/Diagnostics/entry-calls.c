// What may be wrong with a derivative call itself. Every message stands at the
// line of its own call, without -g, at -O0 and -O2.
//
// RUN: not %rgcc -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
#include <complex.h>
extern int enzyme_const, enzyme_dup, enzyme_dupnoneed, enzyme_out, enzyme_observations;
extern int enzyme_something, enzyme_width;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
float __enzyme_autodiff_float(void *, ...);
void __enzyme_autodiff_void(void *, ...);
void __enzyme_frobnicate(void *, ...);

double elsewhere(double);
double square(double x) { return x * x; }
double product(double *x, double *y) { return *x * *y; }
double scaled(double x, long n) { return x * n; }
double many(int n, ...) { return n; }
struct place { double v, *at; };
struct place located(double *x) { struct place p = {*x, x}; return p; }
double _Complex rotated(double x) { return x * 1.0i; }
void store(double *x) { *x = *x * *x; }
struct packed { float f; int n; };
double usesPacked(struct packed p) { return p.f * p.n; }
double (*table)(double);

double sink;
void test(double x, double *p, double *dp, int n, struct packed s) {
  // CHECK: entry-calls.c:[[@LINE+1]]:{{[0-9]+}}: error: 'elsewhere' must have a body in this translation unit to be differentiated [RG1002]
  sink = __enzyme_autodiff((void *)elsewhere, x);
  // CHECK: note: define 'elsewhere' here
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the first argument of '__enzyme_autodiff' must be a function known at compile time, and it is a value read from memory [RG1001]
  sink = __enzyme_autodiff((void *)table, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the first argument of '__enzyme_autodiff' must be a function known at compile time, and it is null [RG1001]
  sink = __enzyme_autodiff(0, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: a derivative call must pass every parameter of 'product': parameter 2 of 2 (a pointer) is missing [RG1004]
  sink = __enzyme_autodiff((void *)product, p, dp);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: a derivative call must pass only the parameters of 'square' and their shadows, and 1 more are passed [RG1005]
  sink = __enzyme_autodiff((void *)square, x, 1.0);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: parameter 2 of 'product' is a pointer and must be followed by its shadow [RG1006]
  sink = __enzyme_autodiff((void *)product, p, dp, p);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the shadow of parameter 1 of 'product' must not be null [RG1007]
  sink = __enzyme_autodiff((void *)product, p, (void *)0, p, dp);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the value of parameter 1 of 'square' must be a double, and an integer of 32 bits was passed [RG1008]
  sink = __enzyme_autodiff((void *)square, 3);
  // CHECK: note: without a prototype C does not convert an integer
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the value of parameter 1 of 'product' must be a pointer, and a double was passed [RG1008]
  sink = __enzyme_autodiff((void *)product, x, dp, p, dp);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the value of parameter 2 of 'scaled' must be an integer of 64 bits, and an integer of 32 bits was passed [RG1008]
  sink = __enzyme_autodiff((void *)scaled, x, n);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'enzyme_something' is not an activity marker [RG1009]
  sink = __enzyme_autodiff((void *)square, enzyme_something, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: marker 'enzyme_const' must be followed by the argument that it governs [RG1010]
  sink = __enzyme_autodiff((void *)product, p, dp, enzyme_const);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: an argument must have one activity marker: 'enzyme_const' is followed by 'enzyme_dup' [RG1011]
  sink = __enzyme_autodiff((void *)product, enzyme_const, enzyme_dup, p, dp, p, dp);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: enzyme_out must be followed by a floating-point number or a struct of them, and parameter 1 of 'product' is a pointer [RG1012]
  sink = __enzyme_autodiff((void *)product, enzyme_out, p, p, dp);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: enzyme_out must be used in reverse mode only
  sink = __enzyme_fwddiff((void *)square, enzyme_out, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: parameter 1 of 'square' is passed by value, so in reverse mode its adjoint must be returned and not left in a shadow [RG1014]
  sink = __enzyme_autodiff((void *)square, enzyme_dup, x, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: reverse mode needs a function that returns floating-point numbers or nothing, and 'located' returns a struct ({ double, ptr }) [RG1015]
  sink = __enzyme_autodiff((void *)located, p, dp);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the adjoint of the result of 'rotated' must be a struct ({ double, double }), and a double is passed [RG1054]
  sink = __enzyme_autodiff((void *)rotated, x, 1.0);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the adjoint of the result of 'rotated' must be passed: a struct ({ double, double }), once per lane [RG1053]
  sink = __enzyme_autodiff((void *)rotated, enzyme_width, 2, x, 1.0i);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the declared result of '__enzyme_autodiff_float' must hold what the derivative of 'square' returns: a double; it is declared to return a float [RG1016]
  sink = __enzyme_autodiff_float((void *)square, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the result of '__enzyme_autodiff' must not be used, since the derivative of 'store' returns nothing [RG1017]
  sink = __enzyme_autodiff((void *)store, p, dp);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: an activity marker must be a variable that the optimiser cannot fold: i32 2 was passed where parameter 1 of 'product' (a pointer) was expected [RG1018]
  sink = __enzyme_autodiff((void *)product, 2, p, dp, 2, p, dp);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: a function with variable arguments must not be differentiated directly: 'many' [RG1019]
  sink = __enzyme_autodiff((void *)many, 3);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_frobnicate' is not a derivative call [RG1020]
  __enzyme_frobnicate((void *)square, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: parameter 1 of 'usesPacked' must not be a small struct that mixes floats and integers
  sink = __enzyme_autodiff((void *)usesPacked, s);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: marker 'enzyme_observations' is not supported yet [RG2101]
  sink = __enzyme_autodiff((void *)square, enzyme_observations, 8, p);
}
// CHECK: {{[0-9]+}} errors generated
