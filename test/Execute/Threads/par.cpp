// Algorithms of the standard library with a policy, on oneTBB (libstdc++): for_each over
// iterators and indices, transform with one and two inputs, fill and copy, reductions with
// a sum and with a function of the program's, transform_reduce, in every policy; searches,
// which end a loop early.
// REQUIRES: tbb
// RG-LEVELS: O2
// RG-FLAGS: -std=c++20 -pthread -ltbb
#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>
#include <ranges>
#include <tbb/global_control.h>
#include <vector>
// Behind the library, which has names of its own for what is N here.
#include "rgthreads.h"

using std::execution::par;
using std::execution::par_unseq;

static double loops(const double *x, int n) {
  std::vector<double> y(x, x + n), z(n);
  double scale = x[1] * x[2];
  std::for_each(par, y.begin(), y.end(), [scale](double &v) { v = sin(v * scale) + v; });
  auto all = std::views::iota(0, n);
  std::for_each(par_unseq, all.begin(), all.end(),
                [&](int i) { z[i] = y[i] * y[(i + 1) % n]; });
  double s = 0;
  for (double v : z)
    s += v * v;
  return s;
}

static double transforms(const double *x, int n) {
  std::vector<double> y(n), z(n), w(n);
  std::transform(par, x, x + n, y.begin(), [](double v) { return exp(0.3 * v); });
  std::transform(par_unseq, x, x + n, y.begin(), z.begin(), std::multiplies<>());
  std::fill(par, w.begin(), w.end(), x[3]);
  std::copy(par, z.begin() + 1, z.end(), w.begin());
  double s = 1;
  for (int i = 0; i < n; ++i)
    s += w[i] * z[i] * y[i];
  return log(s);
}

static double reductions(const double *x, int n) {
  std::vector<double> y(x, x + n);
  double sum = std::reduce(par, y.begin(), y.end());
  double product =
      std::reduce(par, y.begin(), y.end(), 1.0, [](double a, double b) { return a * b; });
  double dot = std::transform_reduce(par_unseq, x, x + n, y.begin(), x[0]);
  double squares = std::transform_reduce(par, y.begin(), y.end(), 0.0, std::plus<>(),
                                         [&](double v) { return v * v * sin(v * x[4]); });
  return sum * product + dot * squares;
}

// Who finds something ends the loop, by its context.
static double searches(const double *x, int n) {
  std::vector<double> y(x, x + n);
  std::vector<int> at(n);
  std::iota(at.begin(), at.end(), 0);
  bool large = std::any_of(par, y.begin(), y.end(), [](double v) { return v > 0; });
  bool same = std::equal(par, y.begin(), y.end(), x, [](double a, double b) { return a == b; });
  bool odd = std::none_of(par, at.begin(), at.end(), [](int i) { return i > 1; });
  auto some = std::count_if(par_unseq, x, x + n, [](double v) { return v > -100; });
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += y[i] * y[i] * x[large + 2 * same + odd];
  return s * some;
}

int main() {
  POINT;
  for (int threads : {1, 2, 8}) {
    tbb::global_control most(tbb::global_control::max_allowed_parallelism, threads);
    CHECK(loops);
    CHECK(transforms);
    CHECK(reductions);
    CHECK(searches);
  }
  return rgReport();
}
