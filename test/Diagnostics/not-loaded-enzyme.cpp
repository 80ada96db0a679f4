// As not-loaded.c, for <enzyme/enzyme>: a plugin that was not loaded is an error of the compiler, at the line of the call.
// RUN: not %clangxx -std=c++17 -O2 -I%include -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not g++ -std=c++17 -O2 -I%include -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=GCC
// RUN: %rgcxx -std=c++17 -O2 -c %s -o %t.o
// RUN: %rgcxx -std=c++17 -O0 -c %s -o %t.o
// RUN: %rgcxx -std=c++17 -O2 -flto -c %s -o %t.o
#include <enzyme/enzyme>
double f(double x) { return x * x; }
double typed(double x) { return enzyme::get<0>(enzyme::get<0>(enzyme::autodiff<enzyme::Reverse>(f, enzyme::Active{x}))); }
double test(double x) {
  // CHECK: not-loaded-enzyme.cpp:[[@LINE+2]]:{{[0-9]+}}: error: call to {{.*}}__enzyme_autodiff{{.*}}declared with 'error' attribute: derivatives need the Retrograd plugin
  // GCC: derivatives need the Retrograd plugin
  return __enzyme_autodiff<double>((void *)f, x);
}
