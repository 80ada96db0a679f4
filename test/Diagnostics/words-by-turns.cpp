// A variant that is built in a local variable and moved on: one register holds the number of the one alternative and the
// pointer of the other. What types take for a pointer on all ways has no derivative as a number.
// RUN: not %rgcxx -std=c++17 -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: instruction 'load' cannot be differentiated here: a number in a register that holds an address on other ways [RG2002]
#include <map>
#include <variant>
#include <vector>
void __enzyme_autodiff(void *, ...);
extern "C" int enzyme_dup, enzyme_const;

struct Circle {
  double r;
};
struct Path {
  std::vector<double> p;
};
using Shape = std::variant<Circle, Path>;

static double area(const Shape &s) {
  if (auto *c = std::get_if<Circle>(&s))
    return 3 * c->r * c->r;
  double r = 0;
  for (double d : std::get<Path>(s).p)
    r += d * d;
  return r;
}
static double f(const double *x, int n) {
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
void gradient(const double *x, double *dx, int n) { __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n); }
