// Containers of oneTBB that several threads fill, with active numbers: one element per thread, and vectors that grow.
// REQUIRES: tbb
// RG-FLAGS: -std=c++20 -pthread -ltbb
#include <array>
#include <tbb/combinable.h>
#include <tbb/concurrent_vector.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <vector>
// Behind the library, which has names of its own for what is N here.
#include "rgthreads.h"

static double combined(const double *x, int n) {
  tbb::combinable<double> sum([] { return 0.0; });
  tbb::combinable<std::array<double, 2>> parts;
  tbb::parallel_for(0, n, [&](int i) {
    sum.local() += x[i] * x[i];
    parts.local()[i % 2] += x[i];
  });
  double s = sum.combine([](double a, double b) { return a + b; });
  parts.combine_each(
      [&](const std::array<double, 2> &p) { s += p[0] * 2 + p[1] * 3; });
  return s * s;
}
static double perThread(const double *x, int n) {
  tbb::enumerable_thread_specific<std::vector<double>> bins(
      [] { return std::vector<double>(5); });
  tbb::parallel_for(tbb::blocked_range<int>(0, n),
                    [&](const tbb::blocked_range<int> &r) {
                      auto &mine = bins.local();
                      for (int i = r.begin(); i != r.end(); ++i)
                        mine[i % 5] += sin(x[i]) * x[i];
                    });
  std::vector<double> all(5);
  bins.combine_each([&](const std::vector<double> &b) {
    for (int k = 0; k < 5; ++k)
      all[k] += b[k];
  });
  double s = 0;
  for (double v : all)
    s += v * v;
  return s;
}
static double grown(const double *x, int n) {
  tbb::concurrent_vector<double> v;
  tbb::parallel_for(0, n, [&](int i) { v.push_back(x[i] * x[i]); });
  double s = 0;
  for (double q : v)
    s += q * q;
  return s + (double)v.size();
}

int main() {
  POINT;
  for (int threads : {1, 2, 8}) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                              threads);
    CHECK(combined);
    CHECK(perThread);
    CHECK(grown);
  }
  return rgReport();
}
