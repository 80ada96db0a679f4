// Closures of two types of functions in one file: all share the code that copies them, so that the
// buffer of one holds a number where that of the other holds an address, and the buffers are moved
// through memory that nothing else accesses, as a vector grows.
// RG-LEVELS: O1 O2 O3
#include "rgvector.hpp"
#include <functional>
#include <vector>

static double added(const double *x, int n) {
  std::vector<std::function<double(double)>> all;
  double sum = 0;
  for (int i = 0; i < 5; ++i) {
    double k = x[i % n];
    all.push_back([k, &sum](double t) {
      sum += k * t;
      return t + sum;
    });
  }
  double s = x[0];
  for (auto &f : all)
    s = f(s);
  return s + sum;
}
static double product(const double *x, int n) {
  std::function<double(int)> f = [&](int i) -> double {
    if (i < 0)
      return 1;
    return f(i - 1) * x[i];
  };
  return f(n - 1);
}
int main() {
  check(added);
  check(product);
  return rgReport();
}
