// Integers and numbers by turns in a union, which helpers that are not inlined read as what they are: not taken for bits of
// numbers.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.hpp"
#include <cstdint>

struct Value {
  union {
    double number;
    uint64_t count;
  };
  bool counts;
};
__attribute__((noinline)) static uint64_t countOf(const Value &v) { return v.count; }
__attribute__((noinline)) static double numberOf(const Value &v) { return v.number; }

static double tagged(const double *x, int n) {
  Value values[16];
  uint64_t counts[16] = {};
  for (int i = 0; i < n; ++i) {
    values[i].counts = i % 2;
    if (values[i].counts)
      values[i].count = i + 3;
    else
      values[i].number = x[i] * x[i];
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    if (values[i].counts)
      counts[i] = countOf(values[i]);
    else
      s += numberOf(values[i]) * x[i];
  for (int i = 0; i < n; ++i)
    s += double(counts[i]) * x[i];
  return s;
}
int main() {
  check(tagged);
  return rgReport();
}
