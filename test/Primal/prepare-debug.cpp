// With -g a primal is the same, plus line numbers; in all combinations of inlining
// it stays valid. (print<rg-primal> verifies.)
// RUN: %clangxx -O0 -S -emit-llvm %s -o %t.ll
// RUN: %clangxx -O0 -g -S -emit-llvm %s -o %t.g.ll
// RUN: %loadopt '-passes=print<rg-primal>' -disable-output %t.ll > %t.plain 2>&1
// RUN: %loadopt '-passes=print<rg-primal>' -disable-output %t.g.ll > %t.lines 2>&1
// RUN: FileCheck %s < %t.lines
// RUN: python3 %S/Inputs/same-code.py %t.plain %t.lines
// RUN: %clangxx -O2 -g -S -emit-llvm %s -o %t.g2.ll
// RUN: %loadopt '-passes=print<rg-primal>' -disable-output %t.g2.ll 2>&1 | FileCheck %s
// RUN: %clangxx -O2 -g -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.g3.ll
// RUN: %loadopt '-passes=print<rg-primal>' -disable-output %t.g3.ll 2>&1 | FileCheck %s

#include <cmath>
#include <vector>

static double inner(double x) { return std::sin(x) * x; }
template <class F> double each(const std::vector<double> &v, F f) {
  double s = 0;
  for (double x : v)
    s += f(x);
  return s;
}

// CHECK: define internal {{.*}}double @rg.primal._Z5outerPKdi({{.*}} !dbg
// CHECK-NOT: #dbg_
// CHECK: call double @sin({{.*}} !dbg
// CHECK: ret double {{.*}}, !dbg
double outer(const double *x, int n) {
  std::vector<double> v(x, x + n);
  return each(v, [&](double d) { return inner(d) + x[0]; });
}
