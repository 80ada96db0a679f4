// Requests to stop (C++20): who looks has learnt what the requesting thread did before, and
// functions that a request calls are differentiated like others.
// RG-FLAGS: -std=c++20 -pthread
#include "rgthreads.h"
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

// The request publishes v.
static double told(const double *x, int n) {
  double v = 0, w = 0;
  std::jthread t([&](std::stop_token stop) {
    while (!stop.stop_requested())
      std::this_thread::yield();
    w = v * v;
  });
  v = x[0] * sin(x[n - 1]);
  t.request_stop();
  t.join();
  return w * x[1];
}
static double source(const double *x, int n) {
  double part[2] = {0, 0}, v = 0;
  std::stop_source source;
  auto work = [&](int t, std::stop_token stop) {
    while (!stop.stop_requested())
      std::this_thread::yield();
    for (int i = t; i < n; i += 2)
      part[t] += x[i] * v * v;
  };
  std::thread a(work, 0, source.get_token()), b(work, 1, source.get_token());
  for (int i = 0; i < n; ++i)
    v += x[i] * x[i];
  source.request_stop();
  a.join();
  b.join();
  return part[0] * part[1];
}
// What the request calls.
static double called(const double *x, int n) {
  double v = 1, w = 0;
  std::stop_source source;
  {
    std::stop_callback first(source.get_token(), [&] { w = v * v; });
    std::stop_callback second(source.get_token(), [&] { v = v * x[1]; });
    v = x[0] * x[n - 1];
    source.request_stop();
  }
  return w * v;
}
// A thread that waits for more until it is asked to stop.
static double queue(const double *x, int n) {
  std::mutex m;
  std::condition_variable_any more;
  std::vector<double> items;
  double s = 0;
  {
    std::jthread t([&](std::stop_token stop) {
      std::unique_lock lock(m);
      while (more.wait(lock, stop, [&] { return !items.empty(); })) {
        for (double v : items)
          s = s * 0.5 + v * v;
        items.clear();
      }
    });
    for (int i = 0; i < n; ++i) {
      std::lock_guard lock(m);
      items.push_back(x[i] * x[0]);
      more.notify_one();
    }
  }
  return s;
}

int main() {
  POINT;
  CHECK(told);
  CHECK(source);
  CHECK(called);
  CHECK(queue);
  return rgReport();
}
