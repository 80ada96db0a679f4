// XFAIL: *
// RG-LEVELS: O0
// A union of a double and two floats that is copied through local variables: its word is moved as the double, and what the
// floats are is lost.
#include "rgtest.h"
#include <math.h>
void __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;

struct Leaf {
  int tag;
  union {
    double one;
    float other[2];
  };
};
static double f(const double *x, int n) {
  struct Leaf v[6];
  for (int i = 0; i < n; ++i) {
    v[i].tag = i % 2;
    if (i % 2)
      v[i].one = x[i];
    else
      v[i].other[0] = x[i] * x[0], v[i].other[1] = 2;
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
    s += v[i].tag ? v[i].one * v[i].one : v[i].other[0] * (double)v[i].other[1];
  return s;
}
int main() {
  double x[6], d[6] = {0};
  for (int i = 0; i < 6; ++i)
    x[i] = 0.5 + 0.3 * i;
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 6);
  for (int i = 0; i < 6; ++i) {
    double h = 1e-3, at = x[i];
    x[i] = at + h;
    double up = f(x, 6);
    x[i] = at - h;
    double down = f(x, 6);
    x[i] = at;
    RG_TRUE(fabs(d[i] - (up - down) / (2 * h)) < 1e-2 * (1 + fabs(d[i])));
  }
  return rgReport();
}
