// Reductions of all operators, critical, ordered, atomic, single, master, sections,
// reductions by hand, clauses, schedules, collapse, nested regions.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
#include "rgopenmp.h"
static double reduceAll(const double *x, int n) {
  double s = 0, p = 1, lo = 1e9, hi = -1e9, m = 3;
#pragma omp parallel for reduction(+ : s) reduction(* : p) reduction(min : lo) reduction(max : hi) reduction(- : m)
  for (int i = 0; i < n; ++i) {
    double v = x[i] * (1 + 0.1 * i);
    s += v * v;
    p *= v;
    lo = v < lo ? v : lo;
    hi = fmax(hi, v);
    m -= sin(v);
  }
  return s * p + lo * hi + m * m;
}
static double arrayReduction(const double *x, int n) {
  double bins[4] = {1, 2, 3, 4}, r = 0;
#pragma omp parallel for reduction(+ : bins[ : 4]) schedule(static, 2)
  for (int i = 0; i < n; ++i)
    bins[i % 4] += x[i] * x[i];
  for (int i = 0; i < 4; ++i)
    r += bins[i] * bins[(i + 1) % 4];
  return r;
}
static double critical(const double *x, int n) {
  double s = 1;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) {
    double v = sin(x[i]);
#pragma omp critical
    s *= v;
  }
  return s;
}
static double criticalNamed(const double *x, int n) {
  double s = 0, t = 0;
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for nowait
    for (int i = 0; i < n; ++i)
      mine += x[i] * x[i];
#pragma omp critical(a)
    s += mine;
#pragma omp critical(b)
    t = t + mine * 2;
  }
  return s * t;
}
static double ordered(const double *x, int n) {
  double s = 1;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < n; ++i) {
    double v = sin(x[i]) + 0.5;
#pragma omp ordered
    s = s * v + x[i];
  }
  return s;
}
static double atomics(const double *x, int n) {
  double s = 0, t = 5;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    s += x[i] * x[i];
#pragma omp atomic update
    t -= x[i] * 3;
  }
  return s * t;
}
static double singles(const double *x, int n) {
  double a = 0, b = 0, *y = malloc(n * sizeof *y), s = 0;
#pragma omp parallel
  {
#pragma omp single
    a = x[0] * x[1];
#pragma omp master
    b = x[2] * x[3];
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i)
      y[i] = x[i] * a * b;
#pragma omp single nowait
    s = y[0] * y[n - 1];
  }
  for (int i = 0; i < n; ++i)
    s += y[i] * y[i];
  free(y);
  return s;
}
static double sections(const double *x, int n) {
  double a = 0, b = 0, c = 0;
#pragma omp parallel sections
  {
#pragma omp section
    for (int i = 0; i < n; ++i)
      a += x[i] * x[i];
#pragma omp section
    b = x[0] * sin(x[1]);
#pragma omp section
    c = x[2] * x[2] * x[2];
  }
  return a * b + c;
}
static double byHand(const double *x, int n) {
  double *part = calloc(omp_get_max_threads(), sizeof *part), s = 0;
#pragma omp parallel
  {
    double lo = 1e10;
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = me; i < n; i += all) {
      double v = x[i] * x[i] + i * 0.01;
      if (v < lo)
        lo = v;
    }
    part[me] = lo;
  }
  s = part[0];
  for (int i = 1; i < omp_get_max_threads(); ++i)
    if (part[i] < s && part[i] != 0)
      s = part[i];
  free(part);
  return s * s;
}
static double clauses(const double *x, int n) {
  double s = 0, last = 0;
  double start = x[0];
#pragma omp parallel for num_threads(3) if (n > 5) reduction(+ : s) lastprivate(last) firstprivate(start) schedule(guided)
  for (int i = 0; i < n; ++i) {
    last = x[i] * start;
    s += last * x[i];
  }
#pragma omp parallel for if (n > 500) reduction(+ : s)
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i] * x[i];
  return s * last;
}
static double schedules(const double *x, int n) {
  double s = 0;
#pragma omp parallel for schedule(static, 3) reduction(+ : s)
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i] * i;
#pragma omp parallel for schedule(runtime) reduction(+ : s)
  for (int i = n - 1; i >= 0; --i)
    s += x[i] * sin(x[i]);
#pragma omp parallel for schedule(auto) reduction(+ : s)
  for (long i = 0; i < n; i += 2)
    s += x[i] * x[n - 1 - i];
#pragma omp parallel for schedule(dynamic, 2) reduction(+ : s)
  for (unsigned i = 0; i < (unsigned)n; ++i)
    s += exp(-x[i]) * i;
  return s;
}
static double collapsed(const double *x, int n) {
  double m[5][4], s = 0;
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j)
      m[i][j] = x[i + j] * x[j];
#pragma omp parallel for simd reduction(+ : s)
  for (int i = 0; i < 20; ++i)
    s += m[i / 4][i % 4] * m[i % 5][i % 4];
  return s + n;
}
static double nested(const double *x, int n) {
  double s = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel for reduction(+ : s) num_threads(2)
  for (int i = 0; i < 4; ++i) {
    double t = 0;
#pragma omp parallel for reduction(+ : t) num_threads(2)
    for (int j = 0; j < n; ++j)
      t += x[j] * x[i];
    s += t * t;
  }
  omp_set_max_active_levels(1);
  return s;
}
int main(void) {
  POINT;
  CHECK(reduceAll);
  CHECK(arrayReduction);
  CHECK(critical);
  CHECK(criticalNamed);
  CHECK(ordered);
  CHECK(atomics);
  CHECK(singles);
  CHECK(sections);
  CHECK(byHand);
  CHECK(clauses);
  CHECK(schedules);
  CHECK(collapsed);
  CHECK(nested);
  return rgReport();
}
