// oneTBB's loops and reductions: over indices with and without a step, over blocked
// ranges of indices, iterators and two dimensions, with every partitioner; bodies that
// are lambdas, classes, and keep memory of their own; loops in loops; active numbers
// captured by value and by reference; functions beside each other; values that come out by
// mutexes.
// REQUIRES: tbb
// RG-FLAGS: -std=c++20 -pthread -ltbb
#include <mutex>
#include <tbb/blocked_range2d.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/queuing_mutex.h>
#include <tbb/spin_mutex.h>
#include <vector>
// Behind the library, which has names of its own for what is N here.
#include "rgthreads.h"

// Over indices; what is captured by value is active, and all iterations read it.
static double indices(const double *x, int n) {
  std::vector<double> y(n), z(n);
  double scale = x[0] * x[1];
  tbb::parallel_for(0, n, [&y, x, scale](int i) { y[i] = x[i] * sin(scale * x[i]); });
  tbb::parallel_for(
      1, n, 3, [&](int i) { z[i] = y[i - 1] * y[i] * scale; }, tbb::static_partitioner());
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += z[i] * y[i] + y[i];
  return s;
}

// Places are written and read again, neighbours are read.
static double stencil(const double *x, int n) {
  std::vector<double> y(x, x + n), z(n);
  tbb::affinity_partitioner again;
  for (int step = 0; step < 3; ++step) {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, n),
        [&](const tbb::blocked_range<int> &r) {
          for (int i = r.begin(); i != r.end(); ++i)
            z[i] = y[i] + 0.1 * sin(y[(i + 1) % n] * y[(i + n - 1) % n]);
        },
        again);
    tbb::parallel_for(
        tbb::blocked_range<std::vector<double>::iterator>(y.begin(), y.end(), 4),
        [&](tbb::blocked_range<std::vector<double>::iterator> r) {
          for (double &v : r)
            v = v * 0.5 + z[&v - y.data()];
        },
        tbb::simple_partitioner());
  }
  double s = 0;
  for (double v : y)
    s += v * v;
  return s;
}

// Two dimensions, and a loop in a loop.
static double planes(const double *x, int n) {
  std::vector<double> a(n * n);
  tbb::parallel_for(tbb::blocked_range2d<int>(0, n, 2, 0, n, 3),
                    [&](const tbb::blocked_range2d<int> &r) {
                      for (int i = r.rows().begin(); i != r.rows().end(); ++i)
                        for (int j = r.cols().begin(); j != r.cols().end(); ++j)
                          a[i * n + j] = x[i] * cos(x[j] * x[i]);
                    });
  std::vector<double> rows(n);
  tbb::parallel_for(0, 3, [&](int part) {
    tbb::parallel_for(part, n, 3, [&](int i) {
      for (int j = 0; j < n; ++j)
        rows[i] += a[i * n + j] * a[j * n + i];
    });
  });
  double s = 1;
  for (double v : rows)
    s *= 1 + 0.02 * v;
  return s;
}

// A class as its body, whose copies have memory of their own.
struct Smooth {
  const double *from;
  double *to;
  int n;
  std::vector<double> window;
  Smooth(const double *from, double *to, int n) : from(from), to(to), n(n), window(3) {}
  void operator()(const tbb::blocked_range<size_t> &r) const {
    double *w = const_cast<double *>(window.data());
    for (size_t i = r.begin(); i != r.end(); ++i) {
      for (int k = 0; k < 3; ++k)
        w[k] = from[(i + k) % n] * from[i];
      to[i] = w[0] * w[1] + w[2];
    }
  }
};
static double copies(const double *x, int n) {
  std::vector<double> y(n);
  tbb::parallel_for(tbb::blocked_range<size_t>(0, n), Smooth(x, y.data(), n));
  double s = 0;
  for (double v : y)
    s += sin(v);
  return s;
}

