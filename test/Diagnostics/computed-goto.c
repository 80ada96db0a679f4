// RUN: not %rgcc -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
double __enzyme_autodiff(void *, ...);
double f(double x, int n) {
  static void *table[] = {&&square, &&triple};
  goto *table[n];
square:
  x *= x;
  if (++n > 1)
    return x;
  goto *table[n];
triple:
  return x * 3;
}
double test(double x, int n) {
  // CHECK: computed-goto.c:[[@LINE+1]]:{{[0-9]+}}: error: this control flow cannot be reversed: computed goto [RG2012]
  return __enzyme_autodiff((void *)f, x, n);
}
