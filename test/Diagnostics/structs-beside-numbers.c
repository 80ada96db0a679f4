// A struct of integers that shares a union with a number: by its address, its members are the halves of the number.
// RUN: not %rgcc -w -O0 %s -c -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -w -O1 %s -c -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -w -O2 %s -c -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -w -O2 -x c++ %s -c -o %t.o 2>&1 | FileCheck %s
#include <stdint.h>
#include <stdlib.h>
#ifdef __cplusplus
extern "C"
#endif
    void
    __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

struct halves {
  uint32_t low, high;
};
union number {
  double value;
  struct halves halves;
};

// CHECK: error: instruction '{{store|load}}' cannot be differentiated here: {{a store of integers that may be parts of floating-point numbers|part of a floating-point number}} [RG2002]
__attribute__((noinline)) static void negate(struct halves *h) { h->high ^= 1u << 31; }

static double f(const double *x, int n) {
  union number *all = (union number *)malloc(n * sizeof *all);
  for (int i = 0; i < n; ++i)
    all[i].value = x[i] * x[i];
  for (int i = 0; i < n; ++i)
    negate(&all[i].halves);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += all[i].value * (i + 1);
  free(all);
  return sum;
}

void gradient(const double *x, double *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n); }
