// Exceptions that code without a derivative throws have no shadow. Active values
// that are written into them and read back end the program with a message, in both
// modes; what is not read back does not. Those that an exception_ptr of the module
// holds from before the derivative are refused.
// RUN: %rgcxx -O0 %s -o %t0
// RUN: %rgcxx -O2 %s -o %t2
// RUN: not --crash %t0 1 2>&1 | FileCheck %s
// RUN: not --crash %t2 1 2>&1 | FileCheck %s
// RUN: not --crash %t2 2 2>&1 | FileCheck %s
// RUN: not --crash %t2 3 2>&1 | FileCheck %s
// RUN: not --crash %t2 4 2>&1 | FileCheck %s
// RUN: %t0 && %t2
// CHECK: kept-exception.cpp:{{[0-9]+}}: in '{{.*}}': error: derivatives flow through memory that has no shadow: what is read here was written at {{.*}}kept-exception.cpp:{{[0-9]+}}: in '{{.*}}' [RG1105]
// RUN: not %rgcxx -O0 -DKEPT -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: not %rgcxx -O2 -DKEPT -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=KEPT
#include <cstdlib>
#include <exception>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct Number {
  double v;
};
#ifdef KEPT
static std::exception_ptr kept;
static double before(double x) {
  try {
    std::rethrow_exception(kept);
  } catch (Number &e) {
    e.v = x * x;
    try {
      throw;
    } catch (Number &again) {
      return again.v;
    }
  }
}
int main() {
  try {
    throw Number{1};
  } catch (...) {
    kept = std::current_exception();
  }
  // KEPT: kept-exception.cpp:[[@LINE+1]]:{{[0-9]+}}: error: memory that derivatives flow through must have a shadow, {{.*}} [RG1105]
  return __enzyme_autodiff((void *)before, 3.0) > 0;
}
#else
__attribute__((noinline, annotate("enzyme_inactive"))) static void elsewhere() {
  throw Number{1};
}

// In one handler, and thrown on.
static double thrownOn(double x) {
  double r = 0;
  try {
    elsewhere();
  } catch (Number &e) {
    e.v = x * x;
    try {
      throw;
    } catch (Number &again) {
      r = again.v;
    }
  }
  return r;
}
// Written by one handler, read by a later one.
static double later(double x) {
  std::exception_ptr kept;
  try {
    elsewhere();
  } catch (Number &e) {
    e.v = x * x;
    kept = std::current_exception();
  }
  try {
    std::rethrow_exception(kept);
  } catch (Number &e) {
    return e.v;
  }
}
static double onlyWritten(double x) {
  try {
    elsewhere();
  } catch (Number &e) {
    double old = e.v;
    e.v = 2 * x;
    return x * x * old;
  }
  return 0;
}
int main(int argc, char **argv) {
  switch (argc > 1 ? std::atoi(argv[1]) : 0) {
  case 1:
    return __enzyme_autodiff((void *)thrownOn, 3.0) > 0;
  case 2:
    return __enzyme_autodiff((void *)later, 3.0) > 0;
  case 3:
    return __enzyme_fwddiff((void *)thrownOn, 3.0, 1.0) > 0;
  case 4:
    return __enzyme_fwddiff((void *)later, 3.0, 1.0) > 0;
  }
  return __enzyme_autodiff((void *)onlyWritten, 3.0) != 6;
}
#endif
