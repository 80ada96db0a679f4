// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
void __enzyme_autodiff(void *, ...);
void add(double x, double *p) { __atomic_fetch_add(p, x * x, __ATOMIC_RELAXED); }
void test(double x, double *p, double *dp) {
  // CHECK: atomic.c:[[@LINE+1]]:{{[0-9]+}}: error: atomic operation '{{.*}}' on active memory cannot be differentiated yet [RG2009]
  __enzyme_autodiff((void *)add, x, p, dp);
}
double square(double *p) {
  _Atomic double s = 0;
  s += p[0] * p[0];
  return s;
}
void test2(double *p, double *dp) {
  // CHECK: atomic.c:[[@LINE+1]]:{{[0-9]+}}: error: atomic operation 'cmpxchg' on active memory cannot be differentiated yet [RG2009]
  __enzyme_autodiff((void *)square, p, dp);
}
