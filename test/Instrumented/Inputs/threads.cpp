// Many threads differentiate the same functions at once, each on data of its own: loops with
// unknown trips, heap memory, recursion, exceptions, derivatives of derivatives.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <thread>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double newton(double x) {
  double y = 1;
  for (int i = 0; i < 100; ++i) {
    double next = 0.5 * (y + x / y);
    if (std::fabs(next - y) < 1e-14)
      break;
    y = next;
  }
  return y;
}
__attribute__((noinline)) static double climb(double x, int n) {
  return n == 0 ? x : std::sin(climb(x * 1.01, n - 1)) * x;
}
static double heap(double x, int n) {
  double *p = (double *)malloc(n * sizeof(double));
  p[0] = x;
  for (int i = 1; i < n; ++i)
    p[i] = std::sin(p[i - 1]) + x * p[i - 1];
  double s = p[n - 1];
  free(p);
  return s;
}
static double thrown(double x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    try {
      if (i % 3 == 1)
        throw x * s;
      s += std::sin(x + i);
    } catch (double d) {
      s += d * x;
    }
  }
  return s;
}
static double slope(double x, int n) { return __enzyme_autodiff((void *)heap, x, n); }
#ifdef PLANT
// Every thread writes it. Other files may read it, so the stores stay. Nothing is thrown: the
// locks of the unwinder would order the threads where they take turns on one core.
double once;
static double all(double x) {
  once = x;
  return newton(x) + climb(x, 12) + heap(x, 6) + once * x;
}
#else
static double all(double x) { return newton(x) + climb(x, 12) + heap(x, 6) + thrown(x, 7); }
#endif
static double derivatives(double x) {
  return __enzyme_autodiff((void *)all, x) + __enzyme_fwddiff((void *)slope, x, 1.0, 5);
}

enum { Threads = 8, Rounds = 40 };

// Waits until every thread has come to this round. The accesses are relaxed, so they order nothing
// for ThreadSanitizer, while even on one core no thread runs through before the next begins.
static void meet(int round) {
  static std::atomic<int> arrived{0};
  arrived.fetch_add(1, std::memory_order_relaxed);
  while (arrived.load(std::memory_order_relaxed) < (round + 1) * Threads)
    sched_yield();
}

int main() {
  double want[Threads], got[Threads] = {};
  int wrong = 0;
  for (int t = 0; t < Threads; ++t)
    want[t] = derivatives(0.5 + 0.1 * t);
  std::vector<std::thread> threads;
  for (int t = 0; t < Threads; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < Rounds; ++k) {
        meet(k);
        double d = derivatives(0.5 + 0.1 * t);
        if (k == 0 || d != got[t])
          got[t] = d;
      }
    });
  for (std::thread &t : threads)
    t.join();
  for (int t = 0; t < Threads; ++t)
    if (!(std::fabs(got[t] - want[t]) <= 1e-12 * std::fabs(want[t])) || want[t] == 0) {
      printf("thread %d: got %.17g, want %.17g\n", t, got[t], want[t]);
      ++wrong;
    }
  return wrong != 0;
}
