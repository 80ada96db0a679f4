// RG-FLAGS: -std=c++17 -fno-inline
// RG-LEVELS: O1 O2
//
// Variants whose helpers are not inlined: the lambdas of std::visit have variable arguments, which they ignore.
#include "rgvector.hpp"
#include <variant>
#include <vector>

using Value = std::variant<double, std::vector<double>>;

static double sum(const Value &v) {
  if (auto *one = std::get_if<double>(&v))
    return *one * *one;
  double s = 0;
  for (double x : std::get<std::vector<double>>(v))
    s += x * x * x;
  return s;
}
static double alternatives(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    Value v = x[i];
    if (i % 2)
      v = std::vector<double>{x[i], x[0]};
    Value w = v;
    v = x[i] * x[1];
    s += sum(v) + sum(w) * std::visit([&](auto &) { return x[2]; }, w);
  }
  return s;
}
static double first(const double *x, ...) { return *x * *x; }
static double ignored(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += first(&x[i], x[0], x) * x[1];
  return s;
}
int main() {
  check(alternatives);
  check(ignored);
  return rgReport();
}
