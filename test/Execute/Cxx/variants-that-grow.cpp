// A number that is pushed into a vector of variants is moved as a word, which the code of an alternative with a vector
// takes for its pointer, on a path that this variant never takes.
// RG-LEVELS: O0 O1 O2
// RG-FLAGS: -std=c++17
#include "rgtest.h"
#include <variant>
#include <vector>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern "C" int enzyme_dup, enzyme_const;

struct Count {
  int n;
};
struct Circle {
  double r;
};
struct Rect {
  double a, b;
};
struct Path {
  std::vector<double> p;
};

template <class Shape> static double area(const Shape &s) {
  return std::visit(
      [](const auto &t) -> double {
        using T = std::decay_t<decltype(t)>;
        if constexpr (std::is_same_v<T, Count>) {
          return t.n;
        } else if constexpr (std::is_same_v<T, Circle>) {
          return 3 * t.r * t.r;
        } else if constexpr (std::is_same_v<T, Rect>) {
          return t.a * t.b;
        } else {
          double sum = 0;
          for (double d : t.p)
            sum += d * d;
          return sum;
        }
      },
      s);
}

static double three(const double *x, int n) {
  std::vector<std::variant<Circle, Rect, Path>> v;
  for (int i = 0; i < n; ++i)
    if (i % 3 == 1)
      v.push_back(Circle{x[i]});
    else if (i % 3 == 2)
      v.push_back(Rect{x[i], x[0]});
    else
      v.push_back(Path{{x[i], x[1]}});
  double s = 0;
  for (auto &q : v)
    s += area(q) * area(v[0]);
  return s;
}

static double four(const double *x, int n) {
  std::vector<std::variant<Count, Circle, Rect, Path>> v;
  for (int i = 0; i < n; ++i)
    if (i % 4 == 0)
      v.push_back(Count{i});
    else if (i % 4 == 1)
      v.push_back(Circle{x[i]});
    else if (i % 4 == 2)
      v.push_back(Rect{x[i], x[0]});
    else
      v.push_back(Path{{x[i], x[1]}});
  v[2] = v[3];
  double s = 0;
  for (auto &q : v)
    s += area(q) * area(v[1]);
  return s;
}

static void check(double (*f)(const double *, int), double (&d)[6], double along) {
  double x[6], v[6], sum = 0;
  for (int i = 0; i < 6; ++i)
    x[i] = 0.5 + 0.3 * i, v[i] = 1 - 0.25 * i;
  for (int i = 0; i < 6; ++i) {
    RG_GRAD(d[i], f(x, 6), x[i]);
    sum += d[i] * v[i];
  }
  RG_NEAR(along, sum);
}

int main() {
  double x[6], v[6], d[6] = {0}, e[6] = {0};
  for (int i = 0; i < 6; ++i)
    x[i] = 0.5 + 0.3 * i, v[i] = 1 - 0.25 * i;
  __enzyme_autodiff((void *)three, enzyme_dup, x, d, enzyme_const, 6);
  check(three, d, __enzyme_fwddiff((void *)three, enzyme_dup, x, v, enzyme_const, 6));
  __enzyme_autodiff((void *)four, enzyme_dup, x, e, enzyme_const, 6);
  check(four, e, __enzyme_fwddiff((void *)four, enzyme_dup, x, v, enzyme_const, 6));
  return rgReport();
}
