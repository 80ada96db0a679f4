// What of oneTBB is made of tasks: loops over the elements of containers (which may add
// elements), groups of tasks, nested too.
// REQUIRES: tbb
// RG-FLAGS: -std=c++20 -pthread -ltbb
#include <algorithm>
#include <forward_list>
#include <functional>
#include <list>
#include <tbb/global_control.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>
#include <vector>
// Behind the library, which has names of its own for what is N here.
#include "rgthreads.h"

static double elements(const double *x, int n) {
  std::vector<double> y(x, x + n);
  tbb::parallel_for_each(y.begin(), y.end(),
                         [&](double &v) { v = v * v * x[0]; });
  tbb::parallel_for_each(y, [](double &v) { v = sin(v); });
  std::list<double> z(y.begin(), y.end());
  std::forward_list<double> w(x, x + n);
  tbb::parallel_for_each(z.begin(), z.end(), [](double &v) { v = v * v; });
  tbb::parallel_for_each(w.begin(), w.end(), [](double &v) { v = exp(v); });
  double s = 0;
  int i = 0;
  for (double v : z)
    s += v * ++i;
  for (double v : w)
    s += v * v;
  return s;
}
// A body that finds more to do.
static double fed(const double *x, int n) {
  std::vector<double> y(n);
  std::vector<int> first{0, 1, 2};
  tbb::parallel_for_each(first.begin(), first.end(),
                         [&](int i, tbb::feeder<int> &feeder) {
                           y[i] = x[i] * x[i];
                           if (i + 3 < n)
                             feeder.add(i + 3);
                         });
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += y[i] * x[n - 1 - i];
  return s;
}

static double half(const double *x, int n) {
  if (n < 4) {
    double s = 0;
    for (int i = 0; i < n; ++i)
      s += x[i] * x[i];
    return s;
  }
  double low, high;
  tbb::task_group group;
  group.run([&] { low = half(x, n / 2); });
  high = half(x + n / 2, n - n / 2);
  group.wait();
  return low * 0.9 + sin(high);
}
static double groups(const double *x, int n) {
  std::vector<double> y(n);
  tbb::task_group group;
  for (int i = 0; i < n; ++i)
    group.run([&y, x, i] { y[i] = x[i] * x[i] * i; });
  double last = 0;
  group.run_and_wait([&] { last = x[n - 1] * x[0]; });
  double s = half(x, n) * last;
  for (double v : y)
    s += v * v;
  return s;
}
// Beside a loop, the group's destructor keeps what it does about tasks that nobody waited for.
static double beside(const double *x, int n) {
  std::vector<double> y(n);
  tbb::task_group group;
  for (int i = 0; i < n; i += 2)
    group.run([&, i] {
      for (int k = i; k < std::min(i + 2, n); ++k)
        y[k] = x[k] * x[k] * x[k];
    });
  group.wait();
  static tbb::affinity_partitioner partitioner;
  return tbb::parallel_reduce(
      tbb::blocked_range<int>(0, n), 1.0,
      [&](const tbb::blocked_range<int> &r, double v) {
        for (int i = r.begin(); i < r.end(); ++i)
          v *= 2 + y[i];
        return v;
      },
      std::multiplies<double>(), partitioner);
}

int main() {
  POINT;
  for (int threads : {1, 2, 8}) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                              threads);
    CHECK(elements);
    CHECK(fed);
    CHECK(groups);
    CHECK(beside);
  }
  return rgReport();
}
