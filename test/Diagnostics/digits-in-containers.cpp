// The same as digits-of-numbers.c where iterators lead to the numbers, or the bits lie in containers of integers.
// RUN: not %rgcxx -std=c++17 -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -std=c++17 -O1 -DALL -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: not %rgcxx -std=c++17 -O2 -DALL -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: not %rgcxx -std=c++17 -O3 -march=native -DALL -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,ALL
#include <cstdint>
#include <cstring>
#include <vector>
void __enzyme_autodiff(void *, ...);
#define REQUEST(F)                                                                                                     \
  void gradientOf##F(const double *x, double *dx, int n) { __enzyme_autodiff((void *)F, x, dx, n); }

template <class To, class From> static To bitsAs(const From &from) {
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

double iterator(const double *x, int n) {
  std::vector<double> v(x, x + n);
  double s = 0;
  for (auto it = v.begin(); it != v.end(); ++it)
    s += bitsAs<int64_t>(*it) * 0x1p-52;
  return s;
}
REQUEST(iterator)
// CHECK: note: it is here, in 'iterator'

double pointer(const double *x, int n) {
  double s = 0;
  for (const double *p = x; p != x + n; ++p)
    s += double(bitsAs<uint64_t>(*p) >> 1) * 0x1p-51;
  return s;
}
REQUEST(pointer)
// CHECK: note: it is here, in 'pointer'

#ifdef ALL
double keys(const double *x, int n) {
  std::vector<uint64_t> keys;
  for (int i = 0; i < n; ++i)
    keys.push_back(bitsAs<uint64_t>(x[i] * x[0]));
  double s = 0;
  for (uint64_t key : keys)
    s += double(key) * 0x1p-52;
  return s;
}
REQUEST(keys)
// ALL: note: it is here, in 'keys'

double inBulk(const double *x, int n) {
  std::vector<uint64_t> keys(n);
  std::memcpy(keys.data(), x, n * 8);
  double s = 0;
  for (uint64_t key : keys)
    s += double(key) * 0x1p-52;
  return s;
}
REQUEST(inBulk)
// ALL: note: it is here, in 'inBulk'
#endif
