// A pool of threads beside a pipeline of threads in one file: the threads of the one are candidates of calls in the
// other, where nobody knows what its jobs hold.
// RG-LEVELS: O0 O2
// RG-FLAGS: -std=c++20 -pthread
#include "rgthreads.h"
#include <cmath>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

template <class T> class Channel {
  std::deque<T> Waiting;
  std::mutex M;
  std::condition_variable Room, Some;
  bool Closed = false;

public:
  void put(T V) {
    std::unique_lock<std::mutex> L(M);
    Room.wait(L, [&] { return Waiting.size() < 4; });
    Waiting.push_back(V);
    Some.notify_one();
  }
  bool take(T &V) {
    std::unique_lock<std::mutex> L(M);
    Some.wait(L, [&] { return !Waiting.empty() || Closed; });
    if (Waiting.empty())
      return false;
    V = Waiting.front();
    Waiting.pop_front();
    Room.notify_one();
    return true;
  }
  void close() {
    std::lock_guard<std::mutex> L(M);
    Closed = true;
    Some.notify_all();
  }
};
static double pipeline(const double *x, int n) {
  struct Item {
    int At;
    double V;
  };
  Channel<Item> First, Second;
  std::vector<double> Out(n);
  std::vector<std::thread> Middle;
  std::thread Head([&] {
    for (int I = 0; I < n; ++I)
      First.put({I, x[I] * x[(I + 1) % n]});
    First.close();
  });
  for (int T = 0; T < 3; ++T)
    Middle.emplace_back([&] {
      Item It;
      while (First.take(It)) {
        It.V = std::sin(It.V) * It.V;
        Second.put(It);
      }
    });
  std::thread Tail([&] {
    Item It;
    while (Second.take(It))
      Out[It.At] = It.V * x[It.At];
  });
  Head.join();
  for (std::thread &T : Middle)
    T.join();
  Second.close();
  Tail.join();
  double S = 0;
  for (int I = 0; I < n; ++I)
    S += Out[I] * (I + 1);
  return S;
}

class Pool {
  std::vector<std::thread> Threads;
  std::queue<std::function<void()>> Jobs;
  std::mutex M;
  std::condition_variable Some, Idle;
  int Busy = 0;
  bool Stops = false;

  void work() {
    for (;;) {
      std::function<void()> Job;
      {
        std::unique_lock<std::mutex> L(M);
        Some.wait(L, [this] { return Stops || !Jobs.empty(); });
        if (Jobs.empty())
          return;
        Job = std::move(Jobs.front());
        Jobs.pop();
        ++Busy;
      }
      Job();
      std::lock_guard<std::mutex> L(M);
      if (!--Busy && Jobs.empty())
        Idle.notify_all();
    }
  }

public:
  explicit Pool(int Many) {
    for (int T = 0; T < Many; ++T)
      Threads.emplace_back(&Pool::work, this);
  }
  template <class F> void post(F &&Job) {
    {
      std::lock_guard<std::mutex> L(M);
      Jobs.emplace(std::forward<F>(Job));
    }
    Some.notify_one();
  }
  void wait() {
    std::unique_lock<std::mutex> L(M);
    Idle.wait(L, [this] { return !Busy && Jobs.empty(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> L(M);
      Stops = true;
    }
    Some.notify_all();
    for (std::thread &T : Threads)
      T.join();
  }
};
static double rounds(const double *x, int n) {
  Pool P(3);
  std::vector<double> Y(n), Z(n);
  for (int I = 0; I < n; ++I)
    P.post([&, I] { Y[I] = x[I] * x[I]; });
  P.wait();
  for (int I = 0; I < n; ++I) {
    double W = Y[(I + 1) % n];
    P.post([&Z, &Y, I, W] { Z[I] = std::sin(Y[I]) * W; });
  }
  P.wait();
  double S = 0;
  for (int I = 0; I < n; ++I)
    S += Z[I] * Z[I];
  return S;
}
int main() {
  POINT;
  CHECK(pipeline);
  CHECK(rounds);
  return rgReport();
}
