// Virtual calls through several bases and virtual ones (thunks), casts across, member
// pointers to virtual methods, callees that throw, tables in containers.
#include "rgvector.hpp"
#include <cmath>
#include <memory>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
  virtual double area(double t) const = 0;
  double scale = 1;
};
struct Named {
  virtual ~Named() = default;
  virtual double weight() const { return 1; }
};
struct Circle : Shape, Named {
  double radius;
  Circle(double r) : radius(r) {}
  double area(double t) const override { return radius * radius * t * scale; }
  double weight() const override { return radius; }
};
struct Square : Shape, Named {
  double side;
  Square(double a) : side(a) {}
  double area(double t) const override { return side * t + std::sin(side); }
};
static double across(const double *x, int n) {
  std::vector<std::unique_ptr<Shape>> all;
  for (int i = 0; i < n; ++i) {
    if (i % 2)
      all.push_back(std::make_unique<Circle>(x[i]));
    else
      all.push_back(std::make_unique<Square>(x[i]));
    all.back()->scale = x[0];
  }
  double s = 1;
  for (auto &shape : all)
    s = 0.3 * s + shape->area(s) * dynamic_cast<Named &>(*shape).weight();
  return s;
}
static double weigh(const Named *p) { return p->weight(); }
static double secondBase(const double *x, int n) {
  Circle c(x[0]);
  Square q(x[1]);
  const Named *named[2] = {&c, &q};
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += weigh(named[i % 2]) * x[i];
  return s;
}
struct Root {
  virtual ~Root() = default;
  virtual double value() const { return base; }
  double base = 2;
};
struct Left : virtual Root {
  double left = 1;
  double value() const override { return base * left; }
};
struct Right : virtual Root {
  double right = 1;
  virtual double other() const { return base * right; }
};
struct Diamond : Left, Right {
  double other() const override { return base * left * right; }
};
static double diamond(const double *x, int n) {
  std::unique_ptr<Root> all[3];
  auto d = std::make_unique<Diamond>();
  d->base = x[0];
  d->left = x[1];
  d->right = x[2];
  Right *right = d.get();
  double s = right->other() * right->value();
  all[0] = std::move(d);
  auto l = std::make_unique<Left>();
  l->left = x[3];
  l->base = x[4];
  all[1] = std::move(l);
  all[2] = std::make_unique<Root>();
  all[2]->base = x[5];
  for (int i = 0; i < n; ++i)
    s += all[i % 3]->value() * (i + 1);
  return s;
}
static double memberPointer(const double *x, int n) {
  Circle c(x[0]);
  Square q(x[1]);
  const Shape *shapes[2] = {&c, &q};
  double (Shape::*method)(double) const = &Shape::area;
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (shapes[i % 2]->*method)(x[i]);
  return s;
}
static double square(double t) { return t * t; }
static double fragile(double t) {
  if (t > 1.9)
    throw 3;
  return std::sin(t);
}
static double throwing(const double *x, int n) {
  double (*table[2])(double) = {square, fragile};
  double s = 0;
  for (int i = 0; i < n; ++i) {
    try {
      s += table[i % 2](x[i]) * x[0];
    } catch (int e) {
      s += e * x[i];
    }
  }
  return s;
}
static double tables(const double *x, int n) {
  std::vector<double (*)(double)> table = {square, square, +[](double u) { return u * u * u; }};
  auto call = [&](int i, double u) { return table[i % table.size()](u); };
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += call(i, x[i]);
  return s;
}

static const double At[6] = {0.7, 1.3, -0.4, 2.1, 0.9, -1.6};

int main() {
  check(across, At);
  check(secondBase, At);
  check(diamond, At);
  check(memberPointer, At);
  check(throwing, At);
  check(tables, At);
  return rgReport();
}
