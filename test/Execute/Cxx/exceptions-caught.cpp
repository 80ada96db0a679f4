// Exceptions thrown and caught in differentiated code: in the function itself,
// some frames below, out of loops, with active values in the exception,
// half-done work. RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <stdexcept>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
static double f1(double x) {
  double r = x;
  try {
    r = x * x;
    if (r > 1)
      throw 1;
    r = r * 3;
  } catch (int) {
    r = r * r * x;
  }
  return r;
}
__attribute__((noinline)) static double deep(double x, int d) {
  if (d == 0) {
    if (x > 2)
      throw std::runtime_error("big");
    return x * x;
  }
  return x * deep(x * 1.1, d - 1);
}
static double f2(double x) {
  double r = 1;
  try {
    r = deep(x, 4);
  } catch (const std::runtime_error &) {
    r = x * x * x;
  } catch (...) {
    r = 0;
  }
  return r * x;
}
struct E {
  double v;
  int k;
};
__attribute__((noinline)) static double thrower(double x) {
  if (x > 1)
    throw E{x * x, 3};
  return x;
}
static double f3(double x) {
  try {
    return thrower(x) * 5;
  } catch (E &e) {
    return e.v * e.k * x;
  }
}
__attribute__((noinline)) static void store(double *p, double x) {
  *p = x * x;
  if (x > 1)
    throw 7;
  *p = x * x * x;
}
static double f4(double x) {
  double v = 0;
  for (int i = 0; i < 5; ++i) {
    double t = 0;
    try {
      store(&t, x * i * 0.5);
    } catch (int) {
      t = t * 2;
    }
    v += t * x;
  }
  return v;
}
static double f5(double x) {
  double s = 0;
  for (int i = 0; i < 8; ++i) {
    s += x * x * (i + 1);
    try {
      store(&s, x * i * 0.3);
    } catch (int) {
      return s * x;
    }
  }
  return s;
}
static double f6(double x) {
  double r = x;
  try {
    try {
      r = x * x;
      if (x > 0.5)
        throw x * 3;
    } catch (double d) {
      r += d;
      throw;
    }
  } catch (double d) {
    r *= d * d;
  }
  return r;
}
int main() {
  RG_UNARY(f1, 0.75);
  RG_UNARY(f1, 1.75);
  RG_UNARY(f2, 0.75);
  RG_UNARY(f2, 1.95);
  RG_UNARY(f2, 1.5);
  RG_UNARY(f3, 0.75);
  RG_UNARY(f3, 1.75);
  RG_UNARY(f4, 0.75);
  RG_UNARY(f5, 0.75);
  RG_UNARY(f5, 0.1);
  RG_UNARY(f6, 0.3);
  RG_UNARY(f6, 1.75);
  return rgReport();
}
