// Virtual calls on objects of the user, with and without a shadow table, and on
// objects made inside.
#include "rgtest.h"
#include <math.h>
#include <memory>
#include <vector>
extern int enzyme_const;
template <class T, class... A> T __enzyme_autodiff(void *, A...);
template <class T, class... A> T __enzyme_fwddiff(void *, A...);
struct Shape {
  virtual ~Shape() = default;
  virtual double area(double s) const = 0;
  virtual double perimeter(double s) const { return 2 * s; }
};
struct Square : Shape {
  double a;
  Square(double a) : a(a) {}
  double area(double s) const override { return a * a * s; }
};
struct Circle : Shape {
  double r;
  int n;
  Circle(double r) : r(r), n(3) {}
  double area(double s) const override { return 3.14 * r * r * s * s; }
  double perimeter(double s) const override {
    double t = s;
    for (int i = 0; i < n; ++i)
      t *= sin(r * t);
    return t;
  }
};
struct Tab : Shape {
  std::vector<double> v;
  Tab(double r) : v{r, 2 * r, r * r} {}
  double area(double s) const override {
    double t = 0;
    for (double x : v)
      t += sin(x * s);
    return t;
  }
};
double outside(Shape **sh, int n, double *x) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += sh[i]->area(x[0]) * sh[i]->perimeter(x[1]);
  return s;
}
double one(Shape *sh, double *x) {
  return sh->area(x[0]) * sh->perimeter(x[1]);
}
double inside(double *x, int n) {
  std::vector<std::unique_ptr<Shape>> v;
  for (int i = 0; i < n; ++i)
    if (i % 3 == 0)
      v.push_back(std::make_unique<Square>(x[i % 2]));
    else if (i % 3 == 1)
      v.push_back(std::make_unique<Circle>(x[i % 2]));
    else
      v.push_back(std::make_unique<Tab>(x[i % 2]));
  double s = 0;
  for (auto &p : v)
    s += p->area(x[0]) * p->perimeter(x[1]);
  return s;
}
int main() {
  Square q(1.2);
  Circle c(0.8);
  Tab t(0.5);
  Shape *sh[3] = {&q, &c, &t};
  double x[2] = {0.7, 1.1}, d[2] = {0};
  __enzyme_autodiff<double>((void *)outside, enzyme_const, sh, 3, x, d);
  RG_GRADS(d, outside(sh, 3, x), x, 2);
  double e0[2] = {1, 0};
  RG_GRAD(__enzyme_fwddiff<double>((void *)outside, enzyme_const, sh, 3, x, e0),
          outside(sh, 3, x), x[0]);
  {
    Circle dc(0);
    dc.r = 0;
    double e[2] = {0};
    __enzyme_autodiff<double>((void *)one, (Shape *)&c, (Shape *)&dc, x, e);
    RG_GRADS(e, one(&c, x), x, 2);
    RG_GRAD(dc.r, one(&c, x), c.r);
    alignas(Circle) char raw[sizeof(Circle)] = {
        0}; // no virtual table in the shadow
    double f[2] = {0};
    __enzyme_autodiff<double>((void *)one, (Shape *)&c, (Shape *)raw, x, f);
    RG_GRADS(f, one(&c, x), x, 2);
    RG_GRAD(((Circle *)raw)->r, one(&c, x), c.r);
  }
  double g[2] = {0};
  __enzyme_autodiff<double>((void *)inside, x, g, 7);
  RG_GRADS(g, inside(x, 7), x, 2);
  RG_GRAD(__enzyme_fwddiff<double>((void *)inside, x, e0, 7), inside(x, 7),
          x[0]);
  return rgReport();
}
