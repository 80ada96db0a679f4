// RUN: not %rgcc -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcc -O0 -DFORWARD -c %s -o %t.o
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
double f(double *x) {
  int w[4], v[4];
  double y[2];
  __builtin_memcpy(w, x, 16);
  for (int i = 0; i < 4; i++)
    v[i ^ 2] = w[i];
  __builtin_memcpy(y, v, 16);
  return y[0] * y[0] * y[1];
}
void test(double *x, double *dx) {
#ifdef FORWARD
  __enzyme_fwddiff((void *)f, x, dx);
#else
  // CHECK: half-of-a-double.c:[[@LINE+1]]:{{[0-9]+}}: error: instruction 'load' cannot be differentiated here: part of a floating-point number [RG2002]
  __enzyme_autodiff((void *)f, x, dx);
#endif
}
