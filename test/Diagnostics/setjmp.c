// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
#include <setjmp.h>
double __enzyme_autodiff(void *, ...);
jmp_buf Buffer;
double f(double x) { return setjmp(Buffer) ? x : x * x; }
double test(double x) {
  // CHECK: setjmp.c:[[@LINE+1]]:{{[0-9]+}}: error: setjmp and longjmp cannot be differentiated: '_setjmp' is called [RG2007]
  return __enzyme_autodiff((void *)f, x);
}
// CHECK: setjmp.c:5:{{[0-9]+}}: note: it is here, in 'f'
