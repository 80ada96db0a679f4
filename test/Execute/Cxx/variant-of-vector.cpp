// Memory that holds numbers or pointers by turns: LLVM forwards numbers to loads of
// pointers, in paths that do not run then.
// RG-LEVELS: O0 O1 O2
#include "rgtest.h"
#include <array>
#include <cmath>
#include <optional>
#include <variant>
#include <vector>
extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct Circle { double r; };
struct Rect { double a, b; };
struct Poly { std::vector<double> sides; };
using Shape = std::variant<Circle, Rect, Poly>;

static std::optional<double> root(double v) {
  if (v < 0)
    return std::nullopt;
  return std::sqrt(v);
}

static double area(const Shape &s) {
  return std::visit(
      [](const auto &q) -> double {
        using T = std::decay_t<decltype(q)>;
        if constexpr (std::is_same_v<T, Circle>) {
          return 3.14 * q.r * q.r;
        } else if constexpr (std::is_same_v<T, Rect>) {
          return q.a * q.b;
        } else {
          double p = 1;
          for (double v : q.sides)
            p *= v;
          return p;
        }
      },
      s);
}

double total(const double *x, int n) {
  std::vector<Shape> shapes;
  for (int i = 0; i < n; i++) {
    if (i % 4 == 0)
      shapes.emplace_back(Circle{x[i]});
    else if (i % 4 == 1)
      shapes.push_back(Rect{x[i], x[0]});
    else if (i % 4 == 2)
      shapes.push_back(Poly{{x[i], x[1], x[2]}});
    else
      shapes.push_back(Rect{x[i],x[i]});
  }
  double s = 0;
  for (auto &q : shapes)
    s += root(area(q)).value_or(0.) + root(-area(q)).value_or(.5) * x[0];
  if (auto *c = std::get_if<Circle>(&shapes[0]))
    s *= c->r;
  shapes[0] = Poly{{x[3], x[4]}};
  shapes[1] = shapes[2];

  for (auto &q : shapes)
    s += area(q) * q.index();
  return s;
}

int main() {
  const int n = 6;
  double x[n], d[n] = {};
  for (int i = 0; i < n; i++)
    x[i] = .41 + .33 * i;
  __enzyme_autodiff((void *)total, enzyme_dup, x, d, enzyme_const, n);
  RG_GRADS(d, total(x, n), x, n);
  for (int k = 0; k < n; k++) {
    double t[n] = {};
    t[k] = 1;
    RG_NEAR(__enzyme_fwddiff((void *)total, enzyme_dup, x, t, enzyme_const, n), d[k]);
  }
  return rgReport();
}
int enzyme_dup, enzyme_const;

