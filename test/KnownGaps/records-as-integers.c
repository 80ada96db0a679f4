// XFAIL: *
// RG-LEVELS: O0
// Records with a number are moved as structs that have an integer in its place, by a
// pointer that came by way of `void *`: no cast names both, and the struct declares an
// integer. Its derivative is lost.
#include "rgtest.h"
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

static double sorted(const double *x, int n) {
  struct Record a[8];
  void *memory = a;
  struct Bits *b = memory;
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

int main(void) {
  double x[4] = {2, 0.5, -3, 1}, dx[4] = {0};
  __enzyme_autodiff((void *)sorted, enzyme_dup, x, dx, enzyme_const, 4);
  RG_GRADS(dx, sorted(x, 4), x, 4);
  return rgReport();
}
