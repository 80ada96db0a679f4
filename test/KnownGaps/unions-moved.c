// XFAIL: *
// RG-LEVELS: O2
// A tagged union of a number and a pointer that goes through a local variable: the optimiser moves its word as the one that
// the code around uses, and what it is on the other way loses its derivative.
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
  struct Leaf v[6], w[6];
  double kept[6], s = 0;
  for (int i = 0; i < n; ++i) {
    v[i].tag = i % 2;
    if (i % 2) {
      v[i].number = x[i];
    } else {
      kept[i] = x[i] * x[0];
      v[i].at = &kept[i];
    }
  }
  for (int i = 0; i < n; ++i) {
    struct Leaf l = v[i];
    if (!l.tag)
      s += *l.at * x[1];
    w[i] = l;
  }
  for (int i = 0; i < n; ++i)
    s += w[i].tag ? w[i].number * w[i].number : *w[i].at;
  return s;
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
