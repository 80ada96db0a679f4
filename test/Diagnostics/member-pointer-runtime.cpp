// A pointer to a member function that is none of those that the module makes: with an
// adjustment of `this`, or of a virtual function. It ends the program.
// RUN: %rgcxx -O0 %s -o %t -lm && %t 0 | FileCheck %s --check-prefix=RIGHT
// RUN: not --crash %t 1 2>&1 | FileCheck %s
// RUN: not --crash %t 2 2>&1 | FileCheck %s
// RUN: %rgcxx -O2 %s -o %t -lm && %t 0 | FileCheck %s --check-prefix=RIGHT
// RUN: not --crash %t 1 2>&1 | FileCheck %s
// RUN: not --crash %t 2 2>&1 | FileCheck %s
// RIGHT: number 6 12
// CHECK: retrograd: in '{{.*}}' ({{.*}}member-pointer-runtime.cpp:[[@LINE+17]]:{{.*}}), a pointer to a member function leads to a virtual function, or to one of a base class
// CHECK-NOT: number
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
extern int enzyme_const;
struct Pair {
  double First, Second;
  int *Counts;
  double first(double x) { return First * x; }
  double second(double x) { return Second * x * x; }
};
typedef double (Pair::*Method)(double);
Method methods[2] = {&Pair::first, &Pair::second};
__attribute__((noinline)) double apply(const Method *m, double x) {
  Pair p{6, 3, nullptr};
  return (p.*m[0])(x);
}
int main(int argc, char **argv) {
  int how = argc > 1 ? atoi(argv[1]) : 0;
  Method m[2] = {methods[0], methods[1]};
  long words[2];
  memcpy(words, &m[0], sizeof words);
  words[how == 2 ? 0 : 1] += how == 0 ? 0 : how == 1 ? 8 : 1;
  memcpy(&m[0], words, sizeof words);
  double d = __enzyme_autodiff((void *)apply, enzyme_const, m, 2.0);
  printf("number %g", d);
  printf(" %g\n", __enzyme_autodiff((void *)apply, enzyme_const, m + 1, 2.0));
}
