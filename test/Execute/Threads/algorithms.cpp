// A selection with a policy: its steps add up a part of the range, and write it. Ranges of no, of
// one, of few and of many elements. Reverse mode against forward mode and differences.
// REQUIRES: tbb
// RG-LEVELS: O2
// RG-FLAGS: -std=c++20 -pthread -ltbb
#include "Inputs/algorithms.h"

static double selections(const double *x, int n) {
  Row y(x, x + n), z(n);
  double limit = 0.11;
  auto end = std::copy_if(par, y.begin(), y.end(), z.begin(), [limit](double a) { return a > limit; });
  return weighted(z, end - z.begin());
}

MAIN(selections)
