// Of derivatives that do the same one stays (lib/Polish/MergeCopies.cpp), also where they call each other; what differs in a
// constant has its own. That the gradient is right is tested by running it.
// RUN: %rgcc -O2 -S -emit-llvm %s -o - | FileCheck %s --implicit-check-not="define internal {{.*}}even2.aug" --implicit-check-not="define internal {{.*}}odd2.rev"
// RUN: %rgcc -O2 -S -emit-llvm -mllvm -rg-disable=merge-copies %s -o - | FileCheck %s --check-prefix=OFF
// RUN: %rgcc -O2 %s -o %t && %t | FileCheck %s --check-prefix=VALUES
#include <stdio.h>
double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
int enzyme_dup, enzyme_const;

// CHECK-DAG: define internal {{.*}}@rg.even1.aug
// CHECK-DAG: define internal {{.*}}@rg.even3.aug
// CHECK-DAG: define internal {{.*}}@rg.odd1.rev
// CHECK-DAG: define internal {{.*}}@rg.odd3.rev
// OFF-DAG: define internal {{.*}}@rg.even2.aug
// OFF-DAG: define internal {{.*}}@rg.odd2.rev
#define PAIR(N, FACTOR)                                                                                                          \
  static double odd##N(int n, double x);                                                                                        \
  __attribute__((noinline)) static double even##N(int n, double x) { return n ? x * x * odd##N(n - 1, x) : x; }                 \
  __attribute__((noinline)) static double odd##N(int n, double x) { return n ? FACTOR * even##N(n - 1, x * 0.5) : x * x; }
PAIR(1, 2.0)
PAIR(2, 2.0)
PAIR(3, 5.0)

static double all(const double *x, int n) { return even1(n, x[0]) + even2(n, x[1]) + even3(n, x[2]); }

int main(void) {
  double x[3] = {1, 2, 1}, d[3] = {0};
  __enzyme_autodiff((void *)all, enzyme_dup, x, d, enzyme_const, 2);
  // x * x * F * (x / 2): 3 F x x / 2.
  // VALUES: 3 12 7.5
  printf("%g %g %g\n", d[0], d[1], d[2]);
}
