// std::pair and std::tuple: made, returned, unpacked, of mixed types, in vectors,
// tied and swapped.
#include "rgtest.h"
#include <tuple>
#include <utility>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static std::pair<double, double> divide(double a, double b) { return {a / b, a * b}; }
static std::tuple<int, double, float> classify(double x) {
  return std::make_tuple(x > 1 ? 2 : 3, x * x, 0.5f);
}
static double f(double x) {
  auto [q, p] = divide(x, x + 2);
  auto [k, sq, c] = classify(q + p);
  double a, b;
  std::tie(a, b) = divide(sq, p);
  std::swap(a, b);
  std::pair<double, int> last(a * k, k);
  return last.first * last.second + b + c;
}
static double inVector(double x) {
  std::vector<std::pair<int, double>> v;
  for (int i = 0; i < 5; ++i)
    v.emplace_back(i % 2, x * i + 1);
  double s = 1;
  for (const auto &[kind, value] : v)
    s = kind ? s * value : s + value * value;
  return s;
}

int main() {
  RG_UNARY(f, 0.5);
  RG_UNARY(f, 1.5);
  RG_UNARY(inVector, 0.6);
  return rgReport();
}
