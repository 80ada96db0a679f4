// What an exception runs on its way out of a derivative: destructors of the program's,
// locks, memory of containers.
// RG-LEVELS: O0 O2 g
#include "rgtest.h"
#include <cmath>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>
extern int enzyme_dup, enzyme_const;
template <class T, class... Args> T __enzyme_autodiff(void *, Args...);
template <class T, class... Args> T __enzyme_fwddiff(void *, Args...);
template <class T, class... Args> T __enzyme_augmentfwd(void *, Args...);

static std::mutex lock;
static int alive, ended;
struct Guard {
  Guard() { ++alive; }
  ~Guard() {
    --alive;
    ++ended;
  }
};

__attribute__((noinline)) double root(double v) {
  if (v < 0)
    throw std::domain_error("root");
  return std::sqrt(v);
}
double locked(const double *x, int n) {
  Guard outer;
  double s = 0;
  std::vector<double> w;
  std::string name;
  for (int i = 0; i < n; ++i) {
    std::lock_guard<std::mutex> held(lock);
    Guard inner;
    name += "a rather long text that needs memory";
    w.push_back(root(x[i]));
    s += w.back() * x[0];
  }
  return s;
}
// Some frames below, in a callee that stays a function.
__attribute__((noinline)) double below(const double *x, int n, std::list<double> &l) {
  Guard g;
  for (int i = 0; i < n; ++i)
    l.push_back(root(x[i]) * x[i]);
  return l.back() + l.front();
}
double frames(const double *x, int n) {
  std::unique_lock<std::mutex> held(lock);
  std::list<double> l;
  double s = below(x, n, l) * below(x, n, l);
  for (double v : l)
    s += v;
  return s;
}
// The same callee in a try, and outside of one, where it is only cleaned up after.
double both(const double *x, int n) {
  double s = 0;
  std::list<double> l;
  double y[3] = {x[0], -1, x[2]};
  try {
    s = below(y, n, l);
  } catch (std::domain_error &) {
    s = l.back() * x[1];
  }
  auto p = std::make_unique<double>(x[1] * s);
  return below(x, n, l) * *p;
}

template <class F> void leaves(F call) {
  ended = 0;
  bool caught = false;
  try {
    call();
  } catch (std::domain_error &) {
    caught = true;
  }
  RG_TRUE(caught);
  bool free = lock.try_lock();
  RG_TRUE(free);
  if (free)
    lock.unlock();
}

#define EACH(F, CLEAN)                                                                             \
  {                                                                                                \
    double d[3] = {}, bad[3] = {1, 2, -3}, t[3] = {1, 0, 0};                                       \
    __enzyme_autodiff<void>((void *)F, enzyme_dup, x, d, enzyme_const, 3);                         \
    RG_GRADS(d, F(x, 3), x, 3);                                                                    \
    RG_NEAR(__enzyme_fwddiff<double>((void *)F, enzyme_dup, x, t, enzyme_const, 3), d[0]);         \
    leaves([&] { F(bad, 3); });                                                                    \
    int want = ended;                                                                              \
    leaves([&] { __enzyme_autodiff<void>((void *)F, enzyme_dup, bad, d, enzyme_const, 3); });      \
    RG_TRUE(!CLEAN || (ended == want && alive == 0));                                              \
    leaves([&] { __enzyme_fwddiff<double>((void *)F, enzyme_dup, bad, t, enzyme_const, 3); });     \
    RG_TRUE(!CLEAN || (ended == want && alive == 0));                                              \
    leaves([&] { __enzyme_augmentfwd<void *>((void *)F, enzyme_dup, bad, d, enzyme_const, 3); });  \
    RG_TRUE(!CLEAN || (ended == want && alive == 0));                                              \
    alive = 0;                                                                                     \
  }

int main() {
  double x[3] = {1.5, 2, 3};
  for (int again = 0; again < 3; ++again) {
    EACH(locked, true)
    EACH(frames, true)
    EACH(both, false)
  }
  return rgReport();
}
int enzyme_dup, enzyme_const;
