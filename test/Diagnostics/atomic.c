// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
void __enzyme_autodiff(void *, ...);
void add(double x, double *p) { double n = x * x, o; __atomic_exchange(p, &n, &o, __ATOMIC_RELAXED); }
void test(double x, double *p, double *dp) {
  // CHECK: atomic.c:[[@LINE+1]]:{{[0-9]+}}: error: this atomic operation on active memory cannot be differentiated: {{.*}} [RG2009]
  __enzyme_autodiff((void *)add, x, p, dp);
}
double square(double *p) {
  _Atomic double s = 0;
  s += p[0] * p[0];
  return s;
}
void test2(double *p, double *dp) {
  // CHECK: atomic.c:[[@LINE+1]]:{{[0-9]+}}: error: this atomic operation on active memory cannot be differentiated: compare and exchange{{.*}} [RG2009]
  __enzyme_autodiff((void *)square, p, dp);
}
