// Loops that may run in the reverse sweep, and loops that look like them and may not.
// RG-SWITCHES: all
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>

void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

enum { N = 7, M = 5 };

// All of an iteration's memory is written before it is read: deferred.
static double covered(const double *x, int n, int m) {
  double *t = malloc(m * sizeof *t), sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j)
      t[j] = sin(x[i] * (j + 1));
    for (int j = 0; j < m; ++j)
      for (int k = j + 1; k < m; ++k)
        t[k] += t[j] * x[j];
    double s = 0;
    for (int j = 0; j < m; ++j)
      s += t[j] * t[j];
    sum += exp(-s);
  }
  free(t);
  return sum;
}

// The last place is what the iteration before left there.
static double carried(const double *x, int n, int m) {
  double *t = calloc(m, sizeof *t), sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m - 1; ++j)
      t[j] = sin(x[i] * (j + 1)) + 0.5 * t[j + 1];
    double s = 0;
    for (int j = 0; j < m; ++j)
      s += t[j] * t[j];
    t[m - 1] = sin(x[i] * s);
    sum += s * x[i];
  }
  free(t);
  return sum;
}

// Read one place before and one behind what was written.
static double beside(const double *x, int n, int m) {
  double *t = calloc(m + 2, sizeof *t), sum = 0;
  t[0] = 0.3, t[m + 1] = 0.7;
  for (int i = 0; i < n; ++i) {
    for (int j = 1; j <= m; ++j)
      t[j] = sin(x[i] * j);
    for (int j = 0; j < m; ++j)
      sum += t[j] * t[j + 2] * x[i];
    t[0] = sin(sum);
  }
  free(t);
  return sum;
}

// Written once, each place by an iteration of its own, and read by the next one.
static double chain(const double *x, int n) {
  double t[N + 1], sum = 0;
  t[0] = x[0];
  for (int i = 1; i < n; ++i) {
    t[i] = sin(x[i]) * x[i - 1];
    sum += t[i] * t[i] * t[i - 1];
  }
  return sum;
}

// Written only in some iterations.
static double sometimes(const double *x, int n) {
  double t[2] = {0.5, 0.25}, sum = 0;
  for (int i = 0; i < n; ++i) {
    if (i % 3 == 1)
      t[i % 2] = x[i] * x[i];
    sum += t[0] * sin(x[i]) * t[1];
  }
  return sum;
}

// What the loop wrote is read behind it.
static double later(const double *x, int n, int m) {
  double *t = malloc(m * sizeof *t), sum = 0;
  for (int j = 0; j < m; ++j)
    t[j] = 1;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j)
      t[j] = sin(x[i] * (j + 1));
    for (int j = 0; j < m; ++j)
      sum += t[j] * t[j];
  }
  for (int j = 0; j < m; ++j)
    sum += t[j] * t[j] * t[j];
  free(t);
  return sum;
}

// The sum itself is needed: its square root has it in its derivative.
static double norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double s = sin(x[i]);
    sum += s * s * exp(x[i]);
  }
  return sqrt(sum);
}

// A factor that is carried on decides what an iteration computes.
static double decay(const double *x, int n) {
  double sum = 0, w = 1;
  unsigned r = 1;
  for (int i = 0; i < n; ++i) {
    r = r * 1103515245u + 12345u;
    sum += w * exp(sin(x[i]) * (r >> 16 & 3));
    w = w * 0.9 + 0.01 * i;
  }
  return sum;
}

// Two sums; one of them goes into the other's terms.
static double twoSums(const double *x, int n) {
  double a = 0, b = 0;
  for (int i = 0; i < n; ++i) {
    a += sin(x[i]);
    b += exp(x[i] * a);
  }
  return b;
}

// The input is written over behind the loop.
static double spoiled(double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += exp(sin(x[i]));
  for (int i = 0; i < n; ++i)
    x[i] = sin(sum) * x[i];
  double all = 0;
  for (int i = 0; i < n; ++i)
    all += x[i] * x[i];
  return all;
}
static double spoiledAt(const double *x, int n) {
  double y[N];
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
  return spoiled(y, n);
}

// A result beside the sum.
static double gathers(const double *x, double *out, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double e = exp(sin(x[i]));
    out[i] = e * e;
    sum += e * x[i];
  }
  return sum;
}

