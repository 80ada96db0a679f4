// Recursions that split an array and go on with loops over it: how often loops ran and which way a call took follows from
// arguments that the reverse is given again, and calls that keep nothing have no frame. Ends, loops that do not run,
// several ways to one return, ways that take back what a count followed from, frames that some ways alone need.
// RG-LEVELS: O0 O1 O2 O3
// RG-SWITCHES: args-again late-frames
#include "rgtest.h"
#include <math.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
#define APART __attribute__((noinline)) static
enum { N = 16 };

// As a fast Fourier transform: ends, and a loop in which halves meet.
APART void butterflies(int n, int stride, const double *in, double *out) {
  if (n == 1) {
    out[0] = in[0] * in[0];
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

// What the loop multiplies is overwritten: arrays of the tape beside a count that follows from arguments.
APART void products(int n, int step, const double *in, double *out) {
  if (n <= 1) {
    out[0] = in[0];
    return;
  }
  products(n / 2, 2 * step, in, out);
  products(n - n / 2, 2 * step, in + step, out + n / 2);
  for (int k = 1; k < n; k += 2)
    out[k] = out[k] * out[k - 1] + 0.1 * k;
}

// Loops that do not run in some calls, of which the count is a difference.
APART void outwards(int from, int to, double *a) {
  if (from > N)
    return;
  for (int k = from; k < to; ++k)
    a[k] = a[k] * a[k] + 0.2;
  if (to < N)
    outwards(from + 3, to + 1, a);
}

// Four ways to one return, one of them decided by a number that comes from memory.
APART double choose(int n, int kind, const int *kinds, const double *a) {
  if (n == 0)
    return a[0];
  if (kind == 1)
    return a[n] * choose(n - 1, kinds[n], kinds, a);
  if (kind == 2) {
    double s = 0;
    for (int k = 0; k < n; ++k)
      s += a[k] * a[k + 1];
    return s + choose(n - 1, kinds[n], kinds, a);
  }
  return sin(a[n]) * choose(n - 1, kinds[n], kinds, a);
}

// The count changes after it was used.
APART void shrinking(int *count, int n, double *a) {
  if (n == 0)
    return;
  for (int k = 0; k < *count; ++k)
    a[k] *= a[k + 1];
  *count -= 1;
  shrinking(count, n - 1, a);
}

static double all(const double *a) {
  double out[N + 1] = {0}, more[N + 1] = {0}, own[N + 1];
  int kinds[N], count = N / 2;
  butterflies(N, 1, a, out);
  products(N - 3, 1, a, more);
  memcpy(own, a, sizeof own);
  outwards(1, 2, own);
  shrinking(&count, 5, own);
  for (int k = 0; k < N; ++k)
    kinds[k] = k * 7 % 4;
  double s = choose(9, 2, kinds, own);
  for (int k = 0; k < N; ++k)
    s += out[k] * (k + 1) * 0.1 + own[k] * own[k];
  for (int k = 0; k < N - 3; ++k)
    s += more[k] * cos(k);
  return s;
}

int main(void) {
  double a[N + 1], da[N + 1] = {0};
  for (int k = 0; k <= N; ++k)
    a[k] = 0.3 + 0.5 * sin(k * 1.7);
  __enzyme_autodiff((void *)all, enzyme_dup, a, da);
  for (int k = 0; k <= N; ++k) {
    double t[N + 1] = {0};
    t[k] = 1;
    RG_GRAD(da[k], all(a), a[k]);
    RG_NEAR(da[k], __enzyme_fwddiff((void *)all, enzyme_dup, a, t));
  }
  return rgReport();
}
