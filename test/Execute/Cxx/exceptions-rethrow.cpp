// `throw;` in a handler, in a handler inside of a handler, and in a function
// that a handler calls to find out what it has caught. RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <stdexcept>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

__attribute__((noinline)) static double translate() {
  try {
    throw;
  } catch (double d) {
    return d;
  }
}
static double again(double x) {
  try {
    throw x * x;
  } catch (...) {
    return translate() * x;
  }
}

static double nested(double x) {
  double r = x;
  try {
    try {
      throw x;
    } catch (double d) {
      try {
        throw d * 2;
      } catch (double q) {
        r += q * q * translate();
      }
      r += translate() * x;
      throw;
    }
  } catch (double z) {
    r *= z;
  }
  return r;
}

struct Failure : std::runtime_error {
  double at;
  explicit Failure(double x) : std::runtime_error("failure"), at(x) {}
};
__attribute__((noinline)) static double root(double x, int steps) {
  double y = 1;
  for (int i = 0; i < steps; ++i) {
    y = y - (y * y - x) / (2 * y);
    if (i == 3)
      throw Failure(y);
  }
  return y;
}
__attribute__((noinline)) static double logged(double x, double *log) {
  try {
    return root(x, 3) * root(x, 9);
  } catch (const std::exception &e) {
    *log += x * x;
    throw;
  }
}
static double throughOthers(double x) {
  double log = x;
  try {
    return logged(x, &log);
  } catch (Failure &f) {
    return f.at * f.at * log;
  }
}

int main() {
  RG_UNARY(again, 1.5);
  RG_UNARY(nested, 0.75);
  RG_UNARY(throughOthers, 2.75);
  return rgReport();
}
