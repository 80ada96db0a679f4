// Locks for readers and writers, attempts to lock, spin locks, and barriers of POSIX: the reverse
// sweep undoes them in the opposite order.
// RG-FLAGS: -std=c++20 -pthread
#include "rgthreads.h"
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <thread>
#include <vector>

// Readers of a table that a writer changes now and then.
static double readers(const double *x, int n) {
  std::shared_mutex lock;
  double table[4] = {x[0], x[1], x[2], x[3]}, sums[3] = {0, 0, 0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (int i = t; i < n; i += 3) {
        {
          std::shared_lock<std::shared_mutex> reading(lock);
          sums[t] += sin(x[i]) * x[n - 1 - i];
        }
        std::unique_lock<std::shared_mutex> writing(lock);
        table[i % 4] += x[i] * x[i] * x[(i + 4) % n];
      }
    });
  for (auto &t : threads)
    t.join();
  double r = 0;
  for (double s : sums)
    r += s * s;
  for (double v : table)
    r += v * v;
  return r;
}
// A product that threads take turns at, by attempts.
static double attempts(const double *x, int n) {
  std::mutex lock;
  double product = 1;
  auto work = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      while (!lock.try_lock())
        std::this_thread::yield();
      product *= 1 + 0.1 * x[i] * x[i];
      lock.unlock();
    }
  };
  std::thread a([&] { work(0, n / 2); });
  work(n / 2, n);
  a.join();
  return product * product;
}
static double spinning(const double *x, int n) {
  pthread_spinlock_t lock;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  double product = 1;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int i = t; i < n; i += 2) {
        if (t)
          pthread_spin_lock(&lock);
        else
          while (pthread_spin_trylock(&lock))
            std::this_thread::yield();
        product *= 0.5 + cos(x[i]);
        pthread_spin_unlock(&lock);
      }
    });
  for (auto &t : threads)
    t.join();
  pthread_spin_destroy(&lock);
  return product;
}
// The same of POSIX, to read and to write.
static double attemptsOfPosix(const double *x, int n) {
  pthread_rwlock_t lock;
  pthread_rwlock_init(&lock, nullptr);
  double product = 1;
  int seen = 0;
  auto work = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      while (pthread_rwlock_tryrdlock(&lock))
        std::this_thread::yield();
      int before = seen;
      pthread_rwlock_unlock(&lock);
      while (pthread_rwlock_trywrlock(&lock))
        std::this_thread::yield();
      product *= 1 - 0.1 * x[i] * x[i];
      seen = before < seen ? seen + 1 : before + 1;
      pthread_rwlock_unlock(&lock);
    }
  };
  std::thread a([&] { work(0, n / 2); });
  work(n / 2, n);
  a.join();
  pthread_rwlock_destroy(&lock);
  return seen == n ? product : 0;
}
// Steps of a row of numbers: each thread has a part, and reads its neighbours'.
struct part {
  pthread_barrier_t *wait;
  double *u, *v;
  int from, to, n, *last;
};
static void *steps(void *p) {
  part *me = static_cast<part *>(p);
  for (int t = 0; t < 3; ++t) {
    for (int i = me->from; i < me->to; ++i)
      me->v[i] = me->u[i] * (me->u[(i + 1) % me->n] + 0.5 * me->u[(i + me->n - 1) % me->n]);
    if (pthread_barrier_wait(me->wait) == PTHREAD_BARRIER_SERIAL_THREAD)
      ++*me->last;
    for (int i = me->from; i < me->to; ++i)
      me->u[i] = sin(me->v[i]) + me->v[me->n - 1 - i];
    pthread_barrier_wait(me->wait);
  }
  return nullptr;
}
static double barriers(const double *x, int n) {
  double u[N], v[N], r = 0;
  int last = 0;
  for (int i = 0; i < n; ++i)
    u[i] = x[i];
  pthread_barrier_t wait;
  pthread_barrier_init(&wait, nullptr, 3);
  pthread_t threads[3];
  part parts[3];
  for (int t = 0; t < 3; ++t) {
    parts[t] = {&wait, u, v, t * n / 3, (t + 1) * n / 3, n, &last};
    pthread_create(&threads[t], nullptr, steps, &parts[t]);
  }
  for (int t = 0; t < 3; ++t)
    pthread_join(threads[t], nullptr);
  pthread_barrier_destroy(&wait);
  for (int i = 0; i < n; ++i)
    r += u[i] * u[i];
  return r + (last == 3 ? 0 : 1e6);
}

int main() {
  POINT;
  CHECK(readers);
  CHECK(attempts);
  CHECK(attemptsOfPosix);
  CHECK(spinning);
  CHECK(barriers);
  return rgReport();
}
