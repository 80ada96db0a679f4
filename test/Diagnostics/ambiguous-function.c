// A call of one of a few functions is as many calls (test/Execute/C/one-of-several.c); a
// table of many is asked for one by one.
// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -c %s -o %t.o 2>&1 | FileCheck %s
double __enzyme_autodiff(void *, ...);
#define F(n) __attribute__((noinline)) static double f##n(double x) { return x * x + n; }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8)
double test(int c, double x) {
  double (*f)(double) = f0;
  switch (c) {
#define C(n) case n: f = f##n; break;
    C(1) C(2) C(3) C(4) C(5) C(6) C(7) C(8)
  }
  // CHECK: ambiguous-function.c:[[@LINE+1]]:{{[0-9]+}}: error: the first argument of '__enzyme_autodiff' must be one function, and here it can be '{{f[0-8]}}' or '{{f[0-8]}}' [RG1003]
  return __enzyme_autodiff((void *)f, x);
}
