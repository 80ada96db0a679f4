// An exception that carries an active value, and may be caught by one of several
// bases: where that lies in the object is known at run time only. An exception_ptr
// takes it along as well.
// RUN: not %rgcxx -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s
#include <exception>
double __enzyme_autodiff(void *, ...);

struct Named {
  int name;
};
struct Valued {
  double value;
};
struct Both : Named, Valued {};
static double bases(double x) {
  try {
    Both b;
    b.value = x * x;
    throw b;
  } catch (Valued &v) {
    return v.value * x;
  }
}

static double later(double x) {
  Both b;
  b.value = x * x;
  std::exception_ptr kept = std::make_exception_ptr(b);
  try {
    std::rethrow_exception(kept);
  } catch (Valued &v) {
    return v.value * x;
  }
}

double test(double x) {
  // CHECK: exception-path.cpp:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} [RG2004]
  double s = __enzyme_autodiff((void *)later, x);
  // CHECK: exception-path.cpp:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} [RG2004]
  return s + __enzyme_autodiff((void *)bases, x);
}
