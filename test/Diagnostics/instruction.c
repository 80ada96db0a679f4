// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -g -DINTRINSIC -mavx512f -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=INTRINSIC
#ifdef INTRINSIC
#include <immintrin.h>
void __enzyme_autodiff(void *, ...);
// An intrinsic without a rule cannot be defined by the user.
static void mantissas(double *x) {
  // INTRINSIC: instruction 'call' cannot be differentiated here: LLVM's intrinsic 'llvm.x86.avx512.mask.getmant.pd.512' has no derivative [RG2002]
  // INTRINSIC-NOT: define
  // INTRINSIC: note: rewrite this operation with ordinary arithmetic
  _mm512_storeu_pd(x, _mm512_getmant_pd(_mm512_loadu_pd(x), _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src));
}
void test(double *x, double *dx) { __enzyme_autodiff((void *)mantissas, x, dx); }
#else
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
// CHECK: instruction.c:22:{{[0-9]+}}: note: it is here, in 'f'
#endif
