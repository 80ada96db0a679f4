// Exceptions in C++ as it is written: thrown by the library, by helpers that do
// not return, past destructors that write, of derived classes, with vectors
// inside, through recursion and noexcept, beside calls that carry nothing
// active. RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#define NI __attribute__((noinline))
static double libAt(double x) {
  std::vector<double> v(3, x);
  double r = 1;
  for (int i = 0; i < 5; ++i) {
    try {
      r *= v.at(i) + i;
    } catch (const std::out_of_range &) {
      r += x * x;
    }
  }
  return r;
}
static double parse(double x) {
  double r = 0;
  const char *texts[] = {"1.5", "zwei", "3"};
  for (const char *t : texts) {
    try {
      r += std::stod(t) * x * x;
    } catch (const std::invalid_argument &) {
      r *= x;
    }
  }
  return r;
}
struct Guard {
  double *p, x;
  Guard(double *p, double x) : p(p), x(x) {}
  NI ~Guard() { *p += x * x; }
};
NI static double inner(double x, double *p) {
  Guard g(p, x);
  *p *= x;
  if (x > 1)
    throw 3;
  return *p * 2;
}
static double cleanups(double x) {
  double s = x;
  double r = 1;
  try {
    Guard h(&s, 2 * x);
    r = inner(x, &s);
  } catch (int k) {
    r = s * k;
  }
  return r * s;
}
[[noreturn]] NI static void fail(double x) { throw x * x; }
NI static double mayFail(double x, int i) {
  if (i == 3)
    fail(x);
  return x * i;
}
static double helper(double x) {
  double s = 0;
  try {
    for (int i = 0; i < 6; ++i)
      s += mayFail(x, i) * x;
  } catch (double d) {
    s += d * s;
  }
  return s;
}
struct Failure : std::runtime_error {
  double at;
  Failure(double x) : std::runtime_error("failure"), at(x) {}
};
NI static double newton(double x, int n) {
  double y = 1;
  for (int i = 0; i < n; ++i) {
    y = y - (y * y - x) / (2 * y);
    if (i == 3)
      throw Failure(y);
  }
  return y;
}
static double derived(double x) {
  double r = 0;
  try {
    r = newton(x, 3) * newton(x, 8);
  } catch (const std::exception &e) {
    r = static_cast<const Failure &>(e).at * x;
  }
  return r;
}
static double derived2(double x) {
  try {
    return newton(x, 8);
  } catch (Failure e) {
    return e.at * e.at * x;
  }
}
NI static int inactiveThrow(int i) {
  if (i == 2)
    throw i;
  return i;
}
static double inactive(double x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    try {
      s += x * inactiveThrow(i) * x;
    } catch (int k) {
      s *= x + k;
    }
  }
  return s;
}
NI static double nest(double x, int d) {
  try {
    if (d == 0)
      throw x * x;
    return nest(x * 1.1, d - 1) * x;
  } catch (double v) {
    if (d > 2)
      return v * x;
    throw v * x;
  }
}
static double nested(double x) { return nest(x, 5); }
struct Big {
  double v[4];
  int n;
};
NI static Big makeBig(double x) {
  Big b{{x, x * x, x * x * x, 1}, 3};
  if (x > 2)
    throw b;
  b.n = 4;
  return b;
}
static double bigs(double x) {
  Big b;
  try {
    b = makeBig(x);
  } catch (Big &c) {
    b = c;
    b.v[0] *= 3;
  }
  double s = 0;
  for (int i = 0; i < b.n; ++i)
    s += b.v[i] * (i + 1);
  return s;
}
NI static double noThrow(double x) noexcept {
  try {
    return inner(x, &x);
  } catch (...) {
    return x * x;
  }
}
static double cond(double x) { return noThrow(x) * x; }
static double arrays(double *a, int n) {
  std::unique_ptr<double[]> t(new double[n]);
  double r = 0;
  try {
    for (int i = 0; i <= n; ++i) {
      if (i == n)
        throw std::length_error("end");
      t[i] = a[i] * a[(i + 1) % n];
      r += t[i];
    }
  } catch (const std::logic_error &) {
    for (int i = 0; i < n; ++i)
      r *= t[i];
  }
  return r;
}
static double vec(double x) {
  double r = 0;
  try {
    std::vector<double> v;
    for (int i = 0; i < 5; ++i)
      v.push_back(x * i);
    throw v;
  } catch (std::vector<double> &v) {
    for (double d : v)
      r += d * d;
  }
  return r;
}
static double rethrowNested(double x) {
  double r = x;
  try {
    try {
      throw x;
    } catch (double d) {
      try {
        throw d * 2;
      } catch (double q) {
        r += q * q;
      }
      throw;
    }
  } catch (double z) {
    r *= z;
  }
  return r;
}
int main() {
  RG_UNARY(libAt, 0.75);
  RG_UNARY(parse, 0.75);
  RG_UNARY(cleanups, 0.75);
  RG_UNARY(cleanups, 1.75);
  RG_UNARY(helper, 0.75);
  RG_UNARY(derived, 0.75);
  RG_UNARY(derived2, 2.75);
  double x = 0.8;
  RG_GRAD(__enzyme_autodiff((void *)inactive, x, 4), inactive(x, 4), x);
  RG_GRAD(__enzyme_fwddiff((void *)inactive, x, 1.0, 4), inactive(x, 4), x);
  RG_UNARY(nested, 0.75);
  RG_UNARY(bigs, 0.75);
  RG_UNARY(bigs, 2.75);
  RG_UNARY(cond, 0.75);
  RG_UNARY(cond, 2.75);
  double a[4] = {1, 2, 0.5, 1.25}, d[4] = {};
  __enzyme_autodiff((void *)arrays, a, d, 4);
  RG_GRADS(d, arrays(a, 4), a, 4);
  RG_UNARY(vec, 0.75);
  RG_UNARY(rethrowNested, 0.75);
  return rgReport();
}
