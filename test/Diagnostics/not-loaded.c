// A plugin that was not loaded is an error at the line of the call.
// RUN: not %clang -O2 -I%include -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -c %s -o %t.o
// RUN: %rgcc -O0 -c %s -o %t.o
#include <retrograd/retrograd.h>
double square(double x) { return x * x; }
double test(double x) {
  // CHECK: not-loaded.c:[[@LINE+1]]:{{[0-9]+}}: error: call to '__enzyme_autodiff' declared with 'error' attribute: derivatives need the Retrograd plugin
  return __enzyme_autodiff((void *)square, x);
}
