// Functions that hold functions.
// RG-LEVELS: O1 O2 O3
#include "rgvector.hpp"
#include <cmath>
#include <functional>

using Map = std::function<double(double)>;

static Map composed(Map f, Map g) {
  return [f, g](double t) { return f(g(t)); };
}
static double composition(const double *x, int) {
  double a = x[0], b = x[1];
  Map f = composed([a](double t) { return a * t; }, [b](double t) { return b + t * t; });
  Map g = composed(f, f);
  return g(x[2]) * f(x[3]);
}
int main() {
  check(composition);
  return rgReport();
}
