// A function that works on vectors of 512 bits, called by one that does not: LLVM would split the vectors of the caller's
// derivative, which instructions for 512 bits do not let it.
// RUN: %rgcc -O0 -march=x86-64-v4 -c %s -o /dev/null
// RUN: %rgcc -O2 -march=x86-64-v4 -c %s -o /dev/null
// RUN: %rgcc -O0 -march=x86-64-v4 -S -emit-llvm %s -o - | FileCheck %s
// CHECK: define internal {{.*}}@rg.f.grad({{.*}} #[[GRADIENT:[0-9]+]]
// CHECK: attributes #[[GRADIENT]] = {{.*}}"min-legal-vector-width"="512"
#include <immintrin.h>
extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);
static double least(const double *x) {
  __m512d m = _mm512_min_pd(_mm512_loadu_pd(x), _mm512_loadu_pd(x + 8));
  return _mm512_reduce_add_pd(_mm512_mul_pd(m, m));
}
double f(const double *x) { return least(x) + least(x + 1) * x[0]; }
void g(const double *x, double *dx) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx); }
