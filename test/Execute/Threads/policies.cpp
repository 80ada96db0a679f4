// Loops, reductions and scans over the range of a policy, by the names that Kokkos gives
// them: what is below is the interface of that library in small. Its own way to run a
// body ends in assembly, which has no derivative: derivatives run the substitutes.
// RG-FLAGS: -std=c++20 -pthread
#include <string>
#include <type_traits>
#include <vector>
// Behind the library, which has names of its own for what is N here.
#include "rgthreads.h"

namespace Kokkos {
struct Host {};
template <class... Traits> class RangePolicy {
  long Begin, End;

public:
  RangePolicy(long b, long e) : Begin(b), End(e) {}
  long begin() const { return Begin; }
  long end() const { return End; }
};
struct Counted {
  Counted() {}
  Counted(const Counted &) {}
  ~Counted() {}
};
// Without a destructor of its own.
template <class T, class Space> class View : Counted {
  T *At;

public:
  explicit View(T *p) : At(p) {}
  View(const View &o) : Counted(o), At(o.At) {}
  T *data() const { return At; }
};
template <class T, class Space> struct Max {
  View<T, Space> value;
  explicit Max(T &v) : value(&v) {}
  void join(T &into, const T &from) const {
    if (from > into)
      into = from;
  }
  void init(T &v) const { v = -1e300; }
  View<T, Space> view() const { return value; }
};
static int started;
__attribute__((noinline)) static void start() { __asm__ volatile("incl %0" : "+m"(started)); }
template <class Policy, class Body, class Enable = void>
void parallel_for(const std::string &, const Policy &policy, const Body &body) {
  start();
  for (long i = policy.begin(); i < policy.end(); ++i)
    body(i);
}
// Without a label: as many operands, the last of which is null.
template <class Policy, class Body>
void parallel_for(const Policy &policy, const Body &body, std::enable_if_t<sizeof(Body) != 0> * = nullptr) {
  Kokkos::parallel_for("", policy, body);
}
namespace Impl {
template <class Result> struct Values {
  typedef Result Type;
  static void init(const Result &, Type &v) { v = 0; }
  static Result *at(Result &r) { return &r; }
  static void put(const Result &, Result *to, const Type &v) { *to = v; }
};
template <class T, class Space> struct Values<const Max<T, Space>> {
  typedef T Type;
  static void init(const Max<T, Space> &r, T &v) { r.init(v); }
  static View<T, Space> at(const Max<T, Space> &r) { return r.view(); }
  static void put(const Max<T, Space> &r, const View<T, Space> &to, const T &v) {
    r.init(*to.data());
    r.join(*to.data(), v);
  }
};
template <class Policy, class Body, class Result> struct ParallelReduceAdaptor {
  static void execute_impl(const std::string &, const Policy &policy, const Body &body,
                           Result &result) {
    start();
    typename Values<Result>::Type v;
    Values<Result>::init(result, v);
    for (long i = policy.begin(); i < policy.end(); ++i)
      body(i, v);
    Values<Result>::put(result, Values<Result>::at(result), v);
  }
};
} // namespace Impl
template <class Policy, class Body, class Result>
void parallel_reduce(const std::string &label, const Policy &p, const Body &body, Result &result) {
  Impl::ParallelReduceAdaptor<Policy, Body, Result>::execute_impl(label, p, body, result);
}
template <class Policy, class Body, class Enable = void>
void parallel_scan(const std::string &, const Policy &policy, const Body &body) {
  start();
  double sum = 0;
  for (long i = policy.begin(); i < policy.end(); ++i)
    body(i, sum, true);
}
template <class Policy, class Body>
void parallel_scan(const Policy &policy, const Body &body, std::enable_if_t<sizeof(Body) != 0> * = nullptr) {
  Kokkos::parallel_scan("", policy, body);
}
} // namespace Kokkos
typedef Kokkos::RangePolicy<Kokkos::Host> Range;

static double loops(const double *x, int n) {
  std::vector<double> y(n), z(n);
  double scale = x[0] * x[1];
  Kokkos::parallel_for("fill", Range(0, n), [&](int i) { y[i] = x[i] * sin(scale * x[i]); });
  Kokkos::parallel_for("shift", Range(1, n), [&](long i) { z[i] = y[i - 1] * y[i] + x[i]; });
  Kokkos::parallel_for("none", Range(3, 3), [&](int i) { z[i] = 0; });
  double s = 0;
  for (double v : z)
    s += v * v;
  return s;
}
static double sums(const double *x, int n) {
  double s = 7, t = 8, none = 9;
  long many = 0;
  Kokkos::parallel_reduce("squares", Range(0, n), [=](int i, double &v) { v += x[i] * x[i]; }, s);
  Kokkos::parallel_reduce("products", Range(1, n), [=](int i, double &v) { v += s * x[i] * x[i - 1]; }, t);
  Kokkos::parallel_reduce("count", Range(0, n), [=](int i, long &v) { v += x[i] > 0; }, many);
  Kokkos::parallel_reduce("none", Range(2, 2), [=](int i, double &v) { v += x[i]; }, none);
  return s * t + many * x[2] + none;
}
static double maxima(const double *x, int n) {
  double m = 0;
  const Kokkos::Max<double, Kokkos::Host> most(m);
  Kokkos::parallel_reduce("max", Range(0, n), [=](int i, double &v) {
    double w = x[i] * x[i] * (1 + i % 5);
    if (w > v)
      v = w;
  }, most);
  return m * m;
}
static double scans(const double *x, int n) {
  std::vector<double> upTo(n), before(n);
  Kokkos::parallel_scan("inclusive", Range(0, n), [&](int i, double &sum, bool last) {
    sum += x[i] * x[i];
    if (last)
      upTo[i] = sum;
  });
  Kokkos::parallel_scan("exclusive", Range(0, n), [&](int i, double &sum, bool last) {
    if (last)
      before[i] = sum * x[i];
    sum += upTo[i];
  });
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += before[i] * upTo[n - 1 - i] * (1 + i % 3);
  return s;
}
static double unlabelled(const double *x, int n) {
  std::vector<double> y(n), upTo(n);
  Kokkos::parallel_for(Range(0, n), [&](int i) { y[i] = x[i] * x[i]; });
  Kokkos::parallel_scan(Range(0, n), [&](int i, double &sum, bool last) {
    sum += y[i];
    if (last)
      upTo[i] = sum;
  });
  double s = 0;
  for (double v : upTo)
    s += v * v;
  return s;
}
int main() {
  POINT;
  CHECK(loops);
  CHECK(sums);
  CHECK(maxima);
  CHECK(scans);
  CHECK(unlabelled);
  return rgReport();
}
