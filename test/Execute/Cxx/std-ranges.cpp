// Ranges, views, function objects.
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

#include <algorithm>
#include <functional>
#include <numeric>
#include <ranges>
#include <vector>
namespace rv = std::views;
static double f1(double x) {
  std::vector<double> v;
  for (int i : rv::iota(0, 8))
    v.push_back(x * i);
  double s = 0;
  for (double d : v | rv::filter([](double d) { return d > 1; }) |
                      rv::transform([x](double d) { return d * d * x; }))
    s += d;
  for (double d : v | rv::reverse | rv::take(3))
    s += d * x;
  for (double d : v | rv::drop(2))
    s *= 1 + d * .1;
  return s;
}
static double f2(double x) {
  std::vector<double> v;
  for (int i = 0; i < 9; ++i)
    v.push_back(std::sin(x * i * 2));
  std::ranges::sort(v, std::greater{});
  double s = 0, w = 1;
  for (double d : v)
    s += d * w++;
  auto m = std::ranges::max_element(v);
  std::ranges::reverse(v);
  std::ranges::for_each(v, [&](double &d) { d *= x; });
  auto [lo, hi] = std::ranges::minmax(v);
  return s + *m * lo + hi * std::accumulate(v.begin(), v.end(), 0.0);
}
struct P {
  double m, v;
};
static double f3(double x) {
  std::vector<P> ps{{x, 1}, {2, x}, {x * x, 3}};
  std::ranges::sort(ps, {}, &P::v);
  double s = 0;
  for (double m : ps | rv::transform(&P::m))
    s = s * x + m;
  std::vector<double> o(3);
  std::ranges::transform(ps, o.begin(), [](const P &p) { return p.m * p.v; });
  return s + std::ranges::max(o) * o[1];
}
static double f4(double x) {
  std::vector<std::vector<double>> n{{x, 2 * x}, {x * x}, {}};
  double s = 0;
  for (double d : n | rv::join)
    s += d * d;
  for (int k : rv::iota(1) | rv::take_while([](int k) { return k < 5; }))
    s += x / k;
  return s;
}
static double f5(double x) {
  auto mul = [](double a, double b) { return a * b; };
  auto twice = std::bind(mul, std::placeholders::_1, 2.0);
  return twice(x) * std::invoke(mul, x, x) +
         std::plus<>()(x, 1.0) * std::negate<>()(x);
}
int main() {
  RG_UNARY(f1, .75);
  RG_UNARY(f2, .75);
  RG_UNARY(f3, .75);
  RG_UNARY(f4, .75);
  RG_UNARY(f5, .75);
  return rgReport();
}
