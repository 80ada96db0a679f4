// A pool of threads whose jobs are functions around packaged tasks: words of the functions' buffers are numbers
// or addresses by turns, and threads copy them at the same time.
// RG-LEVELS: O0 O2
// RG-FLAGS: -std=c++20 -pthread
#include "rgthreads.h"
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {
class Workers {
  std::vector<std::thread> threads;
  std::deque<std::function<void()>> waiting;
  std::mutex guard;
  std::condition_variable wake;
  bool closing = false;

  void serve() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock<std::mutex> lock(guard);
        wake.wait(lock, [this] { return closing || !waiting.empty(); });
        if (waiting.empty())
          return;
        job = std::move(waiting.front());
        waiting.pop_front();
      }
      job();
    }
  }

public:
  explicit Workers(int count) {
    for (int i = 0; i < count; ++i)
      threads.emplace_back([this] { serve(); });
  }
  ~Workers() {
    {
      std::lock_guard<std::mutex> lock(guard);
      closing = true;
    }
    wake.notify_all();
    for (auto &t : threads)
      t.join();
  }
  template <class F, class... A> auto promise(F &&f, A &&...a) {
    using R = std::invoke_result_t<F, A...>;
    auto task =
        std::make_shared<std::packaged_task<R()>>(std::bind(std::forward<F>(f), std::forward<A>(a)...));
    std::future<R> result = task->get_future();
    {
      std::lock_guard<std::mutex> lock(guard);
      waiting.emplace_back([task] { (*task)(); });
    }
    wake.notify_one();
    return result;
  }
};
} // namespace

// The results that jobs promise.
static double promised(const double *x, int n) {
  Workers workers(3);
  std::vector<std::future<double>> results;
  for (int i = 0; i < n; ++i)
    results.push_back(workers.promise([x, i] { return sin(x[i]) * x[0]; }));
  double p = 1;
  for (auto &r : results)
    p *= r.get() + 2;
  return p;
}

// Jobs that are handed numbers.
static double handed(const double *x, int n) {
  Workers workers(2);
  std::vector<std::future<double>> results;
  double before = 1;
  for (int i = 0; i < n; ++i) {
    results.push_back(workers.promise([](double a, double b) { return a * cos(b); }, x[i] * before, x[0]));
    before = x[i];
  }
  double s = 0;
  for (auto &r : results)
    s += r.get() * s + x[1];
  return s;
}

int main() {
  POINT;
  CHECK(promised);
  CHECK(handed);
  return rgReport();
}
