// Handlers that ask the library's exceptions, and the program's own, for their text, beside a tree of objects with
// virtual functions at the same place of their tables.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
#include <memory>
#include <stdexcept>
#include <stdio.h>
#include <string.h>
#include <string>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct Shape {
  double a;
  explicit Shape(double a) : a(a) {}
  virtual ~Shape() = default;
  virtual const double *size() const { return &a; }
};
struct Round : Shape {
  double r;
  Round(double a, double r) : Shape(a), r(r) {}
  const double *size() const override { return &r; }
};
struct Own : std::exception {
  double v;
  const char *text;
  Own(double v, const char *text) : v(v), text(text) {}
  const char *what() const noexcept override { return text; }
};
static unsigned letters;
__attribute__((noinline)) static double part(double x, int i) {
  if (i == 1)
    throw std::invalid_argument("empty");
  if (i == 2)
    throw std::runtime_error("diverged at " + std::to_string(i));
  if (i == 3)
    throw Own(x * x, "of the program's own");
  std::unique_ptr<Shape> s;
  if (i & 4)
    s = std::make_unique<Round>(x, x * x);
  else
    s = std::make_unique<Shape>(sin(x));
  return *s->size() * x;
}
static double texts(double x) {
  double s = 0;
  for (int i = 0; i < 6; ++i)
    try {
      s += part(x, i);
    } catch (const Own &e) {
      letters += e.what()[0];
      s += e.v * e.v;
    } catch (const std::exception &e) {
      letters += e.what()[0];
      s += x * x * x * i;
    }
  return s;
}
static double base(double x) {
  double s = x;
  for (int i = 0; i < 6; ++i)
    try {
      s += part(x * s, i);
    } catch (const std::exception &e) {
      letters += strlen(e.what());
      s *= 1 + x * x;
    }
  return s;
}
template <double (*F)(double)> static double gradient(double x) { return __enzyme_autodiff((void *)F, x); }
template <double (*F)(double)> static void both(double x) {
  RG_GRAD(gradient<F>(x), F(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)F, x, 1.0), F(x), x);
}
int main() {
  both<texts>(0.4);
  both<base>(0.4);
  letters = 0;
  gradient<texts>(0.4);
  if (letters != 'e' + 'd' + 'o') {
    printf("%u\n", letters);
    return 1;
  }
  return rgReport();
}
