// oneTBB's scans, by lambdas and by a class whose joining has an order; its sorts, of numbers
// and of records; loops whose context is cancelled.
// REQUIRES: tbb
// RG-FLAGS: -std=c++20 -pthread -ltbb
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <vector>
// Behind the library, which has names of its own for what is N here.
#include "rgthreads.h"

static double sums(const double *x, int n) {
  std::vector<double> y(n);
  double all = tbb::parallel_scan(
      tbb::blocked_range<int>(0, n, 2), 0.0,
      [&](const tbb::blocked_range<int> &r, double s, bool writes) {
        for (int i = r.begin(); i < r.end(); ++i) {
          s += x[i] * x[i];
          if (writes)
            y[i] = s;
        }
        return s;
      },
      [](double a, double b) { return a + b; });
  double r = all;
  for (int i = 0; i < n; ++i)
    r += y[i] * x[i];
  return r;
}

// Of affine maps, which do not commute: what lies behind is joined behind.
struct Maps {
  double a = 1, b = 0;
  const double *x;
  double *y;
  Maps(const double *x, double *y) : x(x), y(y) {}
  Maps(Maps &o, tbb::split) : x(o.x), y(o.y) {}
  template <class Tag> void operator()(const tbb::blocked_range<int> &r, Tag) {
    for (int i = r.begin(); i < r.end(); ++i) {
      a = a * x[i];
      b = b * x[i] + 0.3;
      if (Tag::is_final_scan())
        y[i] = a + b;
    }
  }
  void reverse_join(Maps &left) {
    b += left.b * a;
    a *= left.a;
  }
  void assign(Maps &o) {
    a = o.a;
    b = o.b;
  }
};
static double maps(const double *x, int n) {
  std::vector<double> y(n);
  Maps m(x, y.data());
  tbb::parallel_scan(tbb::blocked_range<int>(0, n), m,
                     tbb::simple_partitioner());
  double s = m.a * m.b;
  for (double v : y)
    s += v * v;
  return s;
}

struct Record {
  double key, of;
};
static double sorts(const double *x, int n) {
  // More than the library sorts at once; and some that are in order already.
  const int m = 700;
  std::vector<double> y(m), z(m);
  std::vector<Record> w;
  for (int i = 0; i < m; ++i) {
    y[i] = x[i % n] + 2 * (i * 389 % m);
    z[i] = x[i % n] * 0.1 + i;
    w.push_back({i * 211 % m + x[i % n] * 0.1, x[(i + 3) % n]});
  }
  tbb::parallel_sort(y);
  tbb::parallel_sort(z.begin(), z.end());
  tbb::parallel_sort(w.begin(), w.end(), [](const Record &a, const Record &b) {
    return a.key > b.key;
  });
  double s = 0;
  for (int i = 0; i < m; ++i)
    s += y[i] * (i * 7 % 11) * z[i] * 1e-3 + w[i].of * w[i].key * (i % 5);
  return s * 1e-3;
}

// What has been cancelled does not run; what is reset does.
static double cancelled(const double *x, int n) {
  tbb::task_group_context context;
  std::vector<double> y(n, 1.0);
  auto square = [&](int i) { y[i] *= x[i] * x[i]; };
  context.cancel_group_execution();
  tbb::parallel_for(0, n, square, context);
  double s = 0;
  for (double v : y)
    s += v;
  context.reset();
  tbb::parallel_for(0, n, square, context);
  for (double v : y)
    s += v * x[0];
  return s;
}

int main() {
  POINT;
  for (int threads : {1, 2, 8}) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                              threads);
    CHECK(sums);
    CHECK(maps);
    CHECK(sorts);
    CHECK(cancelled);
  }
  return rgReport();
}
