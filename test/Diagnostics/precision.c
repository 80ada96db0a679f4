// What cannot be computed in fewer bits, and calls that ask for nothing.
//
// RUN: not %rgcc -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
typedef double (*fn)(double);
fn __enzyme_truncate_op_func(void *, ...);
fn __enzyme_truncate_mem_func(void *, ...);
double __enzyme_truncate_mem_value(double, int, int);
double __enzyme_error_estimate(void *, ...);
int printf(const char *, ...);
double elsewhere(double);
extern double (*pointer)(double);
double state = 1.5;
double square(double x) { return x * x; }
double indirect(double x) { return pointer(x) * x; }
double prints(double x) { printf("%f", x); return x * x; }
double unknown(double x) { return elsewhere(x) * x; }
double global(double x) { return state * x; }
double bits(double x) { union { double d; unsigned long n; } u = {x}; u.n ^= 1; return u.d * x; }
fn sink;
double number;
void test(int n) {
  // CHECK: precision.c:[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_truncate_op_func' must say which function or value, and which precision: the machine has no such types
  sink = __enzyme_truncate_op_func((void *)square, 64, 20);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_truncate_op_func' {{.*}}: a width is not a constant [RG1033]
  sink = __enzyme_truncate_op_func((void *)square, 64, n);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_truncate_op_func' {{.*}}: its first argument must be one function with a body
  sink = __enzyme_truncate_op_func((void *)elsewhere, 64, 32);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_truncate_mem_value' {{.*}}: the value must have the old type
  number = __enzyme_truncate_mem_value(1.5, 32, 16);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'indirect' cannot be computed in fewer bits: a call through a pointer [RG2108]
  sink = __enzyme_truncate_op_func((void *)indirect, 64, 32);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'prints' cannot be computed in fewer bits: the call of 'printf', which takes or returns numbers
  sink = __enzyme_truncate_mem_func((void *)prints, 64, 32);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'unknown' cannot be computed in fewer bits: the call of 'elsewhere'
  sink = __enzyme_truncate_mem_func((void *)unknown, 64, 32);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'global' cannot be computed in fewer bits: the variable 'state' holds numbers of the full precision
  sink = __enzyme_truncate_mem_func((void *)global, 64, 32);
}
