// shared_ptr of polymorphic and of linked objects in one module, and weak_ptr.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <cmath>
#include <memory>
#include <vector>
template <class T, class... Args> T __enzyme_autodiff(void *, Args...);
template <class T, class... Args> T __enzyme_fwddiff(void *, Args...);

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Circle : Shape {
  double r;
  Circle(double r) : r(r) {}
  double area() const override { return M_PI * r * r; }
};
struct Rectangle : Shape {
  double a, b;
  Rectangle(double a, double b) : a(a), b(b) {}
  double area() const override { return a * b; }
};
double shapes(const double *x) {
  std::vector<std::shared_ptr<Shape>> s;
  s.push_back(std::make_shared<Circle>(x[0]));
  s.push_back(std::make_shared<Rectangle>(x[1], x[2]));
  double r = 0;
  for (auto &p : s)
    r += p->area();
  return r;
}
struct Node {
  double v;
  std::shared_ptr<Node> next;
  std::weak_ptr<Node> back;
  Node(double v) : v(v) {}
};
double list(const double *x) {
  auto a = std::make_shared<Node>(x[0]);
  a->next = std::make_shared<Node>(x[1]);
  a->next->back = a;
  a->next->next = std::make_shared<Node>(x[2]);
  double r = 0;
  for (auto p = a; p; p = p->next) {
    r += p->v * p->v;
    if (auto q = p->back.lock())
      r += q->v * p->v;
  }
  return r;
}
#define EACH(F)                                                                                    \
  {                                                                                                \
    double d[3] = {};                                                                              \
    __enzyme_autodiff<void>((void *)F, x, d);                                                      \
    RG_GRADS(d, F(x), x, 3);                                                                       \
    for (int i = 0; i < 3; ++i) {                                                                  \
      double t[3] = {};                                                                            \
      t[i] = 1;                                                                                    \
      RG_NEAR(__enzyme_fwddiff<double>((void *)F, x, t), d[i]);                                    \
    }                                                                                              \
  }
int main() {
  double x[3] = {.5, .7, 1.1};
  EACH(shapes)
  EACH(list)
  return rgReport();
}
