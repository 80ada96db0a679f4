// Bits of numbers in members that are declared as integers, beside true
// integers, in a vector that grows and in arrays that are copied.
// RG-LEVELS: O0 O1 O2 O3
// RG-FLAGS: -std=c++17
#include "rgvector.hpp"
#include <cstdint>
#include <cstring>
#include <vector>

struct Slot {
  uint64_t bits;
};
static Slot number(double v) {
  Slot s;
  memcpy(&s.bits, &v, sizeof v);
  return s;
}
static Slot integer(int k) { return {0xfff8000000000000 | uint32_t(k)}; }
static double value(Slot s) {
  if (s.bits >> 51 == 0x1fff)
    return int32_t(s.bits);
  double v;
  memcpy(&v, &s.bits, sizeof v);
  return v;
}

static double grown(const double *x, int n) {
  std::vector<Slot> a;
  for (int i = 0; i < n; ++i)
    a.push_back(i % 2 ? integer(i) : number(x[i] * x[i]));
  double s = 0;
  for (Slot q : a)
    s = s * 0.5 + value(q) * x[1];
  return s;
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

int main() {
  check(grown);
  check(copied);
  return rgReport();
}
