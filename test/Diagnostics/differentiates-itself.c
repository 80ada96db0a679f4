// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
double __enzyme_autodiff(void *, ...);
double f(double x) {
  // CHECK: differentiates-itself.c:[[@LINE+1]]:{{[0-9]+}}: error: a function must not differentiate itself: the derivative of 'f' needs the derivative of 'f' [RG2104]
  return x * x + (x > 2 ? __enzyme_autodiff((void *)f, x - 1) : 0);
}
