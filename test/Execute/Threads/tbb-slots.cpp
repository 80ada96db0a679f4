// Memory per thread, by the number that oneTBB gives a thread: no two threads of a derivative
// have the same number at the same time, also where loops are in loops; and loops whose types
// the compiler does not understand.
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
  CHECK(arenas);
  return rgReport();
}
