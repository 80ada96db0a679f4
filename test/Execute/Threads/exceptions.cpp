// Exceptions with active numbers that leave a future, or that a thread leaves for others: caught by one, by many at
// once, thrown on through a tree of futures.
// RG-LEVELS: O0 O2
// RG-FLAGS: -std=c++20 -pthread
#include "rgthreads.h"
#include <exception>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

struct Bad {
  double where;
  std::vector<double> seen;
};
static double part(const double *x, int from, int to) {
  double s = 0;
  for (int i = from; i < to; ++i) {
    s += x[i] * x[i] * x[i];
    if (x[i] > 0.775)
      throw Bad{s, std::vector<double>(x + from, x + i + 1)};
  }
  return s;
}
static double workers(const double *x, int n) {
  double sums[4] = {0, 0, 0, 0};
  std::vector<std::exception_ptr> errors(4);
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([&, t] {
      try {
        sums[t] = part(x, n * t / 4, n * (t + 1) / 4);
      } catch (...) {
        errors[t] = std::current_exception();
      }
    });
  for (auto &t : all)
    t.join();
  double s = 0;
  for (int t = 0; t < 4; ++t)
    try {
      if (errors[t])
        std::rethrow_exception(errors[t]);
      s += sums[t];
    } catch (const Bad &b) {
      double p = b.where;
      for (double v : b.seen)
        p *= v;
      s += p;
    }
  return s;
}
struct Error : std::runtime_error {
  double v;
  Error(double v) : std::runtime_error("error"), v(v) {}
};
static double fails(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += sin(x[i]);
  throw Error(s * s);
}
static double watched(const double *x, int n) {
  std::shared_future<double> all = std::async(std::launch::async, fails, x, n).share();
  std::vector<std::future<double>> others;
  for (int t = 0; t < 6; ++t)
    others.push_back(std::async(std::launch::async, [all, x, t] {
      try {
        return all.get();
      } catch (const Error &e) {
        return e.v * x[t];
      }
    }));
  double s = 0;
  for (auto &f : others)
    s += f.get();
  std::promise<double> told, made;
  auto f = told.get_future(), g = made.get_future();
  std::thread t([&] {
    try {
      throw Error(x[0] * x[1]);
    } catch (...) {
      told.set_exception(std::current_exception());
    }
    made.set_exception(std::make_exception_ptr(Error(x[2] * x[3])));
  });
  try {
    s += f.get();
  } catch (Error &e) {
    e.v *= x[0];
    try {
      s += g.get();
    } catch (const Error &h) {
      s *= e.v * h.v;
    }
  }
  t.join();
  return s;
}
struct Small {
  double v;
};
struct Deep {
  double v;
  int depth;
};
static double tree(const double *x, int n, int depth) {
  if (n < 3) {
    double p = n == 2 ? x[0] * x[1] : x[0];
    if (p < 0.3)
      throw Small{p * x[0]};
    return p;
  }
  auto low = std::async(depth < 2 ? std::launch::async : std::launch::deferred, tree, x, n / 2, depth + 1);
  double s = 0;
  try {
    s = tree(x + n / 2, n - n / 2, depth + 1);
  } catch (const Small &e) {
    s = sqrt(e.v);
  }
  try {
    s += low.get();
  } catch (Small &e) {
    if (depth > 1)
      throw Deep{e.v * e.v, depth};
    s += e.v;
  } catch (const Deep &e) {
    if (depth)
      throw;
    s += e.v * e.depth;
  }
  return s;
}
static double futures(const double *x, int n) { return tree(x, n, 0); }
int main() {
  POINT;
  CHECK(workers);
  CHECK(watched);
  CHECK(futures);
  return rgReport();
}