// Reductions: by lambdas, by a class, in order, in an order that does not matter.
struct Longest {
  const double *x;
  double best = -1, product = 1;
  explicit Longest(const double *x) : x(x) {}
  Longest(Longest &other, tbb::split) : x(other.x) {}
  void operator()(const tbb::blocked_range<int> &r) {
    for (int i = r.begin(); i != r.end(); ++i) {
      best = fmax(best, x[i] * x[i]);
      product *= 0.5 + x[i];
    }
  }
  void join(const Longest &other) {
    best = fmax(best, other.best);
    product *= other.product;
  }
};
static double reductions(const double *x, int n) {
  double low = x[2] * x[3];
  double sum = tbb::parallel_reduce(
      tbb::blocked_range<int>(0, n), 0.0,
      [&](const tbb::blocked_range<int> &r, double s) {
        for (int i = r.begin(); i != r.end(); ++i)
          s += x[i] * x[i] * low;
        return s;
      },
      [](double a, double b) { return a + b; });
  Longest all(x);
  tbb::parallel_reduce(tbb::blocked_range<int>(0, n), all);
  // Affine maps, composed: the order matters.
  struct Map {
    double a, b;
  };
  Map m = tbb::parallel_deterministic_reduce(
      tbb::blocked_range<int>(0, n, 2), Map{1, 0},
      [&](const tbb::blocked_range<int> &r, Map f) {
        for (int i = r.begin(); i != r.end(); ++i)
          f = {f.a * x[i], f.b * x[i] + sin(x[i])};
        return f;
      },
      [](const Map &f, const Map &g) { return Map{f.a * g.a, f.b * g.a + g.b}; });
  return sum * all.best + all.product + m.a + m.b * sum;
}

// Functions beside each other, in each other.
static double calls(const double *x, int n) {
  double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
  double *out = &a;
  tbb::parallel_invoke([&, out] { *out = x[0] * x[1]; }, [&] { b = exp(x[2]); });
  auto third = [&] {
    tbb::parallel_invoke([&] { c = x[4] * b; }, [&] { d = sin(x[n - 1]) * a; });
  };
  tbb::parallel_invoke(third, [&] { e = a * b; }, [&, v = x[3] * a] { f = v * v; }, [] {});
  return a * b + c * d + e * x[6] + f;
}

// Numbers come out one at a time.
static double locked(const double *x, int n) {
  std::mutex m;
  double p = 1, s = 0;
  tbb::parallel_for(0, n, [&](int i) {
    double v = x[i] * x[(i + 5) % n];
    std::lock_guard<std::mutex> lock(m);
    p *= 0.7 + 0.5 * v;
    s += v;
  });
  return p * s;
}
// Locks of the library that wait on memory.
static double lockedByLibrary(const double *x, int n) {
  tbb::spin_mutex m;
  tbb::queuing_mutex queue;
  double p = 1, s = 0;
  tbb::parallel_for(0, n, [&](int i) {
    tbb::spin_mutex::scoped_lock lock(m);
    p *= 0.7 + 0.5 * x[i];
  });
  tbb::parallel_for(
      tbb::blocked_range<int>(0, n),
      [&](const tbb::blocked_range<int> &r) {
        tbb::queuing_mutex::scoped_lock lock(queue);
        for (int i = r.begin(); i < r.end(); ++i)
          s += x[i] * x[i];
      },
      tbb::static_partitioner());
  return p * s;
}
// Generic lambdas in generic lambdas.
static double generic(const double *x, int n) {
  std::vector<double> y(4 * n);
  auto each = [&](auto scale) {
    tbb::parallel_for(0, 4, [&](auto k) {
      tbb::parallel_for(0, n, [&](auto i) { y[k * n + i] += scale * x[i] * x[(i + k) % n]; });
    });
  };
  each(2);
  each(1.5);
  double s = 0;
  for (double v : y)
    s += v * v;
  return s;
}

int main() {
  POINT;
  for (int threads : {1, 2, 8}) {
    tbb::global_control most(tbb::global_control::max_allowed_parallelism, threads);
    CHECK(indices);
    CHECK(stencil);
    CHECK(planes);
    CHECK(copies);
    CHECK(reductions);
    CHECK(calls);
    CHECK(locked);
    CHECK(generic);
  }
  return rgReport();
}
