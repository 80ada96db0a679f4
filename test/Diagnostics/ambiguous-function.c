// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -c %s -o %t.o 2>&1 | FileCheck %s
double __enzyme_autodiff(void *, ...);
__attribute__((noinline)) static double plus(double x) { return x + x; }
__attribute__((noinline)) static double times(double x) { return x * x; }
double test(int c, double x) {
  double (*f)(double) = times;
  if (c)
    f = plus;
  // CHECK: ambiguous-function.c:[[@LINE+1]]:{{[0-9]+}}: error: the first argument of '__enzyme_autodiff' must be one function, and here it can be '{{plus|times}}' or '{{plus|times}}' [RG1003]
  return __enzyme_autodiff((void *)f, x);
}
