// Sorting, scans and sums with a policy beside each other: each is a tree of tasks of the library's, which the
// others must not take for theirs, since derivatives run none of them.
// REQUIRES: tbb
// RG-LEVELS: O2
// RG-FLAGS: -std=c++20 -pthread -ltbb
#include "Inputs/algorithms.h"

static double beside(const double *x, int n) {
  Row y(x, x + n), sums(n);
  std::sort(par, y.begin(), y.end(), std::greater<>());
  std::inclusive_scan(par, y.begin(), y.end(), sums.begin());
  std::for_each(par, y.begin(), y.end(), [](double &v) { v = v * v; });
  return weighted(sums, n) + std::reduce(par, y.begin(), y.end(), 1.0, [](double a, double b) { return a + b; });
}

MAIN(beside)
