// What of threads has no derivative is named at its line.
// RUN: not %rgcxx -std=c++20 -O2 -g -DDETACHED -c %s -o %t.o 2>&1 | FileCheck --check-prefix=DETACHED %s
// RUN: not %rgcxx -std=c++20 -O0 -g -DDETACHED -c %s -o %t.o 2>&1 | FileCheck --check-prefix=DETACHED %s
// RUN: not %rgcxx -std=c++20 -O2 -g -DFLAG -c %s -o %t.o 2>&1 | FileCheck --check-prefix=FLAG %s
// RUN: not %rgcxx -std=c++20 -O2 -g -DRESULT -c %s -o %t.o 2>&1 | FileCheck --check-prefix=RESULT %s
// RUN: not %rgcxx -std=c++20 -O2 -g -DUNSEEN -c %s -o %t.o 2>&1 | FileCheck --check-prefix=UNSEEN %s
// RUN: not %rgcxx -std=c++20 -O2 -g -DFUTURE -c %s -o %t.o 2>&1 | FileCheck --check-prefix=FUTURE %s
// RUN: not %rgcxx -std=c++20 -O2 -g -DSPLIT -c %s -o %t.o 2>&1 | FileCheck --check-prefix=SPLIT %s
// RUN: not %rgcxx -std=c++20 -O2 -g -DFENCE -c %s -o %t.o 2>&1 | FileCheck --check-prefix=FENCE %s
// RUN: not %rgcxx -std=c++20 -O2 -g -DPROCESS -c %s -o %t.o 2>&1 | FileCheck --check-prefix=PROCESS %s
// Who forgets to join ends with a message.
// RUN: %rgcxx -std=c++20 -O1 -DFORGOTTEN %s -pthread -o %t && not --crash %t 2>&1 | FileCheck --check-prefix=FORGOTTEN %s
// FORGOTTEN: retrograd: a thread that was started in a derivative was not joined there
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <future>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
void __enzyme_autodiff(void *, ...);
void *__enzyme_augmentfwd(void *, ...);
struct job {
  const double *x;
  double y;
};
static void *work(void *p) {
  auto *j = static_cast<job *>(p);
  j->y = j->x[0] * j->x[1];
  return p;
}
void *elsewhere(void *);
pthread_t forgotten;
static double f(const double *x) {
  double r = 0;
#if defined(DETACHED)
  std::thread t([&] { r = x[0] * x[1]; });
  // DETACHED: this parallel construct cannot be differentiated: a detached thread: {{.*}} [RG2202]
  // DETACHED: threads.cpp:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  t.detach();
#elif defined(FLAG)
  double place = 0;
  std::atomic<double *> handed{nullptr};
  std::thread t([&] {
    place = x[0] * x[1];
    // FLAG: this parallel construct cannot be differentiated: an atomic operation on a pointer to numbers {{.*}} [RG2202]
    reinterpret_cast<std::atomic<std::uintptr_t> &>(handed).fetch_or(reinterpret_cast<std::uintptr_t>(&place));
  });
  double *got;
  while (!(got = handed.load()))
    ;
  r = *got * *got;
  t.join();
#elif defined(RESULT)
  // Who started it is not seen.
  void *back;
  // RESULT: this parallel construct cannot be differentiated: the result of a thread, read by pthread_join, {{.*}} [RG2202]
  // RESULT: threads.cpp:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  pthread_join(forgotten, &back);
  r = static_cast<job *>(back)->y;
#elif defined(UNSEEN)
  job j{x, 0};
  pthread_t t;
  // UNSEEN: this parallel construct cannot be differentiated: a thread whose function the compiler does not see here [RG2202]
  // UNSEEN: threads.cpp:[[@LINE+1]]:{{[0-9]+}}: note: it is here
  pthread_create(&t, nullptr, elsewhere, &j);
  pthread_join(t, nullptr);
  r = j.y;
#elif defined(FUTURE)
  std::promise<double> p;
  std::thread t([&] {
    // FUTURE: this parallel construct cannot be differentiated: a result that is set when its thread exits (set_value_at_thread_exit); {{.*}} [RG2202]
    p.set_value_at_thread_exit(x[0] * x[1]);
  });
  r = p.get_future().get();
  t.join();
#elif defined(FENCE)
  static volatile int ready;
  std::thread t([&] {
    while (!ready)
      ;
    // FENCE: this parallel construct cannot be differentiated: a fence: {{.*}} [RG2202]
    std::atomic_thread_fence(std::memory_order_acquire);
    r *= r;
  });
  r = x[0] * x[1];
  __sync_synchronize();
  ready = 1;
  t.join();
#elif defined(PROCESS)
  auto *shared = static_cast<double *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  // PROCESS: this parallel construct cannot be differentiated: a process of its own: {{.*}} [RG2202]
  if (!fork()) {
    *shared = x[0] * x[1];
    _exit(0);
  }
  r = *shared;
#elif defined(FORGOTTEN)
  static job j;
  j.x = x;
  pthread_create(&forgotten, nullptr, work, &j);
  for (int i = 0; i < 3; ++i)
    r += x[0] * x[i];
#else
  job j{x, 0};
  pthread_t t;
  // SPLIT: this parallel construct cannot be differentiated: a thread or task that is started in one half of a split derivative; {{.*}} [RG2202]
  pthread_create(&t, nullptr, work, &j);
  pthread_join(t, nullptr);
  r = j.y;
#endif
  return r;
}
int main() {
  double x[3] = {1, 2, 3}, dx[3] = {};
#ifdef SPLIT
  __enzyme_augmentfwd((void *)f, x, dx);
#else
  __enzyme_autodiff((void *)f, x, dx);
#endif
}
