// Both halves of a split derivative are refused, each at its place.
// RUN: not %rgcc -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
extern int enzyme_dup;
double elsewhere(double);
static double f(const double *x) { return elsewhere(*x) * *x; }
void halves(double *x, double *d) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'elsewhere'{{.*}} [RG1101]
  void *tape = __enzyme_augmentfwd((void *)f, enzyme_dup, x, d);
  __enzyme_reverse((void *)f, enzyme_dup, x, d, 1.0, tape);
}
// CHECK-NOT: PLEASE submit
