// The union of two sorted ranges with a policy: what is added up are ranges of a buffer, three
// integers each, and the iterators are moved as words.
// REQUIRES: tbb
// RG-LEVELS: O2
// RG-FLAGS: -std=c++20 -pthread -ltbb
#include "Inputs/algorithms.h"

static double unions(const double *x, int n) {
  Row y(x, x + n / 2), z(x + n / 3, x + n), w(2 * n);
  std::sort(y.begin(), y.end());
  std::sort(z.begin(), z.end());
  auto end = std::set_union(par, y.begin(), y.end(), z.begin(), z.end(), w.begin());
  return weighted(w, end - w.begin());
}

MAIN(unions)
