// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
#include <stdarg.h>
typedef float four __attribute__((vector_size(16)));
double __enzyme_autodiff(void *, ...);
double sum(int n, ...) {
  va_list l;
  va_start(l, n);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += va_arg(l, four)[1];
  va_end(l);
  return s;
}
double f(double x) {
  four v = {x, x, x, x};
  // CHECK: variable-arguments.c:[[@LINE+4]]:{{[0-9]+}}: error: active values cannot be passed as variable arguments to 'sum' [RG2005]
  // CHECK: variable-arguments.c:[[@LINE+1]]:{{[0-9]+}}: note: it is here, in 'f'
  return sum(1, v);
}
double test(double x) { return __enzyme_autodiff((void *)f, x); }
