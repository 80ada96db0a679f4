// Loops that choose one of the values that they compute: minima, maxima, nearest ones.
// RG-SWITCHES: chosen-iterations defer-loops recompute-phis skip-idle-loops outer-counts
#include "rgtest.h"
#include <math.h>

void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

enum { N = 11 };

static double least(const double *x, int n) {
  double best = x[0];
  for (int i = 1; i < n; ++i)
    if (sin(x[i]) < best)
      best = sin(x[i]);
  return best * best;
}

// Nothing may be chosen: what was there at first stays.
static double above(const double *x, int n) {
  double best = 10 * x[0];
  for (int i = 1; i < n; ++i)
    best = x[i] * x[i] > best ? x[i] * x[i] : best;
  return best;
}

static double keptOnTrue(const double *x, int n) {
  double best = x[0];
  for (int i = 1; i < n; ++i)
    best = best <= x[i] * x[i] ? best : x[i] * x[i];
  return exp(best);
}

// The nearest of several, for each of several.
static double nearest(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double near = 0;
    for (int j = 0; j < 4; ++j) {
      double d = 0;
      for (int k = 0; k < 3; ++k)
        d += (x[k] * i - x[3 + k] * j) * (x[k] * i - x[3 + k] * j);
      if (j == 0 || d < near)
        near = d;
    }
    sum += near;
  }
  return sum;
}

// The best so far is used in every iteration.
static double bestSoFar(const double *x, int n) {
  double best = x[0], sum = 0;
  for (int i = 1; i < n; ++i) {
    sum += best * x[i];
    if (x[i] < best)
      best = x[i];
  }
  return sum + best;
}

// ... and stored.
static double history(const double *x, int n) {
  double best = x[0], h[N], sum = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < best)
      best = x[i];
    h[i] = best * best;
  }
  for (int i = 0; i < n; ++i)
    sum += h[i] * x[i];
  return sum;
}

// The condition decides something else, too.
static double both(const double *x, int n) {
  double best = x[0], second = x[1];
  for (int i = 1; i < n; ++i) {
    int c = x[i] < best;
    second = c ? best : second;
    best = c ? x[i] : best;
  }
  return best * second;
}

// The last that fulfils a condition, not the best.
static double lastPositive(const double *x, int n) {
  double last = x[0];
  for (int i = 1; i < n; ++i)
    if (x[i] > 0.5)
      last = x[i] * x[i];
  return last;
}

// Chosen by a loop of unknown length.
static double untilNegative(const double *x) {
  double best = x[0];
  int i = 1;
  do {
    best = x[i] > best ? x[i] : best;
    ++i;
  } while (x[i] > -0.05 && i < N - 1);
  return best * best * best;
}

static double logSumExp(const double *x, int n) {
  double most = x[0], sum = 0;
  for (int i = 1; i < n; ++i)
    most = x[i] > most ? x[i] : most;
  for (int i = 0; i < n; ++i)
    sum += exp(x[i] - most);
  return most + log(sum);
}

static void checkAll(int n, double shift) {
  double x[N], d[N];
  for (int i = 0; i < N; ++i)
    x[i] = shift + 0.13 * (i * 5 % 11) - 0.4 * (i % 3);
#define CHECK(f)                                                                                   \
  do {                                                                                             \
    memset(d, 0, sizeof d);                                                                        \
    __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, n);                               \
    for (int i = 0; i < N; ++i)                                                                    \
      RG_GRAD(d[i], f(x, n), x[i]);                                                                \
  } while (0)
  CHECK(least);
  CHECK(above);
  CHECK(keptOnTrue);
  CHECK(nearest);
  CHECK(bestSoFar);
  CHECK(history);
  CHECK(both);
  CHECK(lastPositive);
  CHECK(logSumExp);
  memset(d, 0, sizeof d);
  __enzyme_autodiff((void *)untilNegative, enzyme_dup, x, d);
  for (int i = 0; i < N; ++i)
    RG_GRAD(d[i], untilNegative(x), x[i]);
}

int main(void) {
  checkAll(N, 0.3);
  checkAll(N, 1.7);
  checkAll(N, -1.1);
  checkAll(1, 0.31);
  checkAll(2, 0.32);
  return rgReport();
}
