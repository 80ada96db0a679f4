// A parallel loop of the program's own, of which one line says that it is one: with a
// body by reference and by value, over one and two bounds, of integers of two sizes.
// RG-FLAGS: -std=c++20 -pthread
#include <atomic>
#include <functional>
#include <thread>
#include <utility>
#include <vector>
// Behind the library, which has names of its own for what is N here.
#include "rgthreads.h"
// As <retrograd/retrograd.h> has it, which declares derivative calls of its own.
#define RG_PARALLEL_FOR(name, variable)                                        \
  static const char __rg_parallel_for_##variable[] __attribute__((used)) = name

namespace work {
// Threads that take indices from a counter: what a derivative does not look into.
template <class Body> void for_all(int first, int last, const Body &body) {
  std::atomic<int> next{first};
  std::vector<std::thread> team;
  for (int t = 0; t < 3; ++t)
    team.emplace_back([&] {
      for (int i; (i = next.fetch_add(1)) < last;)
        body(i);
    });
  for (std::thread &t : team)
    t.join();
}
struct Pool {
  int threads;
  template <class Body> void run(size_t n, Body body) {
    for_all(0, int(n), [&](int i) { body(size_t(i)); });
  }
};
// With a step: its mark says what it does not do, and is not believed.
template <class Body>
void by_steps(int first, int last, int step, const Body &body) {
  for (int i = first; i < last; i += step)
    body(i);
}
} // namespace work
RG_PARALLEL_FOR("work::for_all", one);
RG_PARALLEL_FOR("work::Pool::run", two);
RG_PARALLEL_FOR("work::by_steps", three);

static double references(const double *x, int n) {
  std::vector<double> y(n), z(n);
  work::for_all(0, n, [&](int i) { y[i] = x[i] * sin(x[i]); });
  std::function<void(int)> add = [&](int i) { z[i] = y[i - 1] * y[i] + x[i]; };
  work::for_all(1, n, add);
  work::for_all(3, 3, add);
  double s = 0;
  for (double v : z)
    s += v * v;
  return s;
}
static double values(const double *x, int n) {
  std::vector<double> y(n), z(n);
  double scale = x[0] * x[1], *to = z.data();
  work::Pool pool{3};
  pool.run(n, [&](size_t i) { y[i] = x[i] * scale; });
  pool.run(n, [=, &y](size_t i) { to[i] = y[i] * cos(y[(i + 1) % n] * scale); });
  double s = 1;
  for (double v : z)
    s *= 1 + 0.1 * v;
  return s;
}
static double steps(const double *x, int n) {
  std::vector<double> y(n);
  work::by_steps(0, n, 2, [&](int i) { y[i] = x[i] * x[i]; });
  double s = 0;
  for (double v : y)
    s += v * v;
  return s;
}
int main() {
  POINT;
  CHECK(references);
  CHECK(values);
  CHECK(steps);
  return rgReport();
}
