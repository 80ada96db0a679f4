// Records with a number are sorted as structs that have an integer in its place: an
// assignment of such a struct moves a declared integer. Whether that is refused for
// a cast that clang sees, or for what is found in memory, depends on the level.
// RUN: not %rgcc -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -fno-strict-aliasing -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O0 -DBY_ELEMENT -c %s -o %t.o 2>&1 | FileCheck %s
#include <stdint.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

struct Record {
  double number;
  int id;
};
struct Bits {
  uint64_t word;
  int id;
};
#ifdef BY_ELEMENT
#define BITS(A) ((struct Bits *)&(A)[0].number)
#else
#define BITS(A) ((struct Bits *)(A))
#endif

static double sorted(const double *x, int n) {
  struct Record a[8];
  struct Bits *b = BITS(a);
  for (int i = 0; i < n; ++i) {
    a[i].number = x[i] * x[i];
    a[i].id = i;
  }
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      if (b[i].word > b[j].word) {
        struct Bits t = b[i];
        b[i] = b[j];
        b[j] = t;
      }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i].number * (i + 1) * (a[i].id + 1);
  return s;
}

void gradient(double *x, double *dx) {
  __enzyme_autodiff((void *)sorted, enzyme_dup, x, dx, enzyme_const, 8);
}
// CHECK: {{.*}}records-as-integers.c:[[@LINE-2]]:3: error: {{.*}} [RG{{2002|1103}}]
