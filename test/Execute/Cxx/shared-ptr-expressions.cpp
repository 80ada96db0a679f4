// Trees of objects of several classes that own each other by std::shared_ptr: what the
// classes have at one offset differs, and control blocks and objects are one piece of
// memory. Counts of owners are known by the library's functions, not by their place.
// RG-LEVELS: O0 O1 O2
#include "rgtest.h"
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

namespace {
using Names = std::map<std::string, double>;
struct Node {
  virtual ~Node() = default;
  virtual double at(const Names &) const = 0;
};
using Tree = std::shared_ptr<Node>;

struct Number : Node {
  double v;
  Number(double v) : v(v) {}
  double at(const Names &) const override { return v; }
};
struct Name : Node {
  std::string n;
  Name(std::string n) : n(std::move(n)) {}
  double at(const Names &e) const override { return e.at(n); }
};
struct Pair : Node {
  char op;
  Tree a, b;
  Pair(char op, Tree a, Tree b) : op(op), a(std::move(a)), b(std::move(b)) {}
  double at(const Names &e) const override {
    double l = a->at(e), r = b->at(e);
    return op == '+' ? l + r : op == '*' ? l * r : l / r;
  }
};
struct Applied : Node {
  Tree a;
  double (*f)(double);
  Applied(double (*f)(double), Tree a) : a(std::move(a)), f(f) {}
  double at(const Names &e) const override { return f(a->at(e)); }
};
struct Sum : Node {
  std::vector<Tree> terms;
  double at(const Names &e) const override {
    double s = 0;
    for (const Tree &t : terms)
      s += t->at(e);
    return s;
  }
};

double square(double x) { return x * x; }
double wave(double x) { return std::sin(x) * x; }

double value(const double *x) {
  Names e{{"x", x[0]}, {"y", x[1]}};
  Tree a = std::make_shared<Name>("x"), c = std::make_shared<Number>(x[2]);
  Tree m = std::make_shared<Pair>('*', a, std::make_shared<Pair>('+', std::make_shared<Name>("y"), c));
  auto s = std::make_shared<Sum>();
  s->terms = {std::make_shared<Applied>(square, m), m,
              std::make_shared<Applied>(wave, std::make_shared<Pair>('/', a, c))};
  s->terms.push_back(std::make_shared<Number>(x[1] * x[2]));
  return s->at(e) * c.use_count();
}

// Who looks without owning, and who owns no more.
double watched(const double *x) {
  Tree a = std::make_shared<Number>(x[0]);
  Tree b = std::make_shared<Pair>('*', a, std::make_shared<Number>(x[1]));
  Tree c = std::make_shared<Applied>(square, b);
  std::weak_ptr<Node> w = c, gone = b;
  Names none;
  double s = c->at(none);
  if (auto p = w.lock())
    s += p->at(none) * x[2];
  b.reset();
  s += gone.expired() ? x[0] : x[1] * x[2];
  c = std::make_shared<Number>(x[2]);
  return s + (gone.expired() && w.expired() ? x[0] * x[0] : 0) + a->at(none) * c->at(none);
}

template <class F> void check(F f) {
  double x[3] = {0.7, 1.3, 0.4}, dx[3] = {};
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx);
  RG_GRADS(dx, f(x), x, 3);
  for (int i = 0; i < 3; ++i) {
    double t[3] = {};
    t[i] = 1;
    RG_GRAD(__enzyme_fwddiff((void *)f, enzyme_dup, x, t), f(x), x[i]);
  }
}
} // namespace

int main() {
  check(value);
  check(watched);
  return rgReport();
}
