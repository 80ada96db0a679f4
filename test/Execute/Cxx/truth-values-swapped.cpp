// Truth values that are swapped, in records beside numbers, in a program that
// also works on the bits of numbers: a truth value comes of a comparison, and
// no part of a number is moved with it.
#include "rgtest.h"
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct Record {
  double Value;
  bool First, Second;
};

__attribute__((noinline)) static int exponent(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return int(bits >> 52 & 0x7ff) - 1023;
}

// Makes the records and the numbers one object to the compiler.
__attribute__((noinline)) static void scale(double *p, int n, int step, double by) {
  for (int i = 0; i < n; ++i)
    p[i * step] *= by;
}

static double swapped(const double *x, int n) {
  auto *records = (Record *)std::malloc(n * sizeof(Record));
  auto *numbers = (double *)std::malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i) {
    records[i] = {x[i], x[i] > 0.5, exponent(x[i]) > -2};
    numbers[i] = x[i] * x[i];
  }
  scale(&records[0].Value, n, 2, 1.5);
  scale(numbers, n, 1, x[0]);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    if (i % 2)
      std::swap(records[i].First, records[i].Second);
    sum += records[i].First ? records[i].Value * numbers[i] : std::sin(records[i].Value);
    sum += records[i].Second ? numbers[i] : 0;
  }
  std::free(records);
  std::free(numbers);
  return sum;
}

int main() {
  double x[5] = {0.3, 0.7, 0.1, 1.4, 2.2}, d[5] = {}, t[5] = {0, 1, 0, 0, 0};
  __enzyme_autodiff((void *)swapped, x, d, 5);
  RG_GRADS(d, swapped(x, 5), x, 5);
  RG_NEAR(__enzyme_fwddiff((void *)swapped, x, t, 5), d[1]);
  return rgReport();
}
