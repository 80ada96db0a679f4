// Numbers that go through streams and strings: refused where they are read.
// RUN: not %rgcxx -O0 -g %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not %rgcxx -O2 -g %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR
#include <sstream>
#include <string>
double __enzyme_autodiff(void *, ...);

double stream(double x) {
  std::stringstream s;
  double y = 0;
  s << x * x;
  // CHECK-DAG: numbers-through-streams.cpp:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  s >> y;
  return y;
}
double streams(double x) {
  std::ostringstream s;
  s << "a " << x * x;
  std::istringstream t(s.str());
  std::string word;
  double y = 0;
  t >> word;
  // CHECK-DAG: numbers-through-streams.cpp:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  t >> y;
  return y;
}
double string(double x) {
  std::string s = "1" + std::to_string(x * x), t = s.substr(1);
  return std::stod(t);
}

int main() {
  // CHECK-DAG: numbers-through-streams.cpp:[[@LINE+2]]:{{[0-9]+}}: error: {{.*}} reads a number from text, or from a file, to which an active number was printed [RG2002]
  // ERROR-DAG: numbers-through-streams.cpp:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} reads a number from text, or from a file, to which an active number was printed [RG2002]
  __enzyme_autodiff((void *)stream, 2.0);
  // CHECK-DAG: numbers-through-streams.cpp:[[@LINE+2]]:{{[0-9]+}}: error: {{.*}} reads a number from text{{.*}} [RG2002]
  // ERROR-DAG: numbers-through-streams.cpp:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)streams, 2.0);
  // CHECK-DAG: numbers-through-streams.cpp:[[@LINE+2]]:{{[0-9]+}}: error: {{.*}} reads a number from text{{.*}} [RG2002]
  // ERROR-DAG: numbers-through-streams.cpp:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} reads a number from text{{.*}} [RG2002]
  __enzyme_autodiff((void *)string, 2.0);
}
