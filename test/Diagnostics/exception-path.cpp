// A catch handler outside of the loop around the try: refused, whether the call
// in it is active or not.
// RUN: not %rgcxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s
double __enzyme_autodiff(void *, ...);
extern int enzyme_const;
__attribute__((noinline)) static int mayThrow(int i) {
  if (i == 5)
    throw 1;
  return i + 1;
}
static double f(double x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x * x * x * (i + 1);
    try {
      if (mayThrow(i) > 100)
        s *= x;
    } catch (int) {
      return s * x;
    }
  }
  return s;
}
double test(double x) {
  // CHECK: exception-path.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a path that catches an exception and returns to the differentiated code cannot be differentiated [RG2004]
  return __enzyme_autodiff((void *)f, x, enzyme_const, 8);
}
