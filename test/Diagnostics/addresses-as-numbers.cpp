// Addresses that are kept in a vector of doubles: its code moves them as numbers, and a number has no shadow. Where only some
// ways lead there, the program ends on these.
// RUN: not %rgcxx -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: instruction 'bitcast' cannot be differentiated here: an address in a register of floating-point numbers [RG2002]
// RUN: %rgcxx -O0 -DSOME %s -o %t && %t ynynyn
// RUN: not --crash %t yyynyn 2>&1 | FileCheck %s --check-prefix=SOME
// RUN: %rgcxx -O2 -DSOME %s -o %t && %t ynynyn
// RUN: not --crash %t yyynyn 2>&1 | FileCheck %s --check-prefix=SOME
// SOME: retrograd: {{.*}}:{{[0-9]+}}:{{[0-9]+}}: an address is used as a number: what is behind it has no derivative
// One of several such numbers is chosen, and followed at once.
// RUN: %rgcxx -O0 -DCHOSEN %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=CHOSEN
// RUN: %rgcxx -O2 -DCHOSEN %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=CHOSEN
// RUN: %rgcxx -O0 -DCHOSEN -DFIELD=1 %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=CHOSEN
// RUN: %rgcxx -O2 -DCHOSEN -DFIELD=1 %s -o %t && not --crash %t 2>&1 | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: a pointer was made from the bits of a number: what is behind it has no derivative
#include <algorithm>
#include <cstring>
#include <vector>
void __enzyme_autodiff(void *, ...);
extern "C" int enzyme_dup, enzyme_const;

#ifdef CHOSEN
#ifndef FIELD
#define FIELD 0
#endif
static double f(const double *x, int n) {
  double kept[6][2], places[6];
  for (int i = 0; i < n; ++i) {
    kept[i][0] = x[i];
    kept[i][1] = x[i] * x[0];
    double *at = kept[i];
    std::memcpy(&places[i], &at, sizeof at);
  }
  double most = places[0];
  for (int i = 1; i < n; ++i)
    most = std::max(most, places[i]);
  double *at;
  std::memcpy(&at, &most, sizeof at);
  return at[FIELD] * x[1];
}
int main() {
  double x[] = {1, 2, 3, 4, 5, 6}, d[6] = {};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 6);
}
#elif defined SOME
static double f(const double *x, int n, const char *keep) {
  double kept[6];
  std::vector<double> held;
  for (int i = 0; i < n; ++i) {
    kept[i] = x[i] * x[0];
    double *at = &kept[i];
    double place = x[i] * x[1];
    if (i % 2)
      std::memcpy(&place, &at, sizeof at);
    if (keep[i] == 'y')
      held.push_back(place);
  }
  double s = 0;
  for (double d : held)
    s += d;
  return s;
}
int main(int argc, char **argv) {
  double x[] = {1, 2, 3, 4, 5, 6}, d[6] = {};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 6, enzyme_const, argv[1]);
  return d[1] != 1 + 3 + 5 || d[0] != 2 || d[4] != 2;
}
#else
static double f(const double *x, int n) {
  double kept[6];
  std::vector<double> places;
  for (int i = 0; i < n; ++i) {
    kept[i] = x[i] * x[0];
    double *at = &kept[i];
    double place;
    std::memcpy(&place, &at, sizeof at);
    if (place != place)
      place = 0;
    places.push_back(place);
  }
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double *at;
    std::memcpy(&at, &places[i], sizeof at);
    s += *at;
  }
  return s;
}
void gradient(const double *x, double *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n); }
#endif
