// Exceptions that were thrown before the derivative began, or by code without a
// body, have no shadow. Active values that are written into them and read back end
// the program with a message, in both modes; what is not read back does not.
// RUN: %rgcxx -O0 %s -o %t0
// RUN: %rgcxx -O2 %s -o %t2
// RUN: not --crash %t0 1 2>&1 | FileCheck %s
// RUN: not --crash %t2 1 2>&1 | FileCheck %s
// RUN: not --crash %t2 2 2>&1 | FileCheck %s
// RUN: not --crash %t2 3 2>&1 | FileCheck %s
// RUN: not --crash %t2 4 2>&1 | FileCheck %s
// RUN: %t0 && %t2
// CHECK: kept-exception.cpp:{{[0-9]+}}: in '{{.*}}': error: derivatives flow through memory that has no shadow: what is read here was written at {{.*}}kept-exception.cpp:{{[0-9]+}}: in '{{.*}}' [RG1105]
#include <cstdlib>
#include <exception>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct Number {
  double v;
};
static std::exception_ptr kept;

// In one handler, and thrown on.
static double thrownOn(double x) {
  double r = 0;
  try {
    std::rethrow_exception(kept);
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
  try {
    std::rethrow_exception(kept);
  } catch (Number &e) {
    e.v = x * x;
  }
  try {
    std::rethrow_exception(kept);
  } catch (Number &e) {
    return e.v;
  }
}
static double onlyWritten(double x) {
  try {
    std::rethrow_exception(kept);
  } catch (Number &e) {
    double old = e.v;
    e.v = 2 * x;
    return x * x * old;
  }
}
int main(int argc, char **argv) {
  try {
    throw Number{1};
  } catch (...) {
    kept = std::current_exception();
  }
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
