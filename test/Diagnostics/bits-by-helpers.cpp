// The bits of a number, which helpers that are not inlined take for an integer and make a number again. In between they lie in an
// array of integers. (At -O3 LLVM hands the values on, and the derivative is right.)
// RUN: not %rgcxx -O1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O2 -DHELPERS -c %s -o %t.o 2>&1 | FileCheck %s
#include <cstdint>
void __enzyme_autodiff(void *, ...);

#ifdef HELPERS
#define MAY_INLINE __attribute__((noinline))
#else
#define MAY_INLINE
#endif
__attribute__((noinline)) static uint64_t bits(const double &v) { return __builtin_bit_cast(uint64_t, v); }
__attribute__((noinline)) static double number(const uint64_t &v) { return __builtin_bit_cast(double, v); }
MAY_INLINE static void put(uint64_t *to, uint64_t word) { *to = word; }
MAY_INLINE static uint64_t get(const uint64_t *from) { return *from; }

static double words(const double *x, int n) {
  uint64_t kept[16];
  double s = 0;
  for (int i = 0; i < n; ++i)
    put(&kept[i], bits(x[i] * x[i]));
  for (int i = 0; i < n; ++i)
    s += number(get(&kept[i])) * x[i];
  return s;
}
void derivative(const double *x, double *dx) { __enzyme_autodiff((void *)words, x, dx, 4); }
// CHECK: error: {{.*}}the bits of an active number in a member that is declared an integer [RG2002]
