// RG-LEVELS: O0 O1 O2 O3 Os fast g
// Member functions: const, static, overloaded operators, called on objects that
// are local, in arrays and by pointer; a static member differentiated itself.
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

class Spring {
  double Stiffness, Length;
  int Uses = 0;

public:
  Spring(double k, double l) : Stiffness(k), Length(l) {}
  double energy(double x) {
    ++Uses;
    double d = x - Length;
    return 0.5 * Stiffness * d * d;
  }
  void soften(double by) { Stiffness *= 1 - by; }
  double stiffness() const { return Stiffness; }
  int uses() const { return Uses; }
  static double series(double a, double b) { return a * b / (a + b); }
  static double square(double x) { return x * x; }
};

static double chain(double x) {
  Spring s[3] = {{x, 1.0}, {2.0, x}, {x * x, 0.5}};
  double e = 0;
  for (Spring &one : s) {
    e += one.energy(2.0);
    one.soften(0.1 * x);
    e += one.energy(x) * one.uses();
  }
  return e + Spring::series(s[0].stiffness(), s[2].stiffness());
}
static double onObject(Spring *s, double x) {
  s->soften(x * 0.25);
  return s->energy(x);
}
static double onObjectOf(double k, double l, double x) {
  Spring s(k, l);
  return onObject(&s, x);
}

int main() {
  RG_UNARY(chain, 1.25);
  RG_NEAR(__enzyme_autodiff((void *)&Spring::square, 3.0), 6);
  double k = 3, l = 0.5, x = 1.5;
  Spring s(k, l), d(0, 0);
  double dx = __enzyme_autodiff((void *)onObject, &s, &d, x);
  RG_GRAD(dx, onObjectOf(k, l, x), x);
  RG_GRAD(d.stiffness(), onObjectOf(k, l, x), k);
  return rgReport();
}
