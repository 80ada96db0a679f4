// C++: declared reductions, vectors, members, scattering by atomics, callees, work shared
// by a callee, copies of memory.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
#include "rgopenmp.h"
#include <algorithm>
#include <vector>
struct V2 { double x, y; V2 &operator+=(const V2 &o) { x += o.x; y += o.y; return *this; } };
#pragma omp declare reduction(vadd : V2 : omp_out += omp_in) initializer(omp_priv = V2{0, 0})
#pragma omp declare reduction(prod : V2 : omp_out = V2{omp_out.x * omp_in.x - omp_out.y * omp_in.y, omp_out.x * omp_in.y + omp_out.y * omp_in.x}) initializer(omp_priv = V2{1, 0})
static double declared(const double *x, int n) {
  V2 s{0, 0}, p{1, 0};
#pragma omp parallel for reduction(vadd : s) reduction(prod : p)
  for (int i = 0; i < n; ++i) {
    s += V2{x[i], x[i] * x[i]};
    V2 q{x[i], sin(x[i])};
    p = V2{p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x};
  }
  return s.x * s.y + p.x * 1e3 - p.y * 10;
}
static double vectors(const double *x, int n) {
  std::vector<double> y(n), z(n);
  std::vector<std::vector<double>> per(omp_get_max_threads());
#pragma omp parallel
  {
    std::vector<double> mine;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      y[i] = std::max(x[i], 0.5) * x[(i * 7) % n];
      mine.push_back(y[i] * y[i]);
    }
    per[omp_get_thread_num()] = mine;
  }
  double s = 0;
  for (auto &v : per)
    for (double d : v)
      s += d;
  return s;
}
struct Grid { int n; std::vector<double> u; double at(int i) const { return u[(i + n) % n]; } };
static double members(const double *x, int n) {
  Grid g{n, std::vector<double>(x, x + n)}, h = g;
  for (int t = 0; t < 3; ++t) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i)
      h.u[i] = g.at(i) + 0.1 * (g.at(i - 1) * g.at(i + 1) - g.at(i) * g.at(i));
    std::swap(g.u, h.u);
  }
  double s = 0;
  for (int i = 0; i < n; ++i) s += g.u[i] * g.u[i] * (i + 1);
  return s;
}
// indirect accumulation: elements to nodes by atomics, and gather
static double scatter(const double *x, int n) {
  std::vector<double> f(n, 0.0);
#pragma omp parallel for
  for (int e = 0; e < n - 2; ++e) {
    double k = x[e] * x[e + 1] - x[e + 2];
    for (int c = 0; c < 3; ++c) {
#pragma omp atomic
      f[e + c] += k * (c + 1);
    }
  }
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i) s += f[i] * f[i] * x[i];
  return s;
}
__attribute__((noinline)) static void kernel(const double *x, double *y, int i, int n) {
  double t[3] = {x[i], x[(i + 1) % n], x[(i + 2) % n]};
  for (int k = 0; k < 3; ++k) y[i] += t[k] * t[(k + 1) % 3];
}
static double helper(const double *x, int n) {
  std::vector<double> y(n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) kernel(x, y.data(), i, n);
  double s = 0;
  for (double v : y) s += v * v;
  return s;
}
static void orphan(const double *x, double *y, int n) {
#pragma omp for
  for (int i = 0; i < n; ++i) y[i] = x[i] * x[i];
}
// Nothing in it is active, and its reverse has to wait all the same.
__attribute__((noinline)) static void waits(int *count) {
#pragma omp atomic
  ++*count;
#pragma omp barrier
}
static double orphaned(const double *x, int n) {
  std::vector<double> y(n), z(n);
  int count = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    orphan(x, y.data(), n);
    for (int i = me; i < n; i += all) z[i] = y[i] * y[n - 1 - i];
    waits(&count);
    for (int i = me; i < n; i += all) y[i] = z[n - 1 - i] * z[i] + x[i];
  }
  double s = 0;
  for (int i = 0; i < n; ++i) s += y[i] * z[i];
  return s;
}
static double copies(const double *x, int n) {
  std::vector<double> y(4 * n);
#pragma omp parallel for
  for (int i = 0; i < 4; ++i) {
    double t[N];
    __builtin_memcpy(t, x, sizeof t);
    for (int k = 0; k < n; ++k) t[k] *= t[(k + i) % n];
    __builtin_memcpy(&y[i * n], t, sizeof t);
  }
  double s = 0;
  for (double v : y) s += v * v;
  return s;
}
int main(void) {
  POINT;
  CHECK(declared);
  CHECK(vectors);
  CHECK(members);
  CHECK(scatter);
  CHECK(helper);
  CHECK(orphaned);
  CHECK(copies);
  return rgReport();
}
