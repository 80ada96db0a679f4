// Addresses that are kept in integers, and copied with their structs where nothing says that they are addresses: refused, since
// the memory that they lead to would lose its shadow. A word that is moved by itself is right:
// test/Execute/Cxx/addresses-by-reference.cpp.
// RUN: not %rgcxx -O1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O3 -c %s -o %t.o 2>&1 | FileCheck %s
#include <cstdint>

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

struct Block {
  uintptr_t at;
  long n;
};

__attribute__((noinline)) static void assign(Block *to, const Block *from) {
  // CHECK: 'call' cannot be differentiated here: an address that is kept in an integer and copied [RG2002]
  // CHECK: addresses-moved.cpp:[[#@LINE+1]]:{{[0-9]+}}: note: it is here
  *to = *from;
}

static double f(const double *x, int n) {
  double a[3] = {x[0] * x[1], x[1], x[2]}, b[3] = {x[1], x[0] * x[2], x[2]};
  Block g{(uintptr_t)a, 3}, h{(uintptr_t)b, n}, one;
  assign(&one, n > 2 ? &g : &h);
  double s = 0;
  for (long i = 0; i < one.n; i++)
    s += ((double *)one.at)[i] * (i + 1);
  return s;
}

void gradient(const double *x, double *dx, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n);
}
