// Static polymorphism: CRTP bases, expression templates by hand, policies,
// inheritance of data, a non-virtual base in a derived object.
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

template <typename D> struct Shape {
  double scaledArea(double s) const { return static_cast<const D *>(this)->area() * s; }
};
struct Circle : Shape<Circle> {
  double R;
  explicit Circle(double r) : R(r) {}
  double area() const { return 3.0 * R * R; }
};
struct Box : Shape<Box> {
  double W, H;
  Box(double w, double h) : W(w), H(h) {}
  double area() const { return W * H; }
};
struct Base {
  double Mass;
  double weight() const { return 9.81 * Mass; }
};
struct Middle : Base {
  float Drag;
};
struct Derived : Middle {
  double Speed;
  double energy() const { return 0.5 * Mass * Speed * Speed - Drag + weight(); }
};
template <typename L, typename R> struct Sum {
  const L &A;
  const R &B;
  double operator[](int i) const { return A[i] + B[i]; }
};
template <typename L, typename R> struct Product {
  const L &A;
  const R &B;
  double operator[](int i) const { return A[i] * B[i]; }
};
struct Array {
  double V[3];
  double operator[](int i) const { return V[i]; }
  template <typename E> Array &operator=(const E &e) {
    for (int i = 0; i < 3; ++i)
      V[i] = e[i];
    return *this;
  }
};

static double shapes(double x) { return Circle(x).scaledArea(x) + Box(x, 2 - x).scaledArea(3); }
static double inherited(double x) {
  Derived d;
  d.Mass = x;
  d.Drag = 0.5f;
  d.Speed = x * x;
  const Base &b = d;
  return d.energy() * b.weight();
}
static double expressions(double x) {
  Array a{{x, 1, x * x}}, b{{2, x, 3}}, c;
  Product<Array, Array> p{a, b};
  Sum<Product<Array, Array>, Array> s{p, a};
  c = s;
  Sum<Array, Array> t{c, b};
  a = Product<Sum<Array, Array>, Array>{t, b};
  return a[0] * a[1] + a[2];
}

int main() {
  RG_UNARY(shapes, 1.25);
  RG_UNARY(inherited, 1.5);
  RG_UNARY(expressions, 0.75);
  return rgReport();
}
