// Loops that run in the reverse sweep although their results are asked for: these are
// stored and returned when it is over. And loops that look like them.
// RG-LEVELS: O0 O1 O2 O3 fast
// RG-SWITCHES: defer-loops args-again recompute-phis access-order disjoint-arguments
#include "rgtest.h"
#include <math.h>
#include <string.h>

struct Both {
  double value;
};
void __enzyme_autodiff(void *, ...);
struct Both __enzyme_autodiff_value(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const, enzyme_primal_return, enzyme_dupnoneed;

enum { N = 7, M = 9, R = 4 };

typedef void Function(const double *restrict x, int n, int m, double *restrict out);

// Sums within and around inner loops, by conditions, in two ways.
static void sums(const double *restrict x, int n, int m, double *restrict out) {
  double s = 0, t = 1, u = 2;
  for (int i = 0; i < n; ++i) {
    double q = 1;
    for (int k = 0; k < m; ++k) {
      q = q * sin(x[i] + k) + 0.1;
      s += 0.01 * q;
    }
    s += q * x[i];
    if (x[i] > 0.6)
      t += q;
    else
      u -= x[i] * x[i];
  }
  out[0] = s * 2 + 1;
  out[1] = t - s;
  out[2] = u;
}

// What is stored depends on the way there, also past the loop.
static void ways(const double *restrict x, int n, int m, double *restrict out) {
  double s = x[0];
  if (n > 2) {
    for (int i = 1; i < n; ++i) {
      double p = 1;
      for (int k = 0; k < m; ++k)
        p *= cos(x[i] * k);
      s += p;
    }
    out[3] = s;
    if (m & 1)
      out[0] = 3 * s;
  } else {
    s = 2 * x[0];
  }
  out[1] = s;
}

// Two loops; the second begins with the first one's sum.
static void chain(const double *restrict x, int n, int m, double *restrict out) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double p = 1;
    for (int k = 0; k < m; ++k)
      p = p * x[i] + cos(p);
    s += p;
  }
  out[0] = s;
  for (int i = 0; i < n; ++i) {
    double p = 1;
    for (int k = 0; k < m; ++k)
      p = p * 0.5 + sin(p * x[i]);
    s -= p;
  }
  out[1] = s;
}

// Not a sum: the last iteration counts most.
static void horner(const double *restrict x, int n, int m, double *restrict out) {
  double s = 1;
  for (int i = 0; i < n; ++i) {
    double p = 1;
    for (int k = 0; k < m; ++k)
      p = sin(p * x[i]) + 0.5;
    s = 0.5 * s + p;
  }
  out[0] = s;
}

// A sum that is a factor of the next one.
static void factor(const double *restrict x, int n, int m, double *restrict out) {
  double s = 0, t = 0;
  for (int i = 0; i < n; ++i) {
    double p = 1;
    for (int k = 0; k < m; ++k)
      p = sin(p * x[i]) + 0.5;
    s += p;
    t += s * x[i];
  }
  out[0] = s;
  out[1] = t;
}

// Besides a sum, what the last iteration made.
static void last(const double *restrict x, int n, int m, double *restrict out) {
  double s = 0, p = 0;
  for (int i = 0; i < n; ++i) {
    p = 1;
    for (int k = 0; k < m; ++k)
      p = sin(p * x[i]) + 0.5;
    s += p;
  }
  out[0] = s;
  out[1] = p;
}

// The result is looked at again, changed, and hidden behind a later store.
static void lookedAt(const double *restrict x, int n, int m, double *restrict out) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double p = 1;
    for (int k = 0; k < m; ++k)
      p = sin(p * x[i]) + 0.5;
    s += p;
  }
  out[0] = s;
  out[m & 3] = 4;
  out[1] += out[0] * x[1];
  out[0] = s + x[0];
}

// The sum again as a doubled one: s + s.
static void doubled(const double *restrict x, int n, int m, double *restrict out) {
  double s = 1e-3, t = 1e-3;
  for (int i = 0; i < n; ++i) {
    double p = 1;
    for (int k = 0; k < m; ++k)
      p = sin(p * x[i]) + 0.5;
    s = s + s;
    t = (x[i] > 0.5 ? t + p : t - p) + t;
  }
  out[0] = s;
  out[1] = t;
}

static double value(const double *x, int n, int m) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double p = 1;
    for (int k = 0; k < m; ++k)
      p = sin(p * x[i]) + 0.5;
    s += p;
  }
  return 3 * s + 1;
}

