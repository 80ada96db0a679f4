// Virtual functions of objects made inside, whose class the optimiser can see or
// could; and a final class.
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct Function {
  virtual ~Function() = default;
  virtual double at(double x) const = 0;
};
struct Square final : Function {
  double Factor;
  explicit Square(double f) : Factor(f) {}
  double at(double x) const override { return Factor * x * x; }
};
struct Sine final : Function {
  double at(double x) const override { return std::sin(x); }
};

static double direct(double x) {
  Square s(x);
  const Function &f = s;
  return f.at(x) + Sine().at(x);
}

int main() {
  RG_UNARY(direct, 0.7);
  return rgReport();
}
