// RG-LEVELS: O0 O1 O2 O3
// Keys of a map are counted in registers, and packed into one word beside
// values that may be any of several records: counters are no bits of numbers.
#include "rgtest.h"
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>
template <class R, class... A> R __enzyme_autodiff(void *, A...);
template <class R, class... A> R __enzyme_fwddiff(void *, A...);

struct Circle {
  double r;
};
struct Rect {
  double w, h;
  int tag;
};
struct Polygon {
  std::vector<double> px, py;
};
using Shape = std::variant<Circle, Polygon, Rect>;

static double area(const Shape &s) {
  if (const auto *c = std::get_if<Circle>(&s))
    return 3 * c->r * c->r;
  if (const auto *p = std::get_if<Polygon>(&s))
    return p->px[0] * p->py[1] + p->px[1] * p->py[0];
  const auto &r = std::get<Rect>(s);
  return r.w * r.h + r.tag;
}

double energy(const double *x, int n) {
  std::map<std::pair<int, int>, std::tuple<double, Shape>> m;
  std::deque<std::optional<Shape>> shapes;
  for (int i = 0; i < n; ++i)
    if (i % 3 == 1)
      shapes.emplace_back(Rect{x[i], x[i - 1] + 1, i});
    else if (i % 3 == 0)
      shapes.emplace_back(Circle{x[i]});
    else if (i == 2)
      shapes.emplace_back(Polygon{{x[i], 2 * x[i]}, {1, x[i] * x[i]}});
    else
      shapes.emplace_back(std::nullopt);
  int k = 0;
  for (auto &s : shapes)
    if (s) {
      m[{k % 2, k}] = {area(*s), *s};
      ++k;
    }
  double sum = 0;
  for (auto &[key, v] : m) {
    auto &[a, s] = v;
    sum += a * (key.first + 1) + std::sqrt(area(s));
    if (auto *c = std::get_if<Circle>(&s))
      s = Rect{2 * c->r, a, key.second};
  }
  for (auto &[key, v] : m)
    sum += area(std::get<1>(v)) * 0.1;
  return sum;
}

extern int enzyme_dup, enzyme_const;

int main() {
  double x[7] = {0.5, 0.8, 1.1, 0.7, 0.9, 1.3, 0.6}, g[7] = {0}, t[7];
  double along = 0;
  __enzyme_autodiff<double>((void *)energy, enzyme_dup, x, g, enzyme_const, 7);
  for (int i = 0; i < 7; ++i) {
    t[i] = std::cos(i);
    along += g[i] * t[i];
    RG_GRAD(g[i], energy(x, 7), x[i]);
  }
  RG_NEAR(__enzyme_fwddiff<double>((void *)energy, enzyme_dup, x, t,
                                   enzyme_const, 7),
          along);
  return rgReport();
}
