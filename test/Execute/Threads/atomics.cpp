// Numbers in std::atomic: additions, reads and writes in any memory order, exchange in a loop of
// the program's own.
// RG-FLAGS: -std=c++20 -pthread
#include "rgthreads.h"
#include <atomic>
#include <thread>
#include <vector>
template <class F> static void three(F f) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([=] { f(t); });
  for (std::thread &t : threads)
    t.join();
}
static double added(const double *x, int n) {
  std::atomic<double> s{0};
  three([&, x, n](int t) {
    for (int i = t; i < n; i += 3)
      s += x[i] * x[i];
  });
  double v = s;
  return v * v;
}
static double relaxed(const double *x, int n) {
  std::atomic<double> s{x[0]}, r{0};
  three([&, x, n](int t) {
    for (int i = t; i < n; i += 3)
      s.fetch_add(x[i] * x[i], std::memory_order_relaxed);
  });
  r.store(s.load(std::memory_order_acquire) * x[1], std::memory_order_release);
  return r.load() * x[0];
}
static double multiplied(const double *x, int n) {
  std::atomic<double> p{1};
  three([&, x, n](int t) {
    for (int i = t; i < n; i += 3) {
      double old = p.load();
      while (!p.compare_exchange_weak(old, old * (1 + 0.1 * x[i])))
        ;
    }
  });
  return p.load() * x[0];
}
static double largest(const double *x, int n) {
  std::atomic<double> m{-1};
  three([&, x, n](int t) {
    for (int i = t; i < n; i += 3) {
      double v = x[i] * x[i], old = m.load(std::memory_order_relaxed);
      while (old < v && !m.compare_exchange_strong(old, v))
        ;
    }
  });
  return m.load() * x[1];
}
int main() {
  POINT;
  CHECK(added);
  CHECK(relaxed);
  CHECK(multiplied);
  CHECK(largest);
  return rgReport();
}
