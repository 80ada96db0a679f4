// Buffers of std::function that hold a constant number in one closure and an address in another:
// LLVM stores the number's bits as an integer. Their shadow is zero, in the tangent and behind the
// adjoint of what was there before.
// RG-LEVELS: O1 O2 O3
#include "rgtest.h"
#include <cmath>
#include <functional>
#include <vector>

typedef std::function<double(double)> Fn;
extern int enzyme_dup;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

enum { N = 6 };

// Each closure goes through one local variable.
static double one_after_the_other(const double *x) {
  double a = x[0];
  for (int i = 0; i < 2 * N; ++i) {
    Fn f;
    if (i % 3 == 1) {
      float half = 0.5f;
      f = [half, i](double v) { return v * double(half) + i; };
    } else if (i % 3 == 0) {
      double k = x[i % N];
      f = [k](double v) { return v * k; };
    } else { // too large for the buffer
      double k = x[i % N], l = x[0], m = x[1];
      f = [k, l, m](double v) { return v * k + l + m; };
    }
    a = std::sin(f(f(a)));
  }
  return a;
}

// Forward mode alone: whose bits a copy moves, the adjoint would have to know.
static double copied(const double *x) {
  std::vector<Fn> all;
  for (int i = 0; i < N; ++i)
    if (i % 2) {
      float half = 0.5f;
      all.push_back([half, i](double v) { return v * double(half) + i; });
    } else {
      double k = x[i], l = x[0], m = x[1];
      all.push_back([k, l, m](double v) { return v * k + l + m; });
    }
  std::vector<Fn> copy = all;
  double a = x[0];
  for (Fn &f : copy)
    a = f(a);
  return a;
}

int main() {
  double x[N], d[N] = {0};
  for (int i = 0; i < N; ++i)
    x[i] = 0.7 + 0.13 * i;
  __enzyme_autodiff((void *)one_after_the_other, enzyme_dup, x, d);
  for (int i = 0; i < N; ++i) {
    double t[N] = {0};
    t[i] = 1;
    RG_GRAD(d[i], one_after_the_other(x), x[i]);
    RG_GRAD(__enzyme_fwddiff((void *)one_after_the_other, enzyme_dup, x, t), one_after_the_other(x), x[i]);
    RG_GRAD(__enzyme_fwddiff((void *)copied, enzyme_dup, x, t), copied(x), x[i]);
  }
  return rgReport();
}
