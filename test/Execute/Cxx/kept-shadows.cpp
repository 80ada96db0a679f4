// Blocks that shadows leave behind stay with their thread (runtime/kept.c): sizes that grow and shrink, more of them than are kept, small and
// huge ones, malloc and new, forward and reverse mode, derivatives in threads that end, functions that throw, operator new of the program's own
// that counts, and memory that one derivative has filled before the next one gets it.
// RG-LEVELS: O0 O1 O2 O3
// RG-SWITCHES: kept-shadows spare-clears
#include "rgtest.h"
#include <cmath>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

static long made = 0, released = 0;
void *operator new(std::size_t bytes) {
  __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
  if (void *p = std::malloc(bytes))
    return p;
  throw std::bad_alloc();
}
void operator delete(void *p) noexcept {
  if (p)
    __atomic_add_fetch(&released, 1, __ATOMIC_RELAXED);
  std::free(p);
}
void operator delete(void *p, std::size_t) noexcept { operator delete(p); }

__attribute__((noinline)) static void fill(const double *x, double *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] += x[i] * x[n - 1 - i];
}
static double sums(const double *x, int n) {
  std::vector<double> y(n);
  fill(x, y.data(), n);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += y[i] * y[i];
  return s;
}
static double several(const double *x, int n) {
  std::vector<double> a(n), b(2 * n), c(n / 2 + 1);
  double *d = static_cast<double *>(std::malloc(n * sizeof(double)));
  fill(x, a.data(), n);
  fill(x, b.data() + n, n);
  fill(x, c.data(), n / 2);
  for (int i = 0; i < n; ++i)
    d[i] = a[i] * 0.5;
  fill(d, b.data(), n);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * b[i] + b[n + i] * d[i] + c[i / 2];
  std::free(d);
  return s;
}
static double throws(const double *x, int n) {
  std::vector<double> y(n);
  fill(x, y.data(), n);
  if (y[0] > 100)
    throw std::runtime_error("too much");
  return y[0] * y[n - 1];
}

using Function = double(const double *, int);
static void check(Function *f, void (*gradient)(const double *, double *, int), double (*forward)(const double *, double *, int), int n) {
  std::vector<double> x(n), dx(n), t(n);
  for (int i = 0; i < n; ++i)
    x[i] = 0.1 + 0.5 * std::sin(i * 0.7 + n);
  gradient(x.data(), dx.data(), n);
  for (int i : {0, n / 3, n - 1}) {
    t[i] = 1;
    RG_NEAR(dx[i], forward(x.data(), t.data(), n));
    t[i] = 0;
    RG_GRAD(dx[i], f(x.data(), n), x[i]);
  }
}
#define BOTH(name)                                                                                                                         \
  static void name##Gradient(const double *x, double *dx, int n) {                                                                        \
    __enzyme_autodiff((void *)name, enzyme_dup, x, dx, enzyme_const, n);                                                                   \
  }                                                                                                                                        \
  static double name##Forward(const double *x, double *dx, int n) {                                                                       \
    return __enzyme_fwddiff((void *)name, enzyme_dup, x, dx, enzyme_const, n);                                                             \
  }                                                                                                                                        \
  static void name##Check(int n) { check(name, name##Gradient, name##Forward, n); }
BOTH(sums)
BOTH(several)
BOTH(throws)

int main() {
  for (int n : {3, 9000, 20000, 9000, 160000, 12000, 36000, 8193, 400000, 16384, 7, 240000, 9100})
    sumsCheck(n);
  for (int n : {8200, 20000, 8200, 80000, 12000})
    severalCheck(n);
  std::thread a([] { sumsCheck(12000); }), b([] { severalCheck(12000); });
  a.join();
  b.join();
  std::vector<double> x(12000, 20), dx(12000);
  for (int k = 0; k < 3; ++k) {
    bool thrown = false;
    try {
      throwsGradient(x.data(), dx.data(), 12000);
    } catch (const std::runtime_error &) {
      thrown = true;
    }
    RG_TRUE(thrown);
    throwsCheck(12000);
  }
  // What is kept was not released, and nothing was released twice: eight blocks for each kind at most, and what the three exceptions lost.
  RG_TRUE(made - released >= 0);
  RG_TRUE(made - released <= 30);
  return rgReport();
}