static void check(Function *f, void (*reverse)(const double *, double *, int, int, double *, double *),
                  void (*forward)(const double *, const double *, int, int, double *, double *)) {
  for (int n = 0; n <= N; ++n)
    for (int m = 0; m <= M; m += 3) {
      double x[N], t[N], d[N] = {0}, out[R], want[R], dout[R] = {1, -0.5, 0.25, 2}, tout[R] = {0};
      double seed[R];
      memcpy(seed, dout, sizeof seed);
      for (int i = 0; i < N; ++i)
        x[i] = 0.17 + 0.13 * i, t[i] = 1 - 0.3 * i;
      for (int r = 0; r < R; ++r)
        out[r] = want[r] = r;
      f(x, n, m, want);
      reverse(x, d, n, m, out, dout);
      for (int r = 0; r < R; ++r)
        RG_NEAR(out[r], want[r]);
      for (int r = 0; r < R; ++r)
        out[r] = r;
      forward(x, t, n, m, out, tout);
      double ahead = 0, back = 0;
      for (int r = 0; r < R; ++r)
        ahead += seed[r] * tout[r];
      for (int i = 0; i < N; ++i)
        back += d[i] * t[i];
      RG_NEAR(back, ahead);
      for (int i = 0; i < N; ++i) {
        double h = 1e-5, at = x[i], above[R], below[R], slope = 0;
        for (int r = 0; r < R; ++r)
          above[r] = below[r] = r;
        x[i] = at + h;
        f(x, n, m, above);
        x[i] = at - h;
        f(x, n, m, below);
        x[i] = at;
        for (int r = 0; r < R; ++r)
          slope += seed[r] * (above[r] - below[r]) / (2 * h);
        RG_WITHIN(d[i], slope, 1e-6 * (1 + fabs(slope)));
      }
    }
}

#define CHECK(F)                                                                                   \
  static void F##Reverse(const double *x, double *d, int n, int m, double *out, double *dout) {    \
    __enzyme_autodiff((void *)F, enzyme_dup, x, d, n, m, enzyme_dup, out, dout);                   \
  }                                                                                                \
  static void F##Forward(const double *x, const double *t, int n, int m, double *out, double *to) {\
    __enzyme_fwddiff((void *)F, enzyme_dup, x, t, n, m, enzyme_dup, out, to);                      \
  }
CHECK(sums)
CHECK(ways)
CHECK(chain)
CHECK(horner)
CHECK(factor)
CHECK(last)
CHECK(lookedAt)
CHECK(doubled)

static void valueReverse(const double *x, double *d, int n, int m, double *y) {
  y[0] = __enzyme_autodiff_value((void *)value, enzyme_primal_return, enzyme_dup, x, d, n, m).value;
}

// Results that nobody needs are not stored, and nothing waits for them.
static void checkUnneeded(void) {
  for (int n = 0; n <= N; ++n) {
    double x[N], d[N] = {0}, e[N] = {0}, out[R] = {0}, dout[R] = {1, -0.5, 0.25}, again[R] = {1, -0.5, 0.25};
    for (int i = 0; i < N; ++i)
      x[i] = 0.17 + 0.13 * i;
    __enzyme_autodiff((void *)sums, enzyme_dup, x, d, n, 6, enzyme_dupnoneed, out, dout);
    sumsReverse(x, e, n, 6, out, again);
    for (int i = 0; i < N; ++i)
      RG_NEAR(d[i], e[i]);
  }
}

int main(void) {
  checkUnneeded();
  check(sums, sumsReverse, sumsForward);
  check(ways, waysReverse, waysForward);
  check(chain, chainReverse, chainForward);
  check(horner, hornerReverse, hornerForward);
  check(factor, factorReverse, factorForward);
  check(last, lastReverse, lastForward);
  check(lookedAt, lookedAtReverse, lookedAtForward);
  check(doubled, doubledReverse, doubledForward);

  for (int n = 0; n <= N; ++n) {
    double x[N], d[N] = {0}, y[1], h[N] = {0}, t[N], z[1] = {0}, d2[N] = {0};
    for (int i = 0; i < N; ++i)
      x[i] = 0.17 + 0.13 * i, t[i] = 1 - 0.3 * i;
    valueReverse(x, d, n, 6, y);
    RG_NEAR(y[0], value(x, n, 6));
    RG_GRADS(d, value(x, n, 6), x, N);
    // Forward over reverse: the value's tangent is the gradient's product.
    __enzyme_fwddiff((void *)valueReverse, enzyme_dup, x, t, enzyme_dup, d2, h, n, 6, enzyme_dup, y, z);
    double want = 0;
    for (int i = 0; i < N; ++i)
      want += d[i] * t[i];
    RG_NEAR(z[0], want);
    for (int i = 0; i < N; ++i) {
      double e = 1e-5, above[N], below[N], da[N] = {0}, db[N] = {0}, ignored;
      for (int j = 0; j < N; ++j)
        above[j] = x[j] + e * t[j], below[j] = x[j] - e * t[j];
      valueReverse(above, da, n, 6, &ignored);
      valueReverse(below, db, n, 6, &ignored);
      RG_WITHIN(h[i], (da[i] - db[i]) / (2 * e), 1e-5);
    }
  }
  return rgReport();
}
