// Barriers, latches and semaphores of C++20: what threads wait for is undone in the opposite order, and what
// one thread reads of another is kept.
// RG-FLAGS: -std=c++20 -pthread
#include "rgthreads.h"
#include <barrier>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

// Steps of a recurrence: all threads read what others have written in the step before.
static double steps(const double *x, int n) {
  constexpr int T = 3;
  double a[T] = {x[0], x[1], x[2]}, b[T];
  std::barrier<> all(T);
  auto work = [&](int t) {
    for (int k = 0; k < 4; ++k) {
      b[t] = sin(a[(t + 1) % T]) * a[t] + x[(3 * k + t) % n];
      all.arrive_and_wait();
      a[t] = b[t] * cos(b[(t + 2) % T]);
      auto token = all.arrive();
      all.wait(std::move(token));
    }
    all.arrive_and_drop();
  };
  {
    std::jthread one(work, 1), two(work, 2);
    work(0);
  }
  return a[0] + a[1] * a[2];
}
// Parts, a count of those that are there, and who goes on with all of them.
static double parts(const double *x, int n) {
  constexpr int T = 3;
  double part[T] = {0, 0, 0}, r = 0;
  std::latch ready(T), gone(T + 1);
  std::vector<std::thread> threads;
  for (int t = 0; t < T; ++t)
    threads.emplace_back([&, t] {
      for (int i = t; i < n; i += T)
        part[t] += x[i] * cos(x[i]);
      ready.count_down();
      gone.arrive_and_wait();
      part[t] *= r;
    });
  ready.wait();
  r = sin(part[0] - part[1]) + 0.1 * part[2];
  gone.arrive_and_wait();
  for (auto &t : threads)
    t.join();
  return part[0] + part[1] * part[2];
}
// One place that a thread fills and another empties, and a lock of two values.
static double handed(const double *x, int n) {
  std::binary_semaphore empty(1), full(0);
  std::counting_semaphore<> lock(1);
  double place = 0, product = 1, sum = 0;
  std::thread maker([&] {
    double v = 1;
    for (int i = 0; i < n; ++i) {
      v = 0.5 * v + x[i] * x[i];
      empty.acquire();
      place = v;
      full.release();
    }
    lock.acquire();
    product *= sqrt(1 + v);
    lock.release();
  });
  for (int i = 0; i < n; ++i) {
    full.acquire();
    sum = sum * 0.75 + place * x[n - 1 - i];
    empty.release();
  }
  while (!lock.try_acquire())
    std::this_thread::yield();
  product *= sin(sum);
  lock.release();
  maker.join();
  return product;
}
// The same by a mutex and a condition: the reader's place changes while it holds no lock.
static double exchanged(const double *x, int n) {
  std::mutex lock;
  std::condition_variable changed;
  bool full = false;
  double place = 0, sum = 0;
  std::thread maker([&] {
    double v = 1;
    for (int i = 0; i < n; ++i) {
      v = 0.5 * v + x[i] * x[i];
      std::unique_lock<std::mutex> mine(lock);
      while (full)
        changed.wait(mine);
      place = v;
      full = true;
      changed.notify_all();
    }
  });
  for (int i = 0; i < n; ++i) {
    std::unique_lock<std::mutex> mine(lock);
    while (!full)
      changed.wait(mine);
    sum = sum * 0.75 + place * x[n - 1 - i];
    full = false;
    changed.notify_all();
  }
  maker.join();
  return sum;
}
int main() {
  POINT;
  CHECK(steps);
  CHECK(parts);
  CHECK(handed);
  CHECK(exchanged);
  return rgReport();
}
