// The bits of numbers that helpers copy to members which are declared as integers: the helpers' parameters are addresses without
// type, or the number is known by such an address alone. The members are assigned one by one, so that nothing else says that numbers
// are moved.
// RUN: not %rgcc -O0 -DFROM=void %s -c -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DFROM=void %s -c -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DFROM=double %s -c -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DFROM=double %s -c -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -DFROM=void -DHANDED %s -c -o %t.o 2>&1 | FileCheck %s
#include <stdint.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

struct packed {
  uint64_t bits[2];
  double beside;
};

static void put(uint64_t *to, const FROM *from) { memcpy(to, from, sizeof *to); }
static void get(FROM *to, const uint64_t *from) { memcpy(to, from, sizeof *from); }
#ifdef HANDED
static void move(uint64_t *to, const uint64_t *from) { *to = *from; }
#else
#define move(to, from) (*(to) = *(from))
#endif

static double f(const double *x, int n) {
  struct packed s[6], t[6];
  for (int i = 0; i < n; i++) {
    double v = x[i] * x[(i + 1) % n];
    FROM *at = &v;
    put(&s[i].bits[i % 2], at);
    s[i].bits[(i + 1) % 2] = i;
    s[i].beside = x[i];
  }
  for (int i = 0; i < n; i++) {
    // CHECK: error: instruction 'store' cannot be differentiated here: a store of integers that may be parts of floating-point numbers [RG2002]
    // CHECK: bits-by-helpers.c:{{.*}}: note: it is here
    move(&t[i].bits[0], &s[i].bits[1]);
    move(&t[i].bits[1], &s[i].bits[0]);
    t[i].beside = s[i].beside;
  }
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double v;
    get(&v, &t[i].bits[(i + 1) % 2]);
    sum += v * (i + 1) * t[i].beside;
  }
  return sum;
}

void gradient(const double *x, double *dx, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n);
}
