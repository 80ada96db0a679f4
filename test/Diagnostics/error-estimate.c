// An operation whose rounding has no bound is named.
// RUN: not %rgcc -O1 -g -fenable-matrix -c %s -o %t.o 2>&1 | FileCheck %s
typedef double Two2 __attribute__((matrix_type(2, 2)));
double __enzyme_error_estimate(void *, ...);
double f(const double *x) {
  // CHECK: error: the rounding error of 'f' cannot be estimated: rounding in 'llvm.matrix.multiply.v4f64.v4f64.v4f64' is not known [RG2109]
  // CHECK: error-estimate.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  Two2 a = *(const Two2 *)x * *(const Two2 *)(x + 4);
  return a[0][0] * a[1][1];
}
double bound(double *x, double *errors) { return __enzyme_error_estimate((void *)f, x, errors); }
