// Sorting with a policy: the library makes a tree of tasks of more than 500 elements.
// REQUIRES: tbb
// RG-LEVELS: O2
// RG-FLAGS: -std=c++20 -pthread -ltbb
#include "Inputs/algorithms.h"

static double orders(const double *x, int n) {
  Row y(x, x + n);
  std::sort(par, y.begin(), y.end(), std::greater<>());
  return weighted(y, n);
}

MAIN(orders)
