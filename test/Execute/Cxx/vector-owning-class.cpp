// Classes that own vectors: constructed, returned, stored in vectors, updated by
// methods that are not inlined, destroyed at the end of scopes.
#include "rgtest.h"
#include <cmath>
#include <utility>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#define NOINLINE __attribute__((noinline))

class Polynomial {
  std::vector<double> C;

public:
  explicit Polynomial(std::vector<double> c) : C(std::move(c)) {}
  NOINLINE double operator()(double x) const {
    double r = 0;
    for (auto it = C.rbegin(); it != C.rend(); ++it)
      r = r * x + *it;
    return r;
  }
  NOINLINE Polynomial derivative() const {
    std::vector<double> d;
    for (std::size_t i = 1; i < C.size(); ++i)
      d.push_back(C[i] * i);
    return Polynomial(std::move(d));
  }
  NOINLINE Polynomial operator*(const Polynomial &o) const {
    std::vector<double> r(C.size() + o.C.size() - 1);
    for (std::size_t i = 0; i < C.size(); ++i)
      for (std::size_t j = 0; j < o.C.size(); ++j)
        r[i + j] += C[i] * o.C[j];
    return Polynomial(r);
  }
};

static double f(double x) {
  Polynomial p({x, 1, x * x}), q = p.derivative() * p;
  std::vector<Polynomial> all;
  all.push_back(p);
  all.push_back(q);
  all.push_back(q.derivative());
  double s = 0;
  for (const Polynomial &one : all)
    s += one(0.5) * one(x);
  return s;
}

int main() {
  RG_UNARY(f, 0.7);
  RG_UNARY(f, -1.2);
  return rgReport();
}
