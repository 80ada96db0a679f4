// Initializer lists, aggregate and designated initialisation, range-for over
// them, std::max of a list, uniform initialisation of nested members.
#include "rgtest.h"
#include <algorithm>
#include <initializer_list>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct Inner {
  double A = 1, B = 2;
};
struct Outer {
  Inner First, Second{3};
  double Factor;
};
static double sum(std::initializer_list<double> xs) {
  double s = 0;
  for (double x : xs)
    s += x * x;
  return s;
}

static double lists(double x) { return sum({x, 2 * x, 3, x * x}) * sum({x}); }
static double aggregates(double x) {
  Outer o{{x}, {}, x * x}, p{.First = {}, .Factor = x};
  return o.First.A * o.Second.A + o.First.B * o.Factor + p.Second.A * p.Factor * p.First.B;
}
static double maxima(double x) {
  double m = std::max({x, x * x, 0.3});
  std::vector<double> v{m, x, std::min({m, x})};
  double s = 1;
  for (double y : {v[0], v[1], v[2]})
    s = s * y + 1;
  return s;
}

int main() {
  RG_UNARY(lists, 0.75);
  RG_UNARY(aggregates, 1.5);
  RG_UNARY(maxima, 0.75);
  RG_UNARY(maxima, 1.5);
  return rgReport();
}
