// XFAIL: *
// RG-LEVELS: O2
// A union of a number and an address that is pushed into a vector: LLVM moves the address as a number, and what is read
// behind it later has no shadow.
#include "rgtest.h"
#include <vector>
void __enzyme_autodiff(void *, ...);
extern "C" int enzyme_dup, enzyme_const;

struct Leaf {
  int tag;
  union {
    double number;
    double *at;
  };
};
static double f(const double *x, int n) {
  double kept[6];
  std::vector<Leaf> leaves;
  for (int i = 0; i < n; ++i) {
    Leaf l;
    l.tag = i % 2;
    if (i % 2) {
      l.number = x[i];
    } else {
      kept[i] = x[i] * x[0];
      l.at = &kept[i];
    }
    leaves.push_back(l);
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += leaves[i].tag ? leaves[i].number * leaves[i].number : *leaves[i].at;
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
