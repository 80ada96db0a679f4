// Lines that say of a loop that it is parallel, of functions that are none: a step behind the
// bounds, a result, no body.
// RUN: %rgcxx -std=c++20 -O1 -g1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcxx -std=c++20 -O1 -g1 -c %s -DWITHOUT -o %t.o 2>&1 | FileCheck %s --allow-empty --check-prefix=NONE
// NONE-NOT: warning
#define RG_PARALLEL_FOR(name, n)                                               \
  static const char __rg_parallel_for_##n[] __attribute__((used)) = name
double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
namespace work {
template <class Body> void for_all(int first, int last, const Body &body) {
  for (int i = first; i < last; ++i)
    body(i);
}
// CHECK: marks.cpp:[[@LINE+1]]:{{.*}}warning: RG_PARALLEL_FOR("work::by_steps") has no effect on this function: its parameters are not those of a loop [RG4003]
template <class Body> void by_steps(int first, int last, int step, const Body &body) {
  for (int i = first; i < last; i += step)
    body(i);
}
// CHECK: marks.cpp:[[@LINE+1]]:{{.*}}warning: RG_PARALLEL_FOR("work::counted") has no effect on this function: it returns something [RG4003]
template <class Body> int counted(int n, const Body &body) {
  for (int i = 0; i < n; ++i)
    body(i);
  return n;
}
} // namespace work
RG_PARALLEL_FOR("work::for_all", one);
RG_PARALLEL_FOR("work::elsewhere", two);
#ifndef WITHOUT
RG_PARALLEL_FOR("work::by_steps", three);
RG_PARALLEL_FOR("work::counted", four);
#endif
static double energy(const double *x, int n) {
  double y[4];
  work::for_all(0, n, [&](int i) { y[i] = x[i] * x[i]; });
  work::by_steps(0, n, 2, [&](int i) { y[i] *= x[i]; });
  n = work::counted(n, [&](int i) { y[i] *= x[i]; });
  return y[0] + y[n - 1];
}
void gradient(const double *x, double *dx) {
  __enzyme_autodiff((void *)energy, enzyme_dup, x, dx, enzyme_const, 4);
}
// CHECK: 2 warnings generated
