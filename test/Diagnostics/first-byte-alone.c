// A number whose first byte is copied by itself, and the others behind it: no
// object without members, as a class copies one.
// RUN: not %rgcc -O0 -c %s -o %t.o 2>&1 | FileCheck %s
#include <string.h>
void __enzyme_autodiff(void *, ...);
static void move(double *to, const double *from) {
  memcpy(to, from, 1);
  memcpy((char *)to + 1, (const char *)from + 1, 7);
}
static double f(const double *x) {
  double w[4], sum = 0;
  for (int i = 0; i < 4; ++i)
    move(w + i, x + i);
  for (int i = 0; i < 4; ++i)
    sum += w[i] * w[i];
  return sum;
}
void test(double *x, double *dx) {
  // CHECK: first-byte-alone.c:[[@LINE+1]]:{{[0-9]+}}: error: instruction 'load' cannot be differentiated here: part of a floating-point number [RG2002]
  __enzyme_autodiff((void *)f, x, dx);
}
