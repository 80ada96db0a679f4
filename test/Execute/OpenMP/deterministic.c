// -rg-deterministic: gradients of regions have the same bits in every run with as many threads.
// RG-FLAGS: -fopenmp -mllvm -rg-deterministic
// RG-THREADS: 1 2 3 8
#include "rgopenmp.h"
#include <string.h>
#include <unistd.h>
/* Threads come later or earlier than the last time. */
static unsigned seed;
__attribute__((noinline)) void dawdle(int i) {
  unsigned r = (seed + (unsigned)i * 2654435761u) >> 20;
  if (r % 3 == 0)
    usleep(r % 64);
}
/* The order of additions shows in a sum of numbers of all sizes. */
static double sized(double v, int i) { return v * pow(10, i * 5 % 7 - 3); }
static double reduces(const double *x, int n) {
  double s = 0, p = 1, least = 1e30;
  float t = 0;
#pragma omp parallel for reduction(+ : s, t) reduction(* : p) reduction(min : least)
  for (int i = 0; i < n; ++i) {
    dawdle(i);
    s += sized(sin(x[i]), i);
    t += (float)sized(x[i] * x[i], i % 4);
    p *= 1 + 0.1 * x[i];
    if (x[i] < least)
      least = x[i];
  }
  return log(s * s + 1) + p * (1 + 1e-7 * log(t + 2)) + least;
}
// Read by all while others write: no copies.
static double phases(const double *x, int n) {
  double v[N], w[N], r = 0;
  memcpy(v, x, sizeof v);
#pragma omp parallel
  for (int t = 0; t < 3; ++t) {
#pragma omp for
    for (int i = 0; i < n; ++i) {
      dawdle(i + t);
      w[i] = v[i] * v[(i + 1) % n] + 0.1 * v[(i * 7 + 3) % n] * v[0];
    }
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; ++i)
      v[i] = w[i] + sized(w[n - 1 - i], i % 3) + 0.2 * w[5];
  }
  for (int i = 0; i < n; ++i)
    r += v[i];
  return log(r * r + 1);
}
// Whoever is free takes the next chunk: not here. The first thread does what one thread does.
static double chunks(const double *x, int n) {
  double v[N], mid = 0, r = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < n; ++i) {
      dawdle(i);
      v[i] = x[i] * x[0] + sized(x[(i * 3) % n], i % 5);
    }
#pragma omp single
    for (int i = 0; i < n; ++i)
      mid += v[i] * x[n - 1 - i];
#pragma omp for schedule(guided) reduction(+ : r) nowait
    for (int i = 0; i < n; ++i)
      r += sized(v[i] / (1 + mid * mid + v[(i + 1) % n] * v[i]), i % 4);
#pragma omp for schedule(runtime) reduction(+ : r)
    for (int i = 0; i < n; ++i) {
      dawdle(i);
      r += sin(0.001 * v[i]) * x[1];
    }
  }
  return r;
}
// Pieces of memory that are moved; places that an array of indices tells; sections.
struct three {
  double a[3];
};
static double moves(const double *x, int n) {
  struct three all[N];
  int at[N];
  double r = 0, y[3];
  for (int i = 0; i < n; ++i)
    at[i] = i * i % n;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    dawdle(i);
    const double *from = x + (at[i] < n - 3 ? at[i] : n - 3);
    memcpy(all[i].a, from, 8 * (size_t)(1 + i % 3));
    all[i].a[0] *= sized(x[at[n - 1 - i]], i % 7);
  }
#pragma omp parallel sections
  {
#pragma omp section
    {
      dawdle(1);
      y[0] = x[0] * x[1] * x[2];
    }
#pragma omp section
    {
      dawdle(2);
      y[1] = x[1] / x[0] + x[2];
    }
#pragma omp section
    {
      dawdle(3);
      y[2] = sin(x[2] * x[0]);
    }
  }
  for (int i = 0; i < n; ++i)
    r += all[i].a[0];
  return log(r * r + 1) + y[0] * y[1] * y[2];
}
// Teams in teams, regions of one thread in regions, and reductions in both.
static double nested(const double *x, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s) num_threads(2)
  for (int k = 0; k < 4; ++k) {
    double t = 0, u = 0;
#pragma omp parallel for reduction(+ : t) num_threads(2)
    for (int i = 0; i < n; ++i) {
      dawdle(i + k);
      t += sized(x[i] * x[(i + k) % n], i % 6);
    }
#pragma omp parallel for reduction(+ : u) if (k % 2)
    for (int i = 0; i < n; ++i)
      u += x[i] * x[k];
    s += sized(log(t * t + 1), k) * u;
  }
  return s;
}
// Everybody reads one array, whose places are far apart for the few that are read.
static double far(const double *x, int n) {
  enum { WIDE = 200000 };
  double *big = (double *)calloc(WIDE, sizeof *big), r = 0;
  for (int i = 0; i < n; ++i)
    big[i * (WIDE / N)] = x[i];
#pragma omp parallel for reduction(+ : r)
  for (int i = 0; i < n; ++i) {
    dawdle(i);
    r += sized(big[(i * 5 % n) * (WIDE / N)] * big[(i * 3 % n) * (WIDE / N)] * big[0], i % 5);
  }
  free(big);
  return log(r * r + 1);
}
#define SAME(f)                                                                                    \
  do {                                                                                             \
    double first[N] = {0}, v[N], forward = 0;                                                      \
    for (int i = 0; i < N; ++i)                                                                    \
      v[i] = cos(i);                                                                               \
    for (int k = 0; k < 12; ++k) {                                                                 \
      double d[N] = {0};                                                                           \
      ++seed;                                                                                      \
      __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, N);                             \
      double t = __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, N);                   \
      if (!k)                                                                                      \
        memcpy(first, d, sizeof d), forward = t;                                                   \
      RG_TRUE(!memcmp(first, d, sizeof d));                                                        \
      RG_TRUE(!memcmp(&forward, &t, sizeof t));                                                    \
    }                                                                                              \
  } while (0)
int main(void) {
  omp_set_max_active_levels(2);
  POINT;
  CHECK(reduces);
  CHECK(phases);
  CHECK(chunks);
  CHECK(moves);
  CHECK(nested);
  CHECK(far);
  SAME(reduces);
  SAME(phases);
  SAME(chunks);
  SAME(moves);
  SAME(nested);
  SAME(far);
  return rgReport();
}
