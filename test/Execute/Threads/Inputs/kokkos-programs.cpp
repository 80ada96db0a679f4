// Behind the library, which has names of its own for what is N here.
#include "kokkos.h"
#include "rgthreads.h"
#include <malloc.h>

typedef Kokkos::RangePolicy<> Range;
typedef Kokkos::View<double> V;

// Arrays that the differentiated function makes, copies, lets grow and swaps.
static double arrays(const double *x, int n) {
  V y("y", n), z("z", n, true);
  Kokkos::parallel_for("fill", Range(0, n), [=](int i) { y(i) = x[i] * sin(x[i]); });
  Kokkos::deep_copy(z, y);
  Kokkos::parallel_for("square", Range(0, n), [=](int i) { y(i) *= z(n - 1 - i); });
  Kokkos::resize(y, 2 * n);
  for (int i = 0; i < n; ++i)
    y(n + i) = z(i);
  double s = y.label() == "y" ? 0 : 1e3;
  for (int i = 0; i < 2 * n; ++i)
    s += y(i) * y(i) * (1 + i % 3);
  return s;
}
static double steps(const double *x, int n) {
  V y("y", n), z("z", n);
  for (int i = 0; i < n; ++i)
    y(i) = x[i];
  for (int k = 0; k < 5; ++k) {
    V t("t", n);
    Kokkos::parallel_for("t", Range(0, n), [=](int i) { t(i) = 0.1 * sin(y((i + 1) % n)); });
    Kokkos::parallel_for("z", Range(0, n), [=](int i) { z(i) = y(i) + t(i); });
    V w = y;
    y = z;
    z = w;
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += y(i) * y(i);
  return s;
}

struct Fill {};
struct Scale {};
struct Sum {};
struct Work {
  const double *x;
  double *y;
  void operator()(Fill, int i) const { y[i] = x[i] * x[i]; }
  void operator()(const Scale &, int i) const { y[i] *= sin(y[i]); }
  void operator()(Sum, int i, double &v) const { v += y[i] * x[i]; }
  void operator()(int i) const { y[i] += x[i]; }
};
static double tags(const double *x, int n) {
  double y[N];
  Work w = {x, y};
  Kokkos::parallel_for("", Kokkos::RangePolicy<Fill>(0, n), w);
  Kokkos::parallel_for("", Kokkos::RangePolicy<Scale>(0, n), w);
  Kokkos::parallel_for("", Range(0, n), w);
  double s = 0;
  Kokkos::parallel_reduce("", Kokkos::RangePolicy<Sum>(0, n), w, s);
  return s * s;
}
// One after the other: the program may count on it.
static double serially(const double *x, int n) {
  double y[N];
  y[0] = x[0];
  Kokkos::parallel_for("", Kokkos::RangePolicy<Kokkos::Serial>(1, n),
                       [=, &y](int i) { y[i] = sin(y[i - 1] + x[i]); });
  return y[n - 1] * y[n / 2];
}

struct Tagged {
  const double *x;
  double *y;
  void operator()(Fill, long i, long j) const { y[i * 5 + j] = x[i * 5 + j] * x[j]; }
};
static double tiles(const double *x, int n) {
  double y[20], z[20], s = 0, m = 0;
  typedef Kokkos::MDRangePolicy<Kokkos::Rank<2>> Two;
  Kokkos::parallel_for("", Kokkos::MDRangePolicy<Kokkos::Rank<2>, Fill>({0, 0}, {4, 5}), Tagged{x, y});
  for (double &v : z)
    v = 0;
  Kokkos::parallel_for("", Two({1, 1}, {3, 4}), [=, &y, &z](int i, int j) {
    z[i * 5 + j] = y[i * 5 - 5 + j] * y[i * 5 + 5 + j] + sin(y[i * 5 + j - 1]) * y[i * 5 + j + 1];
  });
  Kokkos::parallel_reduce("", Two({0, 0}, {4, 5}), [=, &z](int i, int j, double &v) { v += z[i * 5 + j] * x[j]; }, s);
  Kokkos::Max<double, Kokkos::Host> most(m);
  Kokkos::parallel_reduce("", Two({0, 0}, {4, 5}), [=](int i, int j, double &v) {
    double w = x[i * 5 + j] * (1 + 0.01 * i);
    if (w > v)
      v = w;
  }, most);
  return s * m;
}

typedef Kokkos::TeamPolicy<>::member_type Member;
static double teams(const double *x, int n) {
  double y[20];
  Kokkos::parallel_for("", Kokkos::TeamPolicy<>(4, Kokkos::AUTO).set_scratch(5 * sizeof(double)),
                       [=, &y](const Member &t) {
                         double *own = t.team_scratch();
                         const int i = t.league_rank();
                         for (int j = t.team_rank(); j < 5; j += t.team_size())
                           own[j] = x[i * 5 + j] * x[j];
                         for (int j = t.team_rank(); j < 5; j += t.team_size())
                           y[i * 5 + j] = own[j] * own[(j + 1) % 5];
                       });
  double s = 0;
  Kokkos::parallel_reduce("", Kokkos::TeamPolicy<>(4, Kokkos::AUTO), [=, &y](const Member &t, double &v) {
    double p = 0;
    for (int j = 0; j < 5; ++j)
      p += y[t.league_rank() * 5 + j];
    v += p * p * (1 + t.league_size());
  }, s);
  return s;
}

struct Both {
  double sum = 0, squares = 0;
  Both &operator+=(const Both &o) {
    sum += o.sum;
    squares += o.squares;
    return *this;
  }
};
// A body that says how its values begin, are joined and end.
struct Own {
  const double *x;
  void operator()(int i, double &v) const { v = v > x[i] * x[i] ? v : x[i] * x[i]; }
  void init(double &v) const { v = -1; }
  void join(double &v, const double &w) const { v = v > w ? v : w; }
  void final(double &v) const { v *= v; }
};
static double values(const double *x, int n) {
  Both b;
  Kokkos::parallel_reduce("", Range(0, n), [=](int i, Both &v) {
    v.sum += x[i];
    v.squares += x[i] * x[i];
  }, b);
  double most = 0;
  Kokkos::parallel_reduce("", Range(0, n), Own{x}, most);
  double cubes = 0;
  V result(&cubes);
  Kokkos::parallel_reduce("", Range(0, n), [=](int i, double &v) { v += x[i] * x[i] * x[i]; }, result);
  return b.sum * b.squares * most + cubes * cubes;
}

// What a derivative allocates it gives back.
static double large(const double *x, int n) {
  V y("y", 100000), z("z", 100000, true);
  for (int i = 0; i < n; ++i)
    y(i) = x[i];
  Kokkos::deep_copy(z, y);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += z(i) * z(i);
  return s;
}
static double inUse() {
  struct mallinfo2 m = mallinfo2();
  return m.uordblks + m.hblkhd;
}

int main(int argc, char **argv) {
  Kokkos::set_threads(argc > 1 ? atoi(argv[1]) : 1);
  POINT;
  CHECK(arrays);
  CHECK(steps);
  CHECK(tags);
  CHECK(serially);
  CHECK(tiles);
  CHECK(teams);
  CHECK(values);
  CHECK(large);
  const double before = inUse();
  for (int k = 0; k < 20; ++k)
    CHECK(large);
  if (inUse() > before + 400000)
    rgCompare(__FILE__, __LINE__, "bytes in use", inUse(), before, 0);
  if (Kokkos::arrays())
    rgCompare(__FILE__, __LINE__, "arrays that nobody gave back", Kokkos::arrays(), 0, 0);
  return rgReport();
}
