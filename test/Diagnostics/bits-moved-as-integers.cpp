// Bits of active numbers, or integers, in a member that is declared as an
// integer, and which is swapped in a register of integers.
// RUN: not %rgcxx -std=c++17 -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -std=c++17 -O1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -std=c++17 -O2 -c %s -o %t.o 2>&1 | FileCheck %s
#include <cstdint>
#include <cstring>
void __enzyme_autodiff(void *, ...);

struct Slot {
  uint64_t bits;
};
static Slot number(double v) {
  Slot s;
  memcpy(&s.bits, &v, sizeof v);
  return s;
}
static double value(Slot s) {
  if (s.bits >> 51 == 0x1fff)
    return int32_t(s.bits);
  double v;
  memcpy(&v, &s.bits, sizeof v);
  return v;
}
static double f(const double *x, int n) {
  Slot a[6];
  for (int i = 0; i < n; ++i)
    a[i] = i % 2 ? Slot{0xfff8000000000000 | uint32_t(i)} : number(x[i]);
  for (int i = 0; i < n / 2; ++i) {
    Slot t = a[i];
    a[i] = a[n - 1 - i];
    a[n - 1 - i] = t;
  }
  double s = 0;
  for (Slot q : a)
    s = s * 0.5 + value(q) * x[1];
  return s;
}
// CHECK: [[@LINE+2]]:3: error: instruction 'load' cannot be differentiated here: a number whose bits are moved as an integer [RG2002]
void gradient(const double *x, double *dx) {
  __enzyme_autodiff((void *)f, x, dx, 6);
}
