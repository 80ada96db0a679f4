// Waits that may give up: locks, conditions, semaphores and futures with a limit of time. Whether
// one has given up is known when the primal has run; turns and events are as for waits without a
// limit, and there is none where it gave up.
// RG-FLAGS: -std=c++20 -pthread
#include "rgthreads.h"
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <time.h>
#include <vector>
using namespace std::chrono_literals;

static double sumOfSquares(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i];
  return s;
}

// A product that two threads take turns at, by attempts that may give up.
static double locks(const double *x, int n) {
  std::timed_mutex m;
  double p = 1;
  auto work = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      while (!m.try_lock_for(200us))
        ;
      p *= 1 + 0.1 * x[i] * x[i];
      if (i % 5 == 0)
        std::this_thread::sleep_for(400us); // the other one gives up
      m.unlock();
    }
  };
  std::thread t([&] { work(0, n / 2); });
  work(n / 2, n);
  t.join();
  return p * p;
}
static double readers(const double *x, int n) {
  std::shared_timed_mutex m;
  double p = 1, s[2] = {0, 0};
  auto work = [&](int from, int to, int k) {
    for (int i = from; i < to; ++i) {
      std::shared_lock<std::shared_timed_mutex> reading(m, 200us);
      if (!reading) {
        --i;
        continue;
      }
      s[k] += p * x[i];
      reading.unlock();
      while (!m.try_lock_until(std::chrono::system_clock::now() + 200us))
        ;
      p *= 1 + 0.05 * x[i] * x[i];
      m.unlock();
    }
  };
  // One after the other, since the sums depend on the order.
  std::thread t([&] { work(0, n / 2, 0); });
  t.join();
  std::thread u([&] { work(n / 2, n, 1); });
  u.join();
  return p * s[0] + s[1];
}
// Rounds of which one thread does the even ones and the other the odd ones.
static double rounds(const double *x, int n) {
  std::mutex m;
  std::condition_variable c;
  int round = 0;
  double v = 1;
  auto work = [&](int mine) {
    for (;;) {
      std::unique_lock<std::mutex> l(m);
      while (round < n && round % 2 != mine)
        if (mine)
          c.wait_for(l, 100us);
        else
          c.wait_until(l, std::chrono::system_clock::now() + 100us, [&] { return round >= n || round % 2 == 0; });
      if (round >= n)
        return;
      v = sin(v) + x[round] * x[(round + 3) % n];
      ++round;
      c.notify_all();
    }
  };
  std::thread t([&] { work(1); });
  work(0);
  t.join();
  return v * v;
}
static double semaphores(const double *x, int n) {
  std::counting_semaphore<8> ready(0);
  sem_t posix;
  sem_init(&posix, 0, 0);
  double v = 0, w = 0;
  std::thread t([&] {
    std::this_thread::sleep_for(500us);
    v = sumOfSquares(x, n);
    ready.release(2);
    w = v * x[0];
    sem_post(&posix);
  });
  while (!ready.try_acquire_for(100us))
    ;
  double r = v * v;
  for (;;) {
    timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += 100000;
    if (end.tv_nsec >= 1000000000) {
      end.tv_nsec -= 1000000000;
      ++end.tv_sec;
    }
    if (sem_timedwait(&posix, &end) == 0)
      break;
  }
  r += w;
  t.join();
  sem_destroy(&posix);
  return r;
}
static double futures(const double *x, int n) {
  auto sum = std::async(std::launch::async, [&] {
    std::this_thread::sleep_for(500us);
    return sumOfSquares(x, n);
  });
  std::packaged_task<double(double)> task([&](double k) { return k * sumOfSquares(x, n / 2); });
  auto part = task.get_future();
  while (sum.wait_for(100us) != std::future_status::ready)
    ;
  double s = sum.get();
  std::thread t(std::move(task), x[0] * s);
  while (part.wait_until(std::chrono::steady_clock::now() + 100us) != std::future_status::ready)
    ;
  double p = part.get();
  t.join();
  return s * p;
}

int main() {
  POINT;
  CHECK(locks);
  CHECK(readers);
  CHECK(rounds);
  CHECK(semaphores);
  CHECK(futures);
  return rgReport();
}
