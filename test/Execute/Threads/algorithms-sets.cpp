// The union of two sorted ranges with a policy: what is added up are ranges of a buffer, three
// integers each, and the iterators are moved as words.
// REQUIRES: tbb
// RG-LEVELS: O2
// RG-FLAGS: -std=c++20 -pthread -ltbb
#include <algorithm>
#include <execution>
#include <functional>
#include <tbb/global_control.h>
#include <vector>
// Behind the library, which has names of its own for what is N here.
#include "rgthreads.h"

using std::execution::par;
typedef std::vector<double> Row;

static double weighted(const Row &y, long n) {
  double s = 0;
  for (long i = 0; i < n; ++i)
    s += y[i] * y[i] * (1 + i % 7);
  return s;
}

static double unions(const double *x, int n) {
  Row y(x, x + n / 2), z(x + n / 3, x + n), w(2 * n);
  std::sort(y.begin(), y.end());
  std::sort(z.begin(), z.end());
  auto end = std::set_union(par, y.begin(), y.end(), z.begin(), z.end(), w.begin());
  return weighted(w, end - w.begin());
}

// Numbers that lie apart, in no order.
static void compare(const char *what, double (*f)(const double *, int),
                    void (*reverse)(const double *, double *, int),
                    double (*forward)(const double *, const double *, int)) {
  for (int n : {0, 1, 2, 17, 501, 2501}) {
    Row x(n), d(n), g(n), more(n), less(n);
    double product = 0, h = 1e-6;
    for (int i = 0; i < n; ++i) {
      x[i] = 0.02 + 0.2 * ((i * 7919L + 3) % n) / n;
      d[i] = sin(i + 1);
      more[i] = x[i] + h * d[i];
      less[i] = x[i] - h * d[i];
    }
    reverse(x.data(), g.data(), n);
    for (int i = 0; i < n; ++i)
      product += g[i] * d[i];
    double along = forward(x.data(), d.data(), n);
    rgCompare(what, n, "forward", along, product, 1e-9);
    rgCompare(what, n, "differences", (f(more.data(), n) - f(less.data(), n)) / (2 * h), product, 1e-5);
  }
}
#define COMPARE(f)                                                                                    \
  compare(                                                                                            \
      #f, f,                                                                                          \
      [](const double *x, double *g, int n) {                                                         \
        __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, n);                              \
      },                                                                                              \
      [](const double *x, const double *d, int n) {                                                   \
        return __enzyme_fwddiff((void *)f, enzyme_dup, x, d, enzyme_const, n);                        \
      })

int main() {
  for (int threads : {1, 2, 8}) {
    tbb::global_control most(tbb::global_control::max_allowed_parallelism, threads);
    COMPARE(unions);
  }
  return rgReport();
}
