// A union of a number and an address that is pushed into a vector: LLVM moves both as the number, and the address is lost.
// RUN: not %rgcxx -O1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: instruction 'bitcast' cannot be differentiated here: an address in a register of floating-point numbers [RG2002]
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
void gradient(const double *x, double *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n); }
