// A registered derivative changes results, so it must not be ignored.
// RUN: not %rgcc -O1 -c %s -o %t.o 2>&1 | FileCheck %s
double __enzyme_autodiff(void *, ...);
double square(double x) { return x * x; }
void *__enzyme_inactivefn[] = {(void *)square};
// CHECK: registration.c:[[@LINE+1]]:{{[0-9]+}}: error: registration '__enzyme_inactivefn' (function without derivatives) is not supported yet and must not be ignored [RG2103]
double test(double x) { return __enzyme_autodiff((void *)square, x); }
