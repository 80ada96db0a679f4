// Results that threads hand over by std::async, std::promise and std::packaged_task, and memory that they own
// together.
// RG-LEVELS: O0 O2
// RG-FLAGS: -std=c++20 -pthread
#include "rgthreads.h"
#include <future>
#include <memory>
#include <thread>
#include <vector>

static double part(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += sin(x[i]) * x[i];
  return s;
}
static double futures(const double *x, int n) {
  double y = 0;
  std::vector<std::future<double>> all;
  for (int i = 0; i < n; ++i)
    all.push_back(std::async(std::launch::async, [x, i] { return exp(x[i] * 0.3) * x[0]; }));
  auto later = std::async(std::launch::deferred, [&] {
    y = x[0] * x[1];
    return part(x, n / 2);
  });
  double p = 1;
  for (auto &f : all)
    p *= f.get();
  return p * later.get() + y;
}
// Results that are handed over, to one or to many.
static double promised(const double *x, int n) {
  std::promise<double> p, q;
  auto f = p.get_future();
  auto g = q.get_future().share();
  double r[2] = {0, 0};
  std::thread t([&] {
    double a = f.get();
    q.set_value(a * sin(a));
    r[0] = g.get() * x[2];
  });
  std::thread u([&r, g, x] { r[1] = g.get() * g.get() * x[1]; });
  p.set_value(x[0] * x[1]);
  std::packaged_task<double(const double *, int)> task(part);
  auto parts = task.get_future();
  std::thread v(std::move(task), x, n);
  double y = g.get() * x[3] * parts.get();
  t.join();
  u.join();
  v.join();
  return y + r[0] * r[1];
}
// Two own it, and either may be the last.
static double owners(const double *x, int n) {
  auto both = std::make_shared<std::vector<double>>(x, x + n);
  double r = 0;
  std::thread t([both, &r] {
    for (double v : *both)
      r += v * v * v;
  });
  double q = (*both)[0] * (*both)[1];
  both.reset();
  t.join();
  return r * q;
}
// A function that starts itself, where the library's code is not inlined.
static double halves(const double *x, int n) {
  if (n < 3)
    return *x * n;
  auto low = std::async(std::launch::async, halves, x + 1, n / 2);
  double high = halves(x, n - n / 2);
  return high * 0.7 + sin(low.get());
}
int main() {
  POINT;
  CHECK(futures);
  CHECK(halves);
  CHECK(promised);
  CHECK(owners);
  return rgReport();
}
