// Algorithms with a policy beside each other, of which each gives the library an object of its own that leads to
// other objects: a derivative must not take these objects for one.
// REQUIRES: tbb
// RG-LEVELS: O2
// RG-FLAGS: -std=c++20 -pthread -ltbb
#include "Inputs/algorithms.h"
#include <complex>

static double closures(const double *x, int n) {
  Row y(n), roots(n);
  std::copy(par, x, x + n, y.begin());
  std::transform(par, y.begin(), y.end(), roots.begin(),
                 [](double v) { return v + std::sqrt(v); });
  double product =
      std::transform_reduce(par, y.cbegin(), y.cend(), roots.cbegin(), 0.0);
  std::vector<std::complex<double>> turns(n);
  std::transform(par, y.begin(), y.end(), roots.begin(), turns.begin(),
                 [](double r, double phi) { return std::polar(r, phi); });
  auto sum =
      std::reduce(par, turns.begin(), turns.end(), std::complex<double>());
  std::stable_sort(par, y.begin(), y.end(), std::greater<>());
  return product + std::norm(sum) + weighted(y, n);
}

MAIN(closures)
