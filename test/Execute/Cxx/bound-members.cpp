// std::bind of a member function beside lambdas of the same type: the address in a member pointer is an integer, which is
// only called.
// RG-LEVELS: O0 O2 O3
#include "rgvector.hpp"
#include <cmath>
#include <functional>

struct Spring {
  double k;
  double force(double y, double z) const { return k * y * z; }
};
static double chained(const double *x, int n) {
  Spring spring{x[0]};
  double c = x[3];
  std::function<double(double)> f = std::bind(&Spring::force, &spring, std::placeholders::_1, x[1]);
  std::function<double(double)> g = [&](double y) { return std::sin(y) * x[2]; };
  std::function<double(double)> h = [c](double y) { return c * y; };
  std::function<double(double)> k = [&c](double y) { return c + y; };
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += f(g(h(k(x[i]))));
  return s;
}
int main() {
  check(chained);
  return rgReport();
}
