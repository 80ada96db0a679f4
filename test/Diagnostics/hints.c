// Hints that say nothing that could be used.
//
// RUN: not %rgcc -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
void __enzyme_double(void *, ...);
double __enzyme_iter(double, double);
double __enzyme_autodiff(void *, ...);
void sinkOf(double);
double f(double *p, unsigned long n) {
  // CHECK: hints.c:[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_double' must be called with a pointer, and the number of bytes as a constant [RG1032]
  __enzyme_double(p, n);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_double' must be called with a number of bytes that holds whole elements [RG1032]
  __enzyme_double(p, 12ul);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_iter' must be called with two integers
  sinkOf(__enzyme_iter(*p, 1));
  return *p;
}
