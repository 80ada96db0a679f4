// Frames and records that hold nothing but frames are not made (lib/Polish/EmptyTapes.cpp): linear recursions, functions that call each
// other, chains, records of loops, calls of which some keep a number, lists of frames that are walked until they end, a frame that two ways
// lead to, functions called through pointers.
// RG-LEVELS: O0 O1 O2 O3
// RG-SWITCHES: empty-tapes late-frames args-again
#include "rgtest.h"
#include <math.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
#define APART __attribute__((noinline)) static
enum { N = 16 };

// Linear: no call keeps anything.
APART void butterflies(int n, int stride, const double *in, double *out) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  const int half = n / 2;
  butterflies(half, 2 * stride, in, out);
  butterflies(half, 2 * stride, in + stride, out + half);
  for (int k = 0; k < half; ++k) {
    double odd = out[k + half] * (0.5 + 0.1 * k);
    out[k + half] = out[k] - odd;
    out[k] += odd;
  }
}

// Two functions; of the ends one keeps a number.
APART double right(int n, const double *a, int keeps);
APART double left(int n, const double *a, int keeps) {
  if (n <= 0)
    return a[0];
  return 0.5 * a[n] + right(n - 1, a, keeps) + 0.25 * right(n - 2, a, keeps);
}
APART double right(int n, const double *a, int keeps) {
  if (n <= 0)
    return 2 * a[1];
  return left(n - 1, a, keeps) - 0.125 * a[n];
}
APART double square(double x) { return x * x; }
APART double deep(int n, const double *a) {
  if (n <= 0)
    return square(a[0]) * a[1];
  return deep(n - 1, a) + 0.5 * deep(n / 2, a);
}

// A chain, and a loop that calls it: its records hold frames.
APART void third(double *a, int i) { a[i] += 0.5 * a[i + 1]; }
APART void second(double *a, int i) {
  third(a, i);
  if (i & 1)
    third(a, i + 2);
}
APART void first(double *a, int i) {
  second(a, i);
  second(a, i + 1);
}
APART void walk(double *a, const int *next) {
  for (int i = 0; i >= 0; i = next[i])
    first(a, i);
}

// A way that keeps nothing, and one that does, to one callee.
APART double scaled(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * (i + 1);
  return s;
}
APART double product(const double *a, int n) {
  double s = scaled(a, n);
  return s * scaled(a + 1, n);
}
APART double either(const double *a, int way) { return way ? product(a, 5) : scaled(a, 7); }

// Called by its address, too.
APART void shift(int n, double *a) {
  if (n == 0)
    return;
  a[n] += 0.1 * a[n - 1];
  shift(n - 1, a);
}
static void (*volatile which)(int, double *) = shift;

static double all(const double *a, const int *next) {
  double out[N + 4] = {0}, own[N + 4];
  for (int i = 0; i < N + 4; ++i)
    own[i] = a[i % N];
  butterflies(N, 1, a, out);
  walk(own, next);
  which(3, own);
  shift(5, own);
  double s = left(6, a, 0) + right(5, a, 1) + deep(4, a) + either(a, next[0] & 1) + either(a + 2, 1) + either(a + 1, 0);
  for (int k = 0; k < N; ++k)
    s += out[k] * out[k] * (k + 1) * 0.1 + own[k] * sin(k);
  return s;
}

int main(void) {
  double a[N + 4], da[N + 4] = {0};
  int next[N];
  for (int k = 0; k < N + 4; ++k)
    a[k] = 0.3 + 0.5 * sin(k * 1.7);
  for (int k = 0; k < N; ++k)
    next[k] = k + 3 < N - 3 ? k + 3 : -1;
  __enzyme_autodiff((void *)all, enzyme_dup, a, da, enzyme_const, next);
  for (int k = 0; k < N; ++k) {
    double t[N + 4] = {0};
    t[k] = 1;
    RG_GRAD(da[k], all(a, next), a[k]);
    RG_NEAR(da[k], __enzyme_fwddiff((void *)all, enzyme_dup, a, t, enzyme_const, next));
  }
  return rgReport();
}
