// Threads that tell each other something by atomic integers, by functions that are called once
// and by locks of their own: what comes behind such a signal is undone before what came in front of it.
// RG-FLAGS: -std=c++20 -pthread
#include "rgthreads.h"
#include <atomic>
#include <barrier>
#include <mutex>
#include <thread>

// Whoever comes last goes on with what all have found.
static double last(const double *x, int n) {
  double part[3] = {0, 0, 0}, total = 0;
  std::atomic<int> come{0};
  auto work = [&](int t) {
    double s = 0;
    for (int i = t; i < n; i += 3)
      s += sin(x[i]) * x[i];
    part[t] = s * s;
    if (come.fetch_add(1, std::memory_order_acq_rel) == 2)
      total = part[0] * part[1] + exp(part[2]) * part[0];
  };
  std::thread a(work, 0), b(work, 1);
  work(2);
  a.join();
  b.join();
  return total;
}
// A flag of the module.
static std::atomic<int> ready;
static double flag(const double *x, int n) {
  double v = 0, r = 0;
  ready = 0;
  std::thread a([&] {
    while (!ready.load(std::memory_order_acquire))
      std::this_thread::yield();
    r = v * v * x[1];
  });
  v = sin(x[0]) * x[2];
  for (int i = 0; i < n; i++)
    v += x[i] * v * 0.1;
  ready.store(1, std::memory_order_release);
  a.join();
  return r;
}
// Who is next is a number.
static double turns(const double *x, int n) {
  std::atomic<int> turn{0};
  double v = 1;
  auto work = [&](int t) {
    for (int i = t; i < n; i += 2) {
      while (turn != i)
        std::this_thread::yield();
      v = v * x[i] + sin(v);
      turn = i + 1;
    }
  };
  std::thread a(work, 0);
  work(1);
  a.join();
  return v;
}
// A barrier that calls a function when all have come.
static double completed(const double *x, int n) {
  double part[3] = {0, 0, 0}, sum = 0, all = 1;
  auto add = [&]() noexcept {
    sum = part[0] * part[1] + part[2];
    all *= sum;
  };
  std::barrier together(3, add);
  auto work = [&](int t) {
    for (int k = 0; k < 4; ++k) {
      part[t] = x[t] * sin(x[(t + 3) % n] * (k + 1)) + sum * 0.1;
      together.arrive_and_wait();
    }
  };
  std::thread a(work, 0), b(work, 1);
  work(2);
  a.join();
  b.join();
  return all;
}
// Whoever asks first computes it; whoever asks later has it.
static double once(const double *x, int n) {
  std::once_flag done;
  double scale = 0, a = 0;
  auto begin = [&](double e) { scale = x[0] * x[0] + e; };
  std::thread t([&] {
    std::call_once(done, begin, x[1]);
    a = scale * x[2];
  });
  std::call_once(done, begin, x[1]);
  double b = sin(scale * x[n - 1]);
  t.join();
  std::call_once(done, begin, 7.0);
  return a * b * scale;
}
// A lock of the program's own, and a wait of C++20.
static double own(const double *x, int n) {
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
  std::atomic<int> step{0};
  double p = 1, v = x[0];
  auto work = [&](int t) {
    for (int i = t; i < n; i += 2) {
      while (lock.test_and_set(std::memory_order_acquire))
        std::this_thread::yield();
      p = p * x[i] * cos(x[i]);
      lock.clear(std::memory_order_release);
    }
    for (int k = t; k < 6; k += 2) {
      for (int s; (s = step.load()) != k;)
        step.wait(s);
      v = v * x[k % n] + sin(v);
      step = k + 1;
      step.notify_all();
    }
  };
  std::thread a(work, 0);
  work(1);
  a.join();
  return p * v;
}
int main() {
  POINT;
  CHECK(last);
  CHECK(flag);
  CHECK(turns);
  CHECK(completed);
  CHECK(once);
  CHECK(own);
  return rgReport();
}
