// The bytes of numbers in the characters of a string: refused at the user's line, since characters have no
// derivatives.
// RUN: not %rgcxx -std=c++17 -O0 -g -DAPPENDED %s -o /dev/null 2>&1 | FileCheck --check-prefix=APPENDED %s
// RUN: not %rgcxx -std=c++20 -O2 -g -DAPPENDED %s -o /dev/null 2>&1 | FileCheck --check-prefix=APPENDED %s
// RUN: not %rgcxx -std=c++17 -O2 -g -DWRITTEN %s -o /dev/null 2>&1 | FileCheck --check-prefix=WRITTEN %s
// RUN: not %rgcxx -std=c++20 -O0 -g -DWRITTEN %s -o /dev/null 2>&1 | FileCheck --check-prefix=WRITTEN %s
#include <cstring>
#include <string>
double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
double f(const double *x, int n) {
#if defined(APPENDED)
  std::string bytes;
  for (int i = 0; i < n; ++i)
    // APPENDED: it puts the bytes of active numbers into a string [RG2002]
    // APPENDED: bytes-in-strings.cpp:[[@LINE+1]]:{{[0-9]+}}: note: it is here
    bytes.append((const char *)&x[i], sizeof x[i]);
#else
  std::string bytes(8 * n, 0);
  for (int i = 0; i < n; ++i)
    // WRITTEN: it writes active numbers over the characters of a string [RG2002]
    // WRITTEN: bytes-in-strings.cpp:[[@LINE+1]]:{{[0-9]+}}: note: it is here
    std::memcpy(&bytes[8 * i], &x[i], 8);
#endif
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double y;
    std::memcpy(&y, bytes.data() + 8 * i, 8);
    s += y * y;
  }
  return s;
}
int main() {
  double x[3] = {1, 2, 3}, d[3] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 3);
}
