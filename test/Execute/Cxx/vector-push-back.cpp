// push_back and emplace_back with growth, reserve, pop_back as a stack, and
// vectors as queues of work.
#include "rgtest.h"
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double grow(double x, int n) {
  std::vector<double> v;
  for (int i = 0; i < n; ++i)
    v.push_back(i ? v.back() * x + 1 : x);
  double s = 0;
  for (double y : v)
    s += y * y;
  return s;
}
static double reserved(double x, int n) {
  std::vector<double> v;
  v.reserve(n + 1);
  v.emplace_back(x);
  for (int i = 0; i < n; ++i)
    v.emplace_back(v[i / 2] * x);
  return v[n] * v[n / 2];
}
static double stack(double x) {
  std::vector<double> s;
  for (const char *c = "xx*x+xxx**+"; *c; ++c) {
    if (*c == 'x') {
      s.push_back(x);
      continue;
    }
    double b = s.back();
    s.pop_back();
    double a = s.back();
    s.pop_back();
    s.push_back(*c == '*' ? a * b : a + b);
  }
  return s.back();
}

int main() {
  double x = 0.8;
  for (int n = 0; n < 10; n += 3) {
    RG_GRAD(__enzyme_autodiff((void *)grow, x, n), grow(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)grow, x, 1.0, n), grow(x, n), x);
    RG_GRAD(__enzyme_autodiff((void *)reserved, x, n), reserved(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)reserved, x, 1.0, n), reserved(x, n), x);
  }
  RG_UNARY(stack, 1.25);
  return rgReport();
}
