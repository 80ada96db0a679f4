// What dynamic_cast returns is its operand, moved: the derivative follows, down,
// up and across, for objects made inside and outside.
// RG-LEVELS: O0 O2 O3
#include "rgvector.hpp"
#include <cmath>
#include <memory>
#include <vector>

struct Shape {
  double scale = 1;
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Circle : Shape {
  double radius;
  explicit Circle(double r) : radius(r) {}
  double area() const override { return scale * radius * radius; }
};
struct Square : Shape {
  double side;
  explicit Square(double a) : side(a) {}
  double area() const override { return scale * side * std::sin(side); }
};
static double down(const double *x, int n) {
  std::vector<std::unique_ptr<Shape>> all;
  for (int i = 0; i < n; ++i) {
    if (i % 2)
      all.push_back(std::make_unique<Circle>(x[i]));
    else
      all.push_back(std::make_unique<Square>(x[i]));
    all.back()->scale = x[0] + i;
  }
  double s = 0;
  for (auto &shape : all) {
    if (auto *circle = dynamic_cast<Circle *>(shape.get()))
      s += circle->radius * circle->radius * circle->radius * shape->area();
    else
      s += dynamic_cast<const Square &>(*shape).side * shape->area();
  }
  return s;
}

// By a user's own objects.
static double outside(Shape *const *shapes, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    if (auto *circle = dynamic_cast<Circle *>(shapes[i]))
      s += circle->radius * circle->radius * (i + 1);
    else
      s += shapes[i]->area();
  return s;
}

int main() {
  check(down);
  Circle a(1.5), da(0);
  Square b(0.75), db(0);
  da.scale = db.scale = 0;
  Shape *shapes[2] = {&a, &b}, *shadows[2] = {&da, &db};
  __enzyme_autodiff((void *)outside, enzyme_dup, shapes, shadows, enzyme_const, 2);
  RG_GRAD(da.radius, outside(shapes, 2), a.radius);
  RG_GRAD(db.side, outside(shapes, 2), b.side);
  RG_GRAD(db.scale, outside(shapes, 2), b.scale);
  return rgReport();
}
