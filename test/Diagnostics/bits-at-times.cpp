// Words that are the bits of a number or an integer by turns, made and read by functions that are not inlined, in a member that is
// declared an integer. (Where they are inlined, or at -O0, the derivative is right: test/Execute/Cxx/bits-in-members.cpp.)
// RUN: not %rgcxx -std=c++17 -O1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -std=c++17 -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -std=c++17 -O3 -march=native -c %s -o %t.o 2>&1 | FileCheck %s
#include <cstdint>
#include <cstring>
#include <vector>
void __enzyme_autodiff(void *, ...);

struct Slot {
  uint64_t bits;
};
__attribute__((noinline)) static Slot number(double v) {
  Slot s;
  memcpy(&s.bits, &v, sizeof v);
  return s;
}
__attribute__((noinline)) static Slot integer(int k) { return {0xfff8000000000000 | uint32_t(k)}; }
__attribute__((noinline)) static double value(Slot s) {
  if (s.bits >> 51 == 0x1fff)
    return int32_t(s.bits);
  double v;
  memcpy(&v, &s.bits, sizeof v);
  return v;
}
static double copied(const double *x, int n) {
  std::vector<Slot> a(n);
  for (int i = 0; i < n; ++i)
    a[i] = i % 2 ? integer(i) : number(x[i] * x[i]);
  std::vector<Slot> b = a;
  double s = 0;
  for (Slot q : b)
    s = s * 0.5 + value(q) * x[1];
  return s;
}
void derivative(const double *x, double *dx) { __enzyme_autodiff((void *)copied, x, dx, 6); }
// CHECK: error: {{.*}}the bits of an active number in a member that is declared an integer [RG2002]
// CHECK: note: it is here, in 'copied'
