// RG-LEVELS: O1 O2
// RG-FLAGS: -std=c++17
// Forward mode: closures of a constant float and an integer beside closures with a vector, and a std::function that calls itself.
// The float has no tangent. (Reverse mode is refused.)
#include "rgtest.h"
#include <cmath>
#include <functional>
#include <vector>
extern int enzyme_dup;
double __enzyme_fwddiff(void *, ...);

static double f(const double *x) {
  double w[6], s = 0.3 * x[0];
  for (int i = 0; i < 6; ++i)
    w[i] = x[i];
  std::vector<std::function<double(double)>> all;
  for (int i = 0; i < 6; ++i)
    if (i % 2 == 0) {
      std::vector<double> v(w, w + 6);
      all.push_back([v, i](double a) { return v[i] * 0.5 + a; });
    } else {
      float half = 0.5f;
      all.push_back([half, i](double a) { return a * double(half) + double(i); });
    }
  std::function<double(int)> again = [&](int k) -> double { return k < 0 ? s : again(k - 1) * 0.5 + w[k % 6]; };
  s += 0.1 * again(5);
  double a = s;
  for (auto &g : all)
    a = tanh(0.3 * g(a));
  return s + a;
}

int main() {
  double x[6];
  for (int i = 0; i < 6; ++i)
    x[i] = 0.7 + 0.13 * i + 0.05 * (i * 7 % 3);
  for (int i = 0; i < 6; ++i) {
    double v[6] = {0};
    v[i] = 1;
    double h = 1e-6, at = x[i];
    x[i] = at + h;
    double d = f(x);
    x[i] = at - h;
    d = (d - f(x)) / (2 * h);
    x[i] = at;
    RG_WITHIN(__enzyme_fwddiff((void *)f, enzyme_dup, x, v), d, 1e-6);
  }
  return rgReport();
}
