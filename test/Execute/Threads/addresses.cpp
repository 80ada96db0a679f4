// Threads that hand each other addresses of numbers by atomic operations: an address and its shadow go together.
// RG-FLAGS: -std=c++20 -pthread
#include "rgthreads.h"
#include <atomic>
#include <thread>
#include <vector>

static double published(const double *x, int n) {
  std::atomic<double *> slot{nullptr};
  std::vector<double> data(n);
  double out = 0;
  std::thread reader([&] {
    double *p;
    while (!(p = slot.load(std::memory_order_acquire)))
      ;
    for (int i = 0; i < n; ++i)
      out += p[i] * p[i];
  });
  std::thread writer([&] {
    for (int i = 0; i < n; ++i)
      data[i] = x[i] * x[i];
    slot.store(data.data(), std::memory_order_release);
  });
  reader.join();
  writer.join();
  return out;
}
struct node {
  double v;
  node *next;
};
// A list that all threads push to and one takes whole.
static double pushed(const double *x, int n) {
  std::atomic<node *> head{nullptr};
  auto work = [&](int t) {
    for (int i = t; i < n; i += 3) {
      auto *q = new node{x[i] * x[i], head.load(std::memory_order_relaxed)};
      while (!head.compare_exchange_weak(q->next, q, std::memory_order_release,
                                         std::memory_order_relaxed))
        ;
    }
  };
  std::thread a(work, 0), b(work, 1);
  work(2);
  a.join();
  b.join();
  double s = 0;
  for (node *p = head.exchange(nullptr); p;) {
    s += p->v * p->v;
    node *next = p->next;
    delete p;
    p = next;
  }
  return s;
}
// Whoever comes first makes what all use.
static double lazy(const double *x, int n) {
  std::atomic<double *> cell{nullptr};
  double out[3] = {};
  auto work = [&](int t) {
    double *p = cell.load();
    if (!p) {
      auto *made = new double(0);
      for (int i = 0; i < n; ++i)
        *made += x[i] * x[i];
      double *expected = nullptr;
      if (cell.compare_exchange_strong(expected, made)) {
        p = made;
      } else {
        delete made;
        p = expected;
      }
    }
    out[t] = *p * x[t % n];
  };
  std::thread a(work, 0), b(work, 1);
  work(2);
  a.join();
  b.join();
  delete cell.load();
  return out[0] * out[1] + out[2];
}
// Places of an array are dealt out by the address itself.
static double dealt(const double *x, int n) {
  std::vector<double> pool(n);
  std::atomic<double *> at{pool.data()};
  auto work = [&](int t) {
    for (int i = t; i < n; i += 3) {
      double *p = at.fetch_add(1);
      *p = sin(x[i]);
    }
  };
  std::thread a(work, 0), b(work, 1);
  work(2);
  a.join();
  b.join();
  double s = 0;
  for (double v : pool)
    s += v * v;
  return s;
}
// An address that nobody follows is a signal.
static double looked(const double *x, int n) {
  std::atomic<double *> slot{nullptr};
  double y = 0, out = 0;
  std::thread reader([&] {
    while (slot.load() == nullptr)
      ;
    out = y * y;
  });
  y = x[0] * x[n - 1];
  slot.store(&y);
  reader.join();
  return out;
}
// A place that is filled, taken and emptied again and again.
static double passed(const double *x, int n) {
  std::atomic<double *> slot{nullptr};
  std::vector<double> cells(n);
  double s = 0;
  std::thread reader([&] {
    for (int i = 0; i < n; ++i) {
      double *p;
      while (!(p = slot.load()))
        ;
      s = s * x[0] + *p;
      *p = 0;
      slot.store(nullptr);
    }
  });
  for (int i = 0; i < n; ++i) {
    cells[i] = x[i] * x[i];
    while (slot.load())
      ;
    slot.store(&cells[i]);
  }
  reader.join();
  return s;
}

int main() {
  POINT;
  CHECK(published);
  CHECK(pushed);
  CHECK(lazy);
  CHECK(dealt);
  CHECK(looked);
  CHECK(passed);
  return rgReport();
}
