// What the tests of the standard library's algorithms with a policy share: one function of n numbers, whose
// derivatives are compared for several n, at 1, 2 and 8 threads.
#ifndef ALGORITHMS_H
#define ALGORITHMS_H
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

#define MAIN(f)                                                                                       \
  int main() {                                                                                        \
    for (int threads : {1, 2, 8}) {                                                                   \
      tbb::global_control most(tbb::global_control::max_allowed_parallelism, threads);                \
      COMPARE(f);                                                                                     \
    }                                                                                                 \
    return rgReport();                                                                                \
  }
#endif
