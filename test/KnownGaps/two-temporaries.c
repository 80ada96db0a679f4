// XFAIL: *
// RG-LEVELS: O1
// A union of a number and a pointer that is copied through two local variables which nothing else uses: the copy between
// them moves neither the shadow of the pointer nor the adjoint of the number.
#include "rgtest.h"
void __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;

struct Leaf {
  int tag;
  union {
    double number;
    double *at;
  };
};
static double f(const double *x, int n) {
  struct Leaf v[6];
  double kept[6];
  for (int i = 0; i < n; ++i) {
    v[i].tag = i % 2;
    if (i % 2) {
      v[i].number = x[i];
    } else {
      kept[i] = x[i] * x[0];
      v[i].at = &kept[i];
    }
  }
  for (int i = 0; i + 1 < n; ++i) {
    struct Leaf a = v[i], b = v[i + 1];
    v[i] = b;
    v[i + 1] = a;
    if (x[i] > 0.9 && x[i] < 1.3) {
      struct Leaf c = x[i + 1] > 1.2 ? a : b;
      v[0] = c;
    }
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += v[i].tag ? v[i].number * v[i].number : *v[i].at;
  return s * x[2];
}
int main() {
  double x[6], d[6] = {0};
  for (int i = 0; i < 6; ++i)
    x[i] = 0.5 + 0.3 * i;
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 6);
  for (int i = 0; i < 6; ++i)
    RG_GRAD(d[i], f(x, 6), x[i]);
  return rgReport();
}
