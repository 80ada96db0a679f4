// A program that makes its shadow tables itself.
#include "rgtest.h"
#include <cmath>
template <class T, class... A> T __enzyme_autodiff(void *, A...);
void *__enzyme_virtualreverse(void *);

struct Base {
  double k;
  virtual double at(double x) const = 0;
};
struct Line : Base {
  double at(double x) const override { return k * x; }
};
struct Wave : Base {
  double at(double x) const override { return std::sin(k * x); }
};
double value(const Base *b, double x) { return b->at(x) * b->k; }

template <class T> void check() {
  T object, shadow;
  object.k = 0.7;
  shadow.k = 0;
  *(void **)&shadow = __enzyme_virtualreverse(*(void **)&object);
  double x = 1.3;
  double dx = __enzyme_autodiff<double>((void *)value, (const Base *)&object,
                                        (const Base *)&shadow, x);
  RG_GRAD(dx, value(&object, x), x);
  RG_GRAD(shadow.k, value(&object, x), object.k);
}
int main() {
  check<Line>();
  check<Wave>();
  return rgReport();
}
