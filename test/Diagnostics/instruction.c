// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
double __enzyme_autodiff(void *, ...);
double f(double x) {
  union {
    double d;
    long n;
  } u;
  u.d = x;
  u.n ^= 123456;
  return u.d * x;
}
double test(double x) {
  // CHECK: instruction.c:[[@LINE+1]]:{{[0-9]+}}: error: instruction 'xor' cannot be differentiated here: {{.*}} [RG2002]
  return __enzyme_autodiff((void *)f, x);
}
// CHECK: instruction.c:9:{{[0-9]+}}: note: it is here, in 'f'
