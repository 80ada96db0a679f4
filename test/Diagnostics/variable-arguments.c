// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
#include <stdarg.h>
double __enzyme_autodiff(void *, ...);
double sum(int n, ...) {
  va_list l;
  va_start(l, n);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += va_arg(l, double);
  va_end(l);
  return s;
}
double f(double x) { return sum(2, x, x * x); }
double test(double x) {
  // CHECK: variable-arguments.c:[[@LINE+1]]:{{[0-9]+}}: error: active values cannot be passed as variable arguments to 'sum' [RG2005]
  return __enzyme_autodiff((void *)f, x);
}