// Storage of an iteration's own size, in arrays and in linked records.
static double triangle(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double s = 1;
    for (int j = 0; j < i; ++j)
      s += sin(s * x[j]);
    for (double t = s; t > 0.4 + x[i]; t *= 0.5 + 0.1 * x[0] * x[0])
      s += t * t * x[i];
    sum += exp(-s * s);
  }
  return sum;
}

// A pointer that walks, counts from nothing upwards.
static double walks(const double *x, int n, int m) {
  double sum = 0;
  const double *p = x;
  for (int i = 0; i < n; ++i, p += m) {
    double s = 0;
    for (int j = 0; j < m; ++j)
      s += sin(p[j]);
    sum += exp(s) * s;
  }
  return sum;
}

// Differentiated again, by forward and by reverse mode.
static double firstSlope(const double *x, int n, int m) {
  double d[N * M] = {0};
  __enzyme_autodiff((void *)covered, enzyme_dup, x, d, enzyme_const, n, enzyme_const, m);
  return d[0];
}
static void secondOrder(double *x, int n, int m) {
  double h[N * M] = {0}, v[N * M] = {0};
  __enzyme_autodiff((void *)firstSlope, enzyme_dup, x, h, enzyme_const, n, enzyme_const, m);
  for (int i = 0; i < N; ++i) {
    RG_GRAD(h[i], firstSlope(x, n, m), x[i]);
    v[i] = 1;
    RG_NEAR(__enzyme_fwddiff((void *)firstSlope, enzyme_dup, x, v, enzyme_const, n, enzyme_const, m), h[i]);
    v[i] = 0;
  }
}

static void checkAll(int n, int m) {
  double x[N * M], d[N * M], out[N], dout[N];
  for (int i = 0; i < N * M; ++i)
    x[i] = 0.2 + 0.11 * (i * 7 % 9) - 0.3 * (i % 2);
#define CHECK(Call, ...)                                                                           \
  do {                                                                                             \
    memset(d, 0, sizeof d);                                                                        \
    __enzyme_autodiff(__VA_ARGS__);                                                                \
    for (int i = 0; i < N * M; i += i < N ? 1 : 5)                                                 \
      RG_GRAD(d[i], Call, x[i]);                                                                   \
  } while (0)
#define OF(f, ...) (void *)f, enzyme_dup, x, d, enzyme_const, __VA_ARGS__
  CHECK(covered(x, n, m), OF(covered, n, enzyme_const, m));
  CHECK(carried(x, n, m), OF(carried, n, enzyme_const, m));
  CHECK(beside(x, n, m), OF(beside, n, enzyme_const, m));
  CHECK(chain(x, n), OF(chain, n));
  CHECK(sometimes(x, n), OF(sometimes, n));
  CHECK(later(x, n, m), OF(later, n, enzyme_const, m));
  if (n)
    CHECK(norm(x, n), OF(norm, n));
  CHECK(decay(x, n), OF(decay, n));
  CHECK(twoSums(x, n), OF(twoSums, n));
  CHECK(spoiledAt(x, n), OF(spoiledAt, n));
  CHECK(triangle(x, n), OF(triangle, n));
  CHECK(walks(x, n, m), OF(walks, n, enzyme_const, m));
  memset(d, 0, sizeof d);
  for (int i = 0; i < N; ++i)
    dout[i] = 0.5 + i, out[i] = -1;
  double seeds[N];
  memcpy(seeds, dout, sizeof seeds);
  __enzyme_autodiff((void *)gathers, enzyme_dup, x, d, enzyme_dup, out, dout, enzyme_const, n);
  for (int i = 0; i < N; ++i) {
    double e = exp(sin(x[i]));
    RG_NEAR(out[i], i < n ? e * e : -1);
    RG_NEAR(d[i], i < n ? e + e * cos(x[i]) * x[i] + seeds[i] * 2 * e * e * cos(x[i]) : 0);
  }
}

int main(void) {
  checkAll(N, M);
  checkAll(N, 1);
  checkAll(1, M);
  checkAll(0, M);
  checkAll(2, 2);
  double x[N * M];
  for (int i = 0; i < N * M; ++i)
    x[i] = 0.3 + 0.07 * (i * 5 % 8);
  secondOrder(x, N, 3);
  return rgReport();
}
