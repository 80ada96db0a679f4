// Objects of static storage that helper functions make and refill, where none of them
// is inlined: static members, smart pointers, vectors, maps, an object on the heap.
// RG-LEVELS: O0 O1 O2
#include "rgtest.h"
#include <cmath>
#include <map>
#include <memory>
#include <vector>
extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#define HELPER __attribute__((noinline)) static
constexpr int N = 4;

struct Pool {
  static double *data;
  static int n;
  HELPER void init(int m) {
    n = m;
    data = new double[m];
  }
  HELPER void done() {
    delete[] data;
    data = nullptr;
  }
  HELPER void put(int i, double v) { data[i] = v * v; }
};
double *Pool::data;
int Pool::n;
static double onStaticMember(double *x) {
  Pool::init(N);
  for (int i = 0; i < N; ++i)
    Pool::put(i, x[i]);
  double s = 0;
  for (int i = 0; i < Pool::n; ++i)
    s += Pool::data[i] * x[N - 1 - i];
  Pool::done();
  return s;
}

static std::unique_ptr<double[]> owned;
HELPER void own(int n) { owned = std::make_unique<double[]>(n); }
HELPER void fill(const double *x, int n) {
  for (int i = 0; i < n; ++i)
    owned[i] = std::sin(x[i]);
}
static double onSmartPointer(double *x) {
  own(N);
  fill(x, N);
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += owned[i] * owned[i] * x[0];
  owned.reset();
  return s;
}

static std::vector<double> values;
HELPER void refill(const double *x, int n) {
  values.clear();
  values.shrink_to_fit();
  for (int i = 0; i < n; ++i)
    values.push_back(x[i] * x[i]);
}
HELPER void replace(const double *x, int n) { values = std::vector<double>(x, x + n); }
HELPER double reduce() {
  double s = 0;
  for (double v : values)
    s = s * 0.7 + v;
  return s;
}
static double onVector(double *x) {
  refill(x, N);
  return reduce() * x[1];
}
static double onReplaced(double *x) {
  replace(x, N);
  for (double &v : values)
    v *= v;
  return reduce() + values[0] * values[1];
}

static std::map<int, double> memo;
HELPER double recurrence(int i, const double *x) {
  auto it = memo.find(i);
  if (it != memo.end())
    return it->second;
  double v = i < 2 ? x[i] : recurrence(i - 1, x) * x[i % N] + recurrence(i - 2, x);
  memo[i] = v;
  return v;
}
static double onMap(double *x) {
  memo.clear();
  return recurrence(2 * N, x);
}

struct Solver {
  std::unique_ptr<double[]> a;
  std::vector<double> b;
  int n;
  __attribute__((noinline)) void init(int m) {
    n = m;
    a.reset(new double[m]);
    b.assign(m, 0.);
  }
  __attribute__((noinline)) void load(const double *x) {
    for (int i = 0; i < n; ++i)
      a[i] = x[i] * (i + 1);
  }
  __attribute__((noinline)) void sweep() {
    for (int i = 0; i < n; ++i)
      b[i] += 0.5 * (a[i] - b[i]) * a[(i + 1) % n];
  }
  double norm() const {
    double s = 0;
    for (double v : b)
      s += v * v;
    return s;
  }
};
static Solver *solver;
HELPER void create(int n) {
  solver = new Solver;
  solver->init(n);
}
HELPER void destroy() {
  delete solver;
  solver = nullptr;
}
static double onObject(double *x) {
  create(N);
  solver->load(x);
  for (int t = 0; t < 4; ++t)
    solver->sweep();
  double r = solver->norm();
  destroy();
  return r;
}

#define CHECK(F)                                                                           \
  do {                                                                                     \
    double x[N] = {0.3, 0.5, -0.7, 1.1}, d[N] = {0};                                       \
    __enzyme_autodiff((void *)F, enzyme_dup, x, d);                                        \
    for (int i = 0; i < N; ++i) {                                                          \
      double e[N] = {0};                                                                   \
      e[i] = 1;                                                                            \
      double byDifferences = RG_DIFF(F(x), x[i]);                                          \
      RG_WITHIN(d[i], byDifferences, 1e-7);                                                \
      RG_WITHIN(__enzyme_fwddiff((void *)F, enzyme_dup, x, e), byDifferences, 1e-7);       \
    }                                                                                      \
  } while (0)

int main() {
  CHECK(onStaticMember);
  CHECK(onSmartPointer);
  CHECK(onVector);
  CHECK(onReplaced);
  CHECK(onMap);
  CHECK(onObject);
  return rgReport();
}
