// Variants of a number, two numbers and a vector that are inserted, erased, sorted, reversed, assigned to an optional, and
// moved out of a local variable: words that are a number or an address by turns, in one register.
// RG-LEVELS: O0 O1 O2 O3
// RG-FLAGS: -std=c++17
#include "rgvector.hpp"
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <variant>
#include <vector>

struct Circle {
  double r;
};
struct Rect {
  double a, b;
};
struct Path {
  std::vector<double> p;
};
using Shape = std::variant<Circle, Rect, Path>;

static double area(const Shape &s) {
  if (auto *c = std::get_if<Circle>(&s))
    return 3 * c->r * c->r;
  if (auto *r = std::get_if<Rect>(&s))
    return r->a * r->b;
  double sum = 0;
  for (double d : std::get<Path>(s).p)
    sum += d * d;
  return sum;
}
static Shape make(const double *x, int i) {
  switch (i % 3) {
  case 1:
    return Circle{x[i]};
  case 2:
    return Rect{x[i], x[0]};
  default:
    return Path{{x[i], x[1]}};
  }
}

static double both_ends(const double *x, int n) {
  std::deque<Shape> v;
  for (int i = 0; i < n; ++i)
    if (i % 2)
      v.push_front(make(x, i));
    else
      v.push_back(make(x, i));
  double s = 0;
  for (auto &q : v)
    s += area(q) * area(v[1]);
  return s;
}
static double inserted(const double *x, int n) {
  std::vector<Shape> v;
  for (int i = 0; i < n; ++i)
    v.insert(v.begin() + i / 2, make(x, i));
  double s = 0;
  for (auto &q : v)
    s = s * 0.5 + area(q) * area(v[0]);
  return s;
}
static double erased(const double *x, int n) {
  std::vector<Shape> v;
  for (int i = 0; i < n; ++i)
    v.push_back(make(x, i));
  v.erase(v.begin() + 2);
  double s = 0;
  for (auto &q : v)
    s = s * 0.5 + area(q) * area(v[0]);
  return s;
}
static double optional(const double *x, int n) {
  std::optional<Shape> o;
  double s = 0;
  for (int i = 0; i < n; ++i) {
    if (o)
      s += area(*o) * x[i];
    o = make(x, i);
  }
  return s + area(*o);
}
static double reversed(const double *x, int n) {
  std::vector<Shape> v;
  for (int i = 0; i < n; ++i)
    v.push_back(make(x, i));
  std::vector<Shape> w = v;
  std::reverse(w.begin(), w.end());
  w[1] = v[2];
  double s = 0;
  for (size_t i = 0; i < v.size(); ++i)
    s += area(v[i]) * area(w[i]);
  return s;
}
// The first one's word is loaded once, ahead of the question what it is.
static double first(const double *x, int n) {
  Shape v[6];
  for (int i = 0; i < n; ++i)
    v[i] = make(x, (i + 1) % n);
  double s = 0;
  for (auto &q : v)
    s += area(q) * area(v[0]);
  return s;
}
static double mapped(const double *x, int n) {
  std::map<int, Shape> v;
  for (int i = 0; i < n; ++i) {
    Shape t;
    if (i % 2)
      t = Circle{x[i]};
    else
      t = Path{{x[i], x[1]}};
    v[i] = std::move(t);
  }
  double s = 0;
  for (auto &[k, q] : v)
    s += area(q) * (k + 1);
  return s;
}

struct Leaf {
  int tag;
  union {
    double number;
    double *at;
  };
};
static double pushed(const double *x, int n) {
  double kept[6];
  std::vector<Leaf> leaves;
  for (int i = 0; i < n; ++i) {
    Leaf l;
    l.tag = i % 2;
    if (i % 2) {
      l.number = x[i];
    } else {
      kept[i] = x[i] * x[0];
      l.at = &kept[i];
    }
    leaves.push_back(l);
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += leaves[i].tag ? leaves[i].number * leaves[i].number : *leaves[i].at;
  return s;
}

int main() {
  const double at[6] = {0.5, 0.8, 1.1, 1.4, 1.7, 2};
  check(both_ends, at);
  check(inserted, at);
  check(erased, at);
  check(optional, at);
  check(reversed, at);
  check(first, at);
  check(mapped, at);
  check(pushed, at);
  return rgReport();
}
