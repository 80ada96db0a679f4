// Closures of a constant float and of an address, which share the first word of the buffers of std::function, moved within a
// vector. The copies of a swap have no type of their own: what they move between no function accesses as anything.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.hpp"
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

typedef std::vector<std::function<double(double)>> Functions;

static Functions made(double *w, int n) {
  Functions all;
  for (int i = 0; i < n; ++i)
    if (i % 2) {
      double *p = &w[(i + 1) % n];
      all.push_back([p](double a) { return *p * 0.5 + sin(a); });
    } else {
      float half = 0.5f + i;
      all.push_back([half, i](double a) { return a * double(half) + i; });
    }
  return all;
}
static double run(const Functions &all, double a) {
  for (auto &f : all)
    a = 0.3 * f(a);
  return a;
}
#define MOVED(NAME, MOVE)                                                                                                        \
  static double NAME(const double *x, int n) {                                                                                  \
    double w[8];                                                                                                                \
    for (int i = 0; i < n; ++i)                                                                                                 \
      w[i] = x[i] * x[i];                                                                                                       \
    Functions all = made(w, n);                                                                                                 \
    MOVE;                                                                                                                       \
    return run(all, x[0]);                                                                                                      \
  }
MOVED(erased, all.erase(all.begin() + 1))
MOVED(swapped, std::swap(all[1], all[2]))
MOVED(turned, std::rotate(all.begin(), all.begin() + 1, all.end()))
MOVED(inserted, all.insert(all.begin(), all.back()))

int main() {
  check(erased);
  check(swapped);
  check(turned);
  check(inserted);
  return rgReport();
}
