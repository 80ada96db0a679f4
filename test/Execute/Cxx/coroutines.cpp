// Coroutines: numbers and containers that live in frames across suspensions, a coroutine within another, frames of
// both kinds by turns, one that ends at once, and one that hands a result over.
// RG-LEVELS: O0 O2 O3
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <coroutine>
#include <cmath>
#include <vector>
template <class T, class... A> T __enzyme_autodiff(void *, A...);
template <class T, class... A> T __enzyme_fwddiff(void *, A...);

struct Sequence {
  struct promise_type {
    double Current;
    Sequence get_return_object() {
      return Sequence{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(double V) {
      Current = V;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> Handle;
  explicit Sequence(std::coroutine_handle<promise_type> H) : Handle(H) {}
  Sequence(Sequence &&From) : Handle(From.Handle) { From.Handle = nullptr; }
  ~Sequence() {
    if (Handle)
      Handle.destroy();
  }
  bool next() {
    Handle.resume();
    return !Handle.done();
  }
  double value() { return Handle.promise().Current; }
};
struct Result {
  struct promise_type {
    double Value;
    Result get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(double V) { Value = V; }
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> Handle;
};

static Sequence powers(double x, int n) {
  double p = 1;
  for (int i = 0; i < n; ++i) {
    p *= x;
    co_yield p;
  }
}
// One coroutine: its frame holds a number and a count.
static double series(const double *x) {
  double s = 0;
  for (int k = 0; k < 3; ++k) {
    Sequence g = powers(x[k], k + 2);
    while (g.next())
      s += g.value() * x[0];
  }
  return s;
}
static Result square(double x) { co_return x *x *std::sin(x); }
static double result(const double *x) {
  Result a = square(x[0]), b = square(x[1] * x[2]);
  double y = a.Handle.promise().Value * b.Handle.promise().Value;
  a.Handle.destroy();
  b.Handle.destroy();
  return y;
}
// A coroutine that owns a container, and resumes another.
static Sequence sums(const double *x, int n) {
  std::vector<double> kept;
  for (int i = 0; i < n; ++i) {
    Sequence g = powers(x[i], i + 1);
    double s = 0;
    while (g.next())
      s += g.value();
    kept.push_back(s);
    co_yield s *kept[0];
  }
}
static double nested(const double *x) {
  Sequence g = sums(x, 3);
  double s = 0;
  while (g.next())
    s += g.value() * g.value();
  return s;
}
static double left_early(const double *x) {
  Sequence g = sums(x, 3);
  g.next();
  double first = g.value();
  g.next();
  return first + g.value() * x[2];
}

#define T(F)                                                                                                           \
  {                                                                                                                    \
    double d[3] = {};                                                                                                  \
    __enzyme_autodiff<void>((void *)F, x, d);                                                                          \
    RG_GRADS(d, F(x), x, 3);                                                                                           \
    for (int i = 0; i < 3; i++) {                                                                                      \
      double t[3] = {};                                                                                                \
      t[i] = 1;                                                                                                        \
      RG_NEAR(__enzyme_fwddiff<double>((void *)F, x, t), d[i]);                                                        \
    }                                                                                                                  \
  }
int main() {
  double x[3] = {.5, .7, 1.1};
  T(series) T(result) T(nested) T(left_early)
  return rgReport();
}
