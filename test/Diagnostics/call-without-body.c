// The error stands at the user's derivative call; notes lead down to the culprit.
// RUN: not %rgcc -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -g -c %s -o %t.o 2>&1 | FileCheck %s
double __enzyme_autodiff(void *, ...);
double unknown(double);
double middle(double x) {
  return unknown(x) * x;
}
double top(double x) { return middle(x) + 1; }
double test(double x) {
  // CHECK: call-without-body.c:[[@LINE+1]]:{{[0-9]+}}: error: a call that derivatives flow through must have a body or a rule, and 'unknown' has neither [RG1101]
  return __enzyme_autodiff((void *)top, x);
}
// CHECK: call-without-body.c:8:{{[0-9]+}}: note: it is here, in 'middle'
// CHECK: note: define 'unknown' in this translation unit
// CHECK: 1 error generated
