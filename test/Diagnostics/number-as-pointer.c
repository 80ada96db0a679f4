// A pointer made from the bits of a number: the path that would use it ends the program.
// RUN: %rgcc -O2 %s -o %t && %t 1
// RUN: not --crash %t -1 2>&1 | FileCheck %s
// RUN: %rgcc -O1 -mllvm -rg-plan=naive %s -o %t && %t 1
// RUN: not --crash %t -1 2>&1 | FileCheck %s
// CHECK: retrograd: a pointer was made from the bits of a number
// CHECK-NOT: number:
#include <stdio.h>
#include <stdlib.h>
extern int enzyme_dup;
double __enzyme_autodiff(void *, ...);
union either { double number; double *at; };
static double f(double *x) {
  union either e;
  e.number = x[0];
  double *p = x[1] > 5 ? x : e.at;
  if (x[1] > 0)
    return x[1] * x[0];
  return *p;
}
int main(int argc, char **argv) {
  double x[2] = {3, argc > 1 ? atoi(argv[1]) : 0}, d[2] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d);
  printf("number: %g %g\n", d[0], d[1]);
  return d[0] != 1 || d[1] != 3;
}
int enzyme_dup;
