// Several lanes through calls by address and virtual calls of a user's objects.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <cmath>

extern int enzyme_dup, enzyme_const, enzyme_width;
struct two {
  double lane[2];
};
void __enzyme_autodiff(void *, ...);
two __enzyme_fwddiff_two(void *, ...);

static double square(double t) { return t * t; }
static double sine(double t) { return std::sin(t); }
static double byAddress(const double *x, int n) {
  double (*table[2])(double) = {square, sine};
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += table[(i * 3) % 2](x[i]) * x[0];
  return s;
}
struct Law {
  virtual ~Law() = default;
  virtual double at(double t) const = 0;
};
struct Parabola : Law {
  double k;
  Parabola(double k) : k(k) {}
  double at(double t) const override { return k * t * t; }
};
struct Growth : Law {
  double k;
  Growth(double k) : k(k) {}
  double at(double t) const override { return std::exp(k * t); }
};
static double total(const Law *const *laws, const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += laws[i % 2]->at(x[i]);
  return s;
}

int main() {
  double x[6] = {0.7, 1.3, -0.4, 2.1, 0.9, -1.6}, v0[6] = {1}, v1[6] = {0, 1};
  two t = __enzyme_fwddiff_two((void *)byAddress, enzyme_width, 2, enzyme_dup, x, v0, v1, enzyme_const, 6);
  RG_GRAD(t.lane[0], byAddress(x, 6), x[0]);
  RG_GRAD(t.lane[1], byAddress(x, 6), x[1]);

  Parabola p(0.5), p0(0), p1(0);
  Growth g(0.3), g0(0), g1(0);
  Law *laws[2] = {&p, &g}, *s0[2] = {&p0, &g0}, *s1[2] = {&p1, &g1};
  double z0[6] = {0}, z1[6] = {0};
  p0.k = 1;
  g1.k = 1;
  t = __enzyme_fwddiff_two((void *)total, enzyme_width, 2, enzyme_dup, laws, s0, s1, enzyme_dup, x, z0, z1,
                           enzyme_const, 6);
  RG_GRAD(t.lane[0], total(laws, x, 6), p.k);
  RG_GRAD(t.lane[1], total(laws, x, 6), g.k);

  double dx[6] = {0};
  Parabola dp(0);
  Growth dg(0);
  Law *shadows[2] = {&dp, &dg};
  __enzyme_autodiff((void *)total, enzyme_dup, laws, shadows, enzyme_dup, x, dx, enzyme_const, 6);
  RG_GRAD(dp.k, total(laws, x, 6), p.k);
  RG_GRAD(dg.k, total(laws, x, 6), g.k);
  RG_GRADS(dx, total(laws, x, 6), x, 6);
  return rgReport();
}
