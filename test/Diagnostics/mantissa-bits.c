// A float put together from the bits of an active one: its derivative would be
// lost without a word. What only reads the exponent is constant almost everywhere.
// RUN: not %rgcc -O0 -DF=mantissa -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DF=mantissa -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DF=inverseRoot -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DF=inverseRoot -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -DF=exponent -c %s -o %t.o
#include <stdint.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
double mantissa(double x) {
  uint64_t u;
  memcpy(&u, &x, 8);
  u = (u & 0x0000FFFFFFFFFFFFull) | 0x3FE0000000000000ull;
  double m;
  memcpy(&m, &u, 8);
  return m * m;
}
double inverseRoot(double x) {
  uint64_t u;
  double y;
  memcpy(&u, &x, 8);
  u = 0x5fe6eb50c7b537a9ull - (u >> 1);
  memcpy(&y, &u, 8);
  return y * (1.5 - 0.5 * x * y * y);
}
double exponent(double x) {
  uint64_t u;
  memcpy(&u, &x, 8);
  return x * ((int)((u >> 52) & 0x7ff) - 1023);
}
double test(double x) {
  // CHECK: mantissa-bits.c:[[@LINE+1]]:{{[0-9]+}}: error: instruction '{{.*}}' cannot be differentiated here: {{.*}} [RG2002]
  return __enzyme_autodiff((void *)F, x);
}
