// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
double __enzyme_autodiff(void *, ...);
double *Work;
__attribute__((noinline)) static void put(double x) { *Work = x * x; }
double f(double x) {
  put(x);
  return *Work * x;
}
double test(double x) {
  // CHECK: global-pointer.c:[[@LINE+1]]:{{[0-9]+}}: error: memory that derivatives flow through must have a shadow, and this has none: memory reached through a global pointer or a constant argument [RG1105]
  return __enzyme_autodiff((void *)f, x);
}
