// A candidate that has no derivative, and an address that is no candidate, end
// the program when they are reached, and only then.
// RUN: %rgcc -O0 %s -o %t -lm && %t 0
// RUN: not --crash %t 1 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %rgcc -O2 %s -o %t -lm && %t 0
// RUN: not --crash %t 1 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not --crash %t 2 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not --crash %t 3 2>&1 | FileCheck %s --check-prefix=NULL
// REFUSED: retrograd: 'opaque' was called through a pointer and has no derivative: {{.*}}[RG2001]
// REFUSED-NOT: number
// UNKNOWN: retrograd: in 'apply'{{.*}}a call through a pointer reached the function at {{.*}}, which has no derivative
// UNKNOWN-NOT: number
// NULL: retrograd: in 'apply'{{.*}}a null function pointer is called
// NULL-NOT: number
#include <stdio.h>
#include <stdlib.h>
extern int enzyme_const;
double __enzyme_autodiff(void *, ...);
typedef double fn(double);
double square(double x) { return x * x; }
double opaque(double x) {
  __asm__ volatile("addsd %0, %0" : "+x"(x));
  return x;
}
fn *table[2] = {square, opaque};
double apply(fn *const *f, double x) { return (*f)(x) * x; }
int main(int argc, char **argv) {
  int which = argc > 1 ? atoi(argv[1]) : 0;
  unsigned long bits = 64;
  fn *f = which == 2 ? (fn *)bits : which == 3 ? (fn *)0 : table[which];
  double g = __enzyme_autodiff((void *)apply, enzyme_const, &f, 2.0);
  printf("a number: %g\n", g);
  return g != 12;
}
