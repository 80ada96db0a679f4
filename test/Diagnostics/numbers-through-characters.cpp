// Numbers that std::to_chars or printf write, and std::from_chars reads: what comes back would count as constant. What is
// only written is no matter.
// RUN: not %rgcxx -std=c++17 -w -O0 -g %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %rgcxx -std=c++17 -w -O2 -g %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %rgcxx -std=c++17 -w -O2 -DWRITTEN %s -o %t && %t
#include <charconv>
#include <cstdio>
double __enzyme_autodiff(void *, ...);

double written(double x) {
  char b[40];
  const auto end = std::to_chars(b, b + 40, x * x).ptr;
  return end == b ? 0 : x * x * x;
}
#ifndef WRITTEN
double readAgain(double x) {
  char b[40];
  double y = 0;
  const auto end = std::to_chars(b, b + 40, x * x).ptr;
  // CHECK-DAG: numbers-through-characters.cpp:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  std::from_chars(b, end, y);
  return y * x;
}
double printed(double x) {
  char b[40];
  double y = 0;
  const int n = snprintf(b, sizeof b, "%.17g", x * x);
  // CHECK-DAG: numbers-through-characters.cpp:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  std::from_chars(b, b + n, y);
  return y * x;
}
#endif

int main() {
#ifndef WRITTEN
  // CHECK-DAG: numbers-through-characters.cpp:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'std::from_chars' reads a number from text, or from a file, to which an active number was printed [RG2002]
  __enzyme_autodiff((void *)readAgain, 2.0);
  // CHECK-DAG: numbers-through-characters.cpp:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'std::from_chars' reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)printed, 2.0);
#endif
  const double d = __enzyme_autodiff((void *)written, 2.0);
  return d > 11.999 && d < 12.001 ? 0 : 1;
}
