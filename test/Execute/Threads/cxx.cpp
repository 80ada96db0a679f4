// Threads of the C++ library: closures that capture by reference, arguments by value
// and by reference, vectors of threads, threads that start threads, std::jthread,
// mutexes around sums and products, a counter that hands out work.
// RG-FLAGS: -std=c++20 -pthread
#include "rgthreads.h"
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

static double two(const double *x, int n) {
  double low = 0, high = 0;
  std::thread t([&] {
    for (int i = 0; i < n / 2; ++i)
      low += x[i] * sin(x[i]);
  });
  for (int i = n / 2; i < n; ++i)
    high += x[i] * x[i] * x[0];
  t.join();
  return low * high;
}

static void part(const double *x, double *sum, int from, int to, double factor) {
  for (int i = from; i < to; ++i)
    *sum += factor * x[i] * x[(i + 1) % N];
}
static double arguments(const double *x, int n) {
  double a = 0, b = 0;
  std::thread s(part, x, &a, 0, n / 3, x[1]), t(part, x, &b, n / 3, n, 2.0);
  s.join();
  t.join();
  return a * b + a;
}

static double many(const double *x, int n) {
  std::vector<double> sums(5);
  std::vector<std::thread> threads;
  for (int k = 0; k < 5; ++k)
    threads.emplace_back([&, k] {
      for (int i = k; i < n; i += 5)
        sums[k] += exp(x[i]) * x[(i + k) % n];
    });
  for (std::thread &t : threads)
    t.join();
  double r = 1;
  for (double s : sums)
    r *= 1 + 0.1 * s;
  return r;
}

static double again(const double *x, int n) {
  std::vector<double> y(x, x + n), z(n);
  for (int step = 0; step < 7; ++step) {
    auto half = [&](int from, int to) {
      for (int i = from; i < to; ++i)
        z[i] = y[i] + 0.1 * sin(y[(i + 1) % n] - y[i]);
    };
    std::thread a(half, 0, n / 2), b(half, n / 2, n);
    a.join();
    b.join();
    std::swap(y, z);
  }
  double r = 0;
  for (double v : y)
    r += v * v;
  return r;
}

static double tree(const double *x, int n, int depth) {
  if (depth == 0 || n < 3) {
    double r = 0;
    for (int i = 0; i < n; ++i)
      r += x[i] * x[i];
    return r;
  }
  double left = 0;
  std::thread t([&] { left = tree(x, n / 2, depth - 1); });
  double right = tree(x + n / 2, n - n / 2, depth - 1);
  t.join();
  return left + right + 0.1 * left * right;
}
static double nested(const double *x, int n) { return tree(x, n, 3); }

static double locks(const double *x, int n) {
  double sum = 0, product = 1;
  std::mutex m;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      for (int i = k; i < n; i += 4) {
        double v = cos(x[i]);
        std::lock_guard<std::mutex> guard(m);
        sum += v;
        product *= 1 + 0.1 * v;
      }
    });
  for (int i = 0; i < n; ++i) {
    std::unique_lock<std::mutex> guard(m);
    product *= 1 + 0.01 * x[i];
  }
  for (std::thread &t : threads)
    t.join();
  return sum * product;
}

static double handedOut(const double *x, int n) {
  std::atomic<int> next{0};
  std::vector<double> y(n);
  auto work = [&] {
    for (int i; (i = next.fetch_add(1)) < n;)
      y[i] = x[i] * x[(i + 3) % n];
  };
  {
    std::jthread a(work), b(work);
    work();
  }
  double r = 0;
  for (int i = 0; i < n; ++i)
    r += y[i] * y[(i + 1) % n];
  return r;
}

// A queue of one place: the consumer's sum depends on nothing but the data.
static double queue(const double *x, int n) {
  std::mutex m;
  std::condition_variable changed;
  bool full = false;
  double place = 0, sum = 0;
  std::thread consumer([&] {
    for (int i = 0; i < n; ++i) {
      double v;
      {
        std::unique_lock<std::mutex> guard(m);
        while (!full)
          changed.wait(guard);
        v = place;
        full = false;
      }
      changed.notify_all();
      sum = 0.9 * sum + v * v;
    }
  });
  for (int i = 0; i < n; ++i) {
    double v = sin(x[i]) + (i ? x[i - 1] : 0);
    {
      std::unique_lock<std::mutex> guard(m);
      while (full)
        changed.wait(guard);
      place = v;
      full = true;
    }
    changed.notify_all();
  }
  consumer.join();
  return sum;
}

// Joined where the object goes out of scope, in a function of its own.
struct Worker {
  std::thread thread;
  double result = 0;
  Worker(const double *x, int n) {
    thread = std::thread([this, x, n] {
      for (int i = 0; i < n; ++i)
        result += x[i] * x[i] * x[i];
    });
  }
  double get() {
    thread.join();
    return result;
  }
};
static double objects(const double *x, int n) {
  auto a = std::make_unique<Worker>(x, n / 2);
  Worker b(x + n / 2, n - n / 2);
  double r = b.get();
  return r * a->get();
}

int main() {
  POINT;
  CHECK(two);
  CHECK(arguments);
  CHECK(many);
  CHECK(again);
  CHECK(nested);
  CHECK(locks);
  CHECK(handedOut);
  CHECK(queue);
  CHECK(objects);
  return rgReport();
}
