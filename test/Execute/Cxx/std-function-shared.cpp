// A function that owns memory together with others.
// RG-LEVELS: O0 O2 O3
#include "rgvector.hpp"
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

using Map = std::function<double(double)>;

static double held(const double *x, int n) {
  auto shared = std::make_shared<std::vector<double>>(x, x + n);
  Map f = [shared](double t) {
    double s = 0;
    for (double v : *shared)
      s += v * t;
    return s;
  };
  Map g = f;
  shared.reset();
  return f(x[0]) * g(x[1]);
}

int main() {
  check(held);
  return rgReport();
}
