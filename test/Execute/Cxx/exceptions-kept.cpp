// Exceptions with active numbers that std::exception_ptr keeps and throws again: from handlers, made without a
// throw, copied, swapped, changed by a handler, thrown on, and thrown again while they are handled.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <exception>
#include <math.h>
#include <stdexcept>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct Number {
  double v;
  int k;
};
struct Weighted : Number {
  double w;
};
static std::exception_ptr current() { return std::current_exception(); }
static double use(std::exception_ptr p, double y) {
  try {
    std::rethrow_exception(p);
  } catch (Weighted &s) {
    s.w *= y;
    return s.v * s.w;
  } catch (const Number &e) {
    return e.v * e.k * y;
  } catch (double d) {
    return d * d * y;
  } catch (const std::exception &) {
    return y * y;
  } catch (...) {
    return y;
  }
}
static void raise(double a, int which) {
  switch (which) {
  case 0:
    throw Number{a * a, 3};
  case 1:
    throw Weighted{{a, 2}, a * a};
  case 2:
    throw a * a;
  case 3:
    throw std::runtime_error("none");
  default:
    throw 7;
  }
}
static double kinds(double x) {
  double s = 0;
  for (int i = 0; i < 10; ++i) {
    std::exception_ptr p, q;
    try {
      raise(x * (i + 1), i % 5);
    } catch (...) {
      p = i & 1 ? current() : std::current_exception();
      q = p;
    }
    s += use(p, x) + use(q, x * x);
    std::exception_ptr made = std::make_exception_ptr(Number{x * i, 2}), moved = std::move(made), other;
    other = moved;
    swap(other, p);
    s += use(p, x) + use(other, sin(x)) + use(moved, x);
  }
  return std::uncaught_exceptions() ? NAN : s;
}
static double thrownOn(double x) {
  std::exception_ptr p;
  try {
    throw Number{x * x, 3};
  } catch (...) {
    p = std::current_exception();
  }
  try {
    try {
      std::rethrow_exception(p);
    } catch (Number &e) {
      e.v *= x;
      throw;
    }
  } catch (Number &e) {
    return e.v * e.v;
  }
}
// The same object in several handlers at once; the last owner goes in the middle of one.
static double nested(double x) {
  std::exception_ptr p;
  try {
    throw Number{x * x, 3};
  } catch (Number &outer) {
    p = std::current_exception();
    double s = 0;
    try {
      std::rethrow_exception(p);
    } catch (Number &inner) {
      inner.v *= x;
      s += outer.v;
      try {
        throw;
      } catch (const Number &again) {
        s *= again.v;
      }
      p = nullptr;
      inner.v += x;
    }
    return s * outer.v;
  }
}
static double list(double x) {
  std::vector<std::exception_ptr> all;
  for (int i = 0; i < 4; ++i)
    try {
      throw std::vector<double>(i + 1, x * (i + 1));
    } catch (...) {
      all.push_back(std::current_exception());
    }
  double s = 1;
  for (auto &p : all)
    try {
      std::rethrow_exception(p);
    } catch (const std::vector<double> &v) {
      for (double a : v)
        s *= sin(a);
    }
  return s;
}
template <double (*F)(double)> static double gradient(double x) { return __enzyme_autodiff((void *)F, x); }
template <double (*F)(double)> static void both(double x) {
  RG_GRAD(gradient<F>(x), F(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)F, x, 1.0), F(x), x);
}
// Out of the derivative, with its owner.
static double leaves(double x, std::exception_ptr *kept) {
  try {
    throw Number{x * x, 1};
  } catch (...) {
    *kept = std::current_exception();
  }
  try {
    std::rethrow_exception(*kept);
  } catch (double) {
  }
  return x;
}
int main() {
  for (double x = 0.3; x < 1; x += 0.6) {
    both<kinds>(x);
    both<thrownOn>(x);
    both<nested>(x);
    both<list>(x);
  }
  std::exception_ptr kept, shadow;
  try {
    __enzyme_autodiff((void *)leaves, 3.0, &kept, &shadow);
    return 1;
  } catch (Number &e) {
    if (e.v != 9 || !kept)
      return 1;
  }
  return rgReport();
}
