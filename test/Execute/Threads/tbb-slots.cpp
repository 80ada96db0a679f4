// Memory per thread, by the number that oneTBB gives a thread: no two threads of a derivative
// have the same number at the same time, also where loops are in loops, and where nothing is
// active in one of them.
// REQUIRES: tbb
// RG-FLAGS: -std=c++20 -pthread -ltbb
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <functional>
#include <vector>
// Behind the library, which has names of its own for what is N here.
#include "rgthreads.h"

static int slots() { return tbb::this_task_arena::max_concurrency(); }
static int slot() { return tbb::this_task_arena::current_thread_index(); }

// A list per thread: two threads with one list lose elements, or the list itself.
static double lists(const double *x, int n) {
  std::vector<std::vector<double>> own(slots());
  tbb::parallel_for(tbb::blocked_range<int>(0, 40 * n), [&](const tbb::blocked_range<int> &r) {
    std::vector<double> &mine = own[slot()];
    for (int i = r.begin(); i != r.end(); ++i)
      mine.push_back(x[i % n] * x[(i + 1) % n]);
  });
  double s = 0;
  for (const std::vector<double> &mine : own)
    for (double v : mine)
      s += v * v;
  return s;
}
// A number per thread that is read and written again and again.
static double products(const double *x, int n) {
  std::vector<double> own(16 * slots(), 1);
  tbb::parallel_for(0, 4, [&](int k) {
    tbb::parallel_for(0, 10 * n, [&](int i) {
      double &mine = own[16 * slot()];
      mine *= 1 + 0.001 * x[i % n] * (k + 1);
    });
  });
  double p = 1;
  for (int t = 0; t < slots(); ++t)
    p *= own[16 * t];
  return p;
}
// A loop in which nothing is active: lists of integers.
static void numbers(std::vector<std::vector<int>> &own, int n) {
  tbb::parallel_for(tbb::blocked_range<int>(0, n), [&](const tbb::blocked_range<int> &r) {
    std::vector<int> &mine = own[slot()];
    for (int i = r.begin(); i != r.end(); ++i)
      mine.push_back(i);
  });
}
static void count(const std::vector<std::vector<int>> &own, std::vector<int> &times) {
  for (const std::vector<int> &mine : own)
    for (int i : mine)
      ++times[i % times.size()];
}
static double indices(const double *x, int n) {
  std::vector<std::vector<int>> own(slots());
  numbers(own, 100000 * n);
  std::vector<int> times(n);
  count(own, times);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i] * times[i] * 1e-5;
  return s;
}
// In a loop with active numbers one that has none, with the same places.
static double nested(const double *x, int n) {
  std::vector<std::vector<int>> own(slots());
  std::vector<double> sums(slots());
  tbb::parallel_for(0, 8, [&](int k) {
    sums[slot()] += x[k % n] * x[k % n];
    tbb::parallel_for(0, 20000 * n, [&](int i) { own[slot()].push_back(i + k); });
  });
  std::vector<int> times(n);
  count(own, times);
  double s = 0;
  for (double v : sums)
    s += v;
  for (int i = 0; i < n; ++i)
    s += x[i] * times[i] * 1e-5;
  return s;
}
// An inactive loop in a function that is not differentiated.
static double __attribute__((noinline)) spread(const double *x, int n) {
  std::vector<std::vector<int>> own(slots());
  std::vector<double> y(4);
  tbb::parallel_for(0, 4, [&](int k) {
    numbers(own, 1000 * n);
    y[k] = x[k % n] * x[(k + 1) % n];
  });
  std::vector<int> times(n);
  count(own, times);
  return (y[0] + y[1] * y[2] + y[3]) * times[0] * 1e-3 + x[0] * times[n - 1];
}
// An arena of one thread, in which a loop with nothing active has one place.
static double narrow(const double *x, int n) {
  tbb::task_arena one(1);
  std::vector<std::vector<int>> own(one.max_concurrency());
  one.execute([&] { numbers(own, 100 * n); });
  return x[0] * x[1] * own[0].size();
}
// As many places as an arena has threads.
static double arenas(const double *x, int n) {
  tbb::task_arena one(1);
  std::vector<double> own(one.max_concurrency(), 0.5);
  one.execute([&] {
    tbb::parallel_for(0, 10 * n, [&](int i) { own[slot()] += x[i % n] * x[i % n]; });
  });
  double s = 0;
  for (double v : own)
    s += v * v;
  return s;
}
int main() {
  tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  POINT;
  CHECK(lists);
  CHECK(products);
  CHECK(indices);
  CHECK(nested);
  CHECK(spread);
  CHECK(narrow);
  CHECK(arenas);
  return rgReport();
}
