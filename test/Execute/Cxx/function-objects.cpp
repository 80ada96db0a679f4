// A std::function of the user, pointers to members (virtual ones too), deleters of shared pointers.
#include "rgtest.h"
#include <functional>
#include <math.h>
#include <memory>
#include <vector>
extern int enzyme_const;
template <class T, class... A> T __enzyme_autodiff(void *, A...);
template <class T, class... A> T __enzyme_fwddiff(void *, A...);
double sq(double x) { return x * x; }
double given(const std::function<double(double)> &f, double *x) {
  return f(x[0]) * x[1];
}
struct M {
  double k;
  double a(double x) const { return k * x; }
  double b(double x) const { return x * x + k; }
  virtual double v(double x) const { return k * k * x; }
  virtual double w(double x) const { return x / k; }
};
struct M2 : M {
  double v(double x) const override { return sin(k * x); }
};
typedef double (M::*mp)(double) const;
__attribute__((noinline)) double member(const M &m, mp p, double x) {
  return (m.*p)(x)*x;
}
mp members[] = {&M::a, &M::b, &M::v, &M::w};
double viaMember(double *x, int i) {
  M m;
  M2 m2;
  m.k = x[1];
  m2.k = x[1] * 2;
  return member(m, members[i], x[0]) + member(m2, members[i], x[0]);
}
double shared(double *x, int n) {
  std::shared_ptr<double> p(new double(x[0] * x[1]),
                            [](double *q) { delete q; });
  std::shared_ptr<double> q = n ? std::make_shared<double>(x[1]) : p;
  double r = 0;
  for (int i = 0; i < n + 2; ++i) {
    auto t = p;
    r += *t * *q;
    *t = r;
  }
  return r;
}
int main() {
  double x[2] = {0.7, 1.1}, e0[2] = {1, 0};
  {
    double g[2] = {0};
    double k = 3;
    std::function<double(double)> f = [k](double y) { return k * y * y; };
    __enzyme_autodiff<double>((void *)given, enzyme_const, &f, x, g);
    RG_GRADS(g, given(f, x), x, 2);
    RG_GRAD(__enzyme_fwddiff<double>((void *)given, enzyme_const, &f, x, e0),
            given(f, x), x[0]);
  }
  for (int i = 0; i < 4; ++i) {
    double g[2] = {0};
    __enzyme_autodiff<double>((void *)viaMember, x, g, i);
    RG_GRADS(g, viaMember(x, i), x, 2);
    RG_GRAD(__enzyme_fwddiff<double>((void *)viaMember, x, e0, i),
            viaMember(x, i), x[0]);
  }
  for (int i = 0; i < 2; ++i) {
    double g[2] = {0};
    __enzyme_autodiff<double>((void *)shared, x, g, i);
    RG_GRADS(g, shared(x, i), x, 2);
    RG_GRAD(__enzyme_fwddiff<double>((void *)shared, x, e0, i), shared(x, i),
            x[0]);
  }
  return rgReport();
}
