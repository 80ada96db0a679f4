// optional, variant, tuple, any.
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

#include <any>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>
static std::optional<double> sq(double x) {
  if (x < 0)
    return std::nullopt;
  return std::sqrt(x);
}
static double f1(double x) {
  auto a = sq(x), b = sq(-x);
  return a.value() * x + b.value_or(x * x) + (b ? 1 : *a);
}
struct Circle {
  double r;
};
struct Rect {
  double a, b;
};
static double f3(double x) {
  std::variant<double, std::string> v = x;
  v = std::get<double>(v) * x;
  double r = std::get<0>(v);
  v = std::string("text");
  if (auto *p = std::get_if<std::string>(&v))
    r *= p->size();
  v = r;
  return std::get<double>(v) * x;
}
static double f4(double x) {
  auto t = std::make_tuple(x, 2, x * x);
  auto [a, n, b] = t;
  std::get<0>(t) += b;
  auto u = std::tuple_cat(t, std::make_pair(a, b));
  return std::get<0>(u) * std::get<4>(u) * n +
         std::apply([](double p, int q, double r) { return p * q * r; }, t) +
         std::exchange(a, b) * a;
}
static double f5(double x) {
  std::optional<std::vector<double>> o;
  o.emplace(3, x);
  o->push_back(x * x);
  double s = 0;
  for (double d : *o)
    s += d * d;
  o.reset();
  if (!o)
    s *= x;
  return s;
}
static double f6(double x) {
  std::any a = x;
  double r = std::any_cast<double>(a);
  a = 3;
  return r * r * std::any_cast<int>(a);
}
static double f2(double x) {
  std::vector<std::variant<Circle, Rect>> v;
  v.push_back(Circle{x});
  v.push_back(Rect{x, 2 * x});
  v.push_back(Rect{3, x});
  double s = 0;
  for (auto &e : v)
    s += std::visit(
        [&](auto &q) -> double {
          using T = std::decay_t<decltype(q)>;
          if constexpr (std::is_same_v<T, Circle>)
            return q.r * q.r * 3;
          else
            return q.a * q.b;
        },
        e);
  return s;
}
int main() {
  RG_UNARY(f2, .75);
  RG_UNARY(f1, .75);
  RG_UNARY(f3, .75);
  RG_UNARY(f4, .75);
  RG_UNARY(f5, .75);
  RG_UNARY(f6, .75);
  return rgReport();
}
