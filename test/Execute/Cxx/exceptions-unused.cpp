// Code compiled with exceptions on, where none is thrown: calls that may throw as
// far as the compiler knows, cleanups, bounds-checked access.
#include "rgtest.h"
#include <stdexcept>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

__attribute__((noinline)) static double checkedDivide(double a, double b) {
  if (b == 0)
    throw std::domain_error("division by zero");
  return a / b;
}
struct Guard {
  double *Target;
  double Saved;
  explicit Guard(double *t) : Target(t), Saved(*t) {}
  ~Guard() { *Target += Saved; }
};
static double f(double x) {
  double total = x;
  std::vector<double> v(3, x);
  {
    Guard g(&total);
    total = checkedDivide(v.at(1), 1 + x);
    v.at(2) = total * x;
  }
  return total * v.at(2) + checkedDivide(1.0, x);
}
static double assertive(double x, int n) {
  std::vector<double> v;
  for (int i = 0; i < n; ++i)
    v.push_back(checkedDivide(x, i + 1));
  if (v.size() != static_cast<std::size_t>(n))
    throw std::logic_error("size");
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += v.at(i) * v.at(n - 1 - i);
  return s;
}

int main() {
  RG_UNARY(f, 0.75);
  double x = 1.5;
  RG_GRAD(__enzyme_autodiff((void *)assertive, x, 4), assertive(x, 4), x);
  RG_GRAD(__enzyme_fwddiff((void *)assertive, x, 1.0, 4), assertive(x, 4), x);
  return rgReport();
}
