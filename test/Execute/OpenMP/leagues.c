// What clang lowers to routines of libomp that reach further than one region: variables that one
// thread hands to all (copyprivate), leagues of teams, iterations that wait for each other
// (ordered(n) with depend), regions that may be cancelled and are not.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
#include "rgopenmp.h"
struct point {
  double at[2];
  int which;
};
static double copies(const double *x, int n) {
  double s = 0, a, b[2];
  struct point p = {{0, 0}, 0};
#pragma omp parallel private(a, b) firstprivate(p) reduction(+ : s)
  {
#pragma omp single copyprivate(a, b, p)
    {
      a = x[0] * x[1];
      b[0] = x[2];
      b[1] = a * x[3];
      p.at[0] = sin(x[4]);
      p.at[1] = x[5];
      p.which = 1;
    }
#pragma omp for
    for (int i = 0; i < n; ++i)
      s += (a + b[i % 2]) * x[i] * p.at[p.which];
  }
  return s;
}
static double inALoop(const double *x, int n) {
  double s = 0;
#pragma omp parallel reduction(+ : s)
  for (int step = 0; step < 4; ++step) {
    double v;
    int from;
#pragma omp single copyprivate(v, from)
    {
      v = x[step] * x[step + 1];
      from = step;
    }
#pragma omp for schedule(dynamic)
    for (int i = from; i < n; ++i)
      s += v * v * x[i];
  }
  return s;
}
static void one(double *v, const double *x) {
  double mine;
#pragma omp single copyprivate(mine)
  mine = x[0] * x[0];
  *v += mine;
}
static double nested(const double *x, int n) {
  double s = 0;
#pragma omp parallel for num_threads(2) reduction(+ : s)
  for (int i = 0; i < 4; ++i) {
    double t = 0;
#pragma omp parallel num_threads(2) reduction(+ : t)
    {
      double v = x[i];
      one(&v, x + i);
#pragma omp for
      for (int j = 0; j < 5; ++j)
        t += v * x[j];
    }
    s += t * t;
  }
  return s;
}
static double leagues(const double *x, int n) {
  double y[N], s = 0, t = 0;
#pragma omp teams distribute parallel for
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[(i + 1) % n];
#pragma omp teams num_teams(2) reduction(+ : s)
#pragma omp distribute dist_schedule(static, 4)
  for (int i = 0; i < n; ++i)
    s += y[i] * y[i];
#pragma omp teams distribute parallel for simd reduction(+ : t) schedule(static, 3)
  for (int i = 1; i < n; ++i)
    t += y[i] * y[i - 1];
  return s * t;
}
static double waves(const double *x, int n) {
  double y[N], u[5][5];
  y[0] = x[0];
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = 1; i < n; ++i) {
    double v = sin(x[i]);
#pragma omp ordered depend(sink : i - 1)
    y[i] = y[i - 1] * v + x[i];
#pragma omp ordered depend(source)
  }
  for (int i = 0; i < 5; ++i)
    u[0][i] = x[i], u[i][0] = x[i + 5];
#pragma omp parallel for ordered(2) schedule(dynamic)
  for (int i = 1; i < 5; ++i)
    for (int j = 1; j < 5; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      u[i][j] = u[i - 1][j] * 0.5 + u[i][j - 1] * u[i - 1][j - 1] + x[j];
#pragma omp ordered depend(source)
    }
  return y[n - 1] * y[n / 2] + u[4][4] * u[4][3];
}
static double cancelled(const double *x, int n) {
  double s = 0;
#pragma omp parallel reduction(+ : s)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
#pragma omp cancel for if (x[i] < -1)
      s += x[i] * x[i];
#pragma omp cancellation point for
    }
#pragma omp cancel parallel if (x[0] < -1)
    s *= x[0];
  }
  return s;
}
int main(void) {
  POINT;
  CHECK(copies);
  CHECK(inALoop);
  CHECK(nested);
  CHECK(leagues);
  CHECK(waves);
  CHECK(cancelled);
  return rgReport();
}
