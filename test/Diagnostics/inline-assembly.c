// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
double __enzyme_autodiff(void *, ...);
static double viaAssembly(double x) {
  double y;
  __asm__("sqrtsd %1, %0" : "=x"(y) : "x"(x));
  return y;
}
double test(double x) {
  // CHECK: inline-assembly.c:[[@LINE+1]]:{{[0-9]+}}: error: inline assembly that derivatives flow through cannot be differentiated: '{{.*}}' [RG2001]
  return __enzyme_autodiff((void *)viaAssembly, x);
}
