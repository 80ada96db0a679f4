// Reductions over tasks: of a group, of a taskloop, several at once, of arrays, with products and
// minima, declared, of tasks that make tasks, of regions and shared loops with tasks.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 3 8
#include "rgopenmp.h"
static double group(const double *x, int n) {
  double s = x[0], p = 1;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : s) task_reduction(* : p)
    for (int i = 0; i < n; ++i) {
#pragma omp task in_reduction(+ : s) in_reduction(* : p) firstprivate(i)
      {
        s += x[i] * x[i];
        p *= 1 + 0.1 * x[i];
      }
    }
    s *= p;
  }
  return s;
}
static double loops(const double *x, int n) {
  double s = 0, low = 1e9, h[3] = {0};
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop reduction(+ : s) reduction(min : low) grainsize(4)
    for (int i = 0; i < n; ++i) {
      double v = x[i] * x[i];
      s += v * x[0];
      if (v < low)
        low = v;
    }
#pragma omp taskloop reduction(+ : h) num_tasks(5)
    for (int i = 0; i < n; ++i)
      h[i % 3] += sin(x[i]) * s;
  }
  return s * low + h[0] * h[1] + h[2];
}
struct pair {
  double sum, product;
};
#pragma omp declare reduction(both : struct pair : omp_out.sum += omp_in.sum, omp_out.product *= omp_in.product)      \
    initializer(omp_priv = {0, 1})
static double declared(const double *x, int n) {
  struct pair all = {x[0], 1};
#pragma omp parallel
#pragma omp masked
#pragma omp taskloop reduction(both : all)
  for (int i = 0; i < n; ++i) {
    all.sum += x[i] * x[i];
    all.product *= 1.5 + 0.25 * sin(x[i]);
  }
  return all.sum * all.product;
}
static double nested(const double *x, int n) {
  double s = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : s)
  for (int i = 0; i < n; i += 2) {
#pragma omp task in_reduction(+ : s)
    {
      s += cos(x[i]);
#pragma omp task in_reduction(+ : s) if (i % 4)
      s += x[i] * x[(i + 1) % n];
#pragma omp taskloop in_reduction(+ : s) num_tasks(2)
      for (int k = 0; k < 3; ++k)
        s += x[i] * exp(-k * x[(i + k) % n]);
    }
  }
  return s * s;
}
static double region(const double *x, int n) {
  double s = 1, p = 1;
#pragma omp parallel reduction(task, + : s)
  {
    s += 0.0;
#pragma omp single
    for (int i = 0; i < n; ++i)
#pragma omp task in_reduction(+ : s)
      s += x[i] * sin(x[i]);
  }
#pragma omp parallel
#pragma omp for reduction(task, * : p) schedule(dynamic)
  for (int i = 0; i < n; ++i) {
    p *= 1 + 0.125 * x[i];
#pragma omp task in_reduction(* : p)
    p *= 1 + 0.25 * x[i] * x[i];
  }
  return s * p;
}
// An array section, again and again.
static double sections(const double *x, int n) {
  double h[5] = {0}, s = 0;
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 3; ++k) {
#pragma omp taskgroup task_reduction(+ : h[0 : 5]) task_reduction(+ : s)
    {
      for (int i = k; i < n; i += 2)
#pragma omp task in_reduction(+ : h[0 : 5]) in_reduction(+ : s)
      {
        h[i % 5] += x[i] * x[i];
        s += x[i] * x[k];
      }
#pragma omp taskloop in_reduction(+ : s) collapse(2)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          s += x[i] * x[k + j];
    }
    s *= x[k];
    h[0] *= h[1];
  }
  return h[0] * s + h[2] * h[3] * h[4];
}
int main(void) {
  POINT;
  CHECK(group);
  CHECK(loops);
  CHECK(declared);
  CHECK(nested);
  CHECK(region);
  CHECK(sections);
  return rgReport();
}
