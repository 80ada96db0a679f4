// What a called function has stored where it stays need not be on the tape: the reverse sweep reads it there (Recipes::heldBy). Records in strides, backwards, in parts, overwritten by other stores of the row, by a
// later loop, by the caller, under a condition, at places that are computed, where the store does not always run.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#define APART __attribute__((noinline)) static
enum { N = 7 };
static void numbers(double *a, int n, double x) {
  for (int i = 0; i < n; ++i)
    a[i] = x * (i + 1) * 0.1 + sin(x * i);
}
static double sum(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * (0.3 + 0.1 * i);
  return s;
}

// The result of exp is in `own`, and nowhere else.
APART double stays(const double *a) {
  double *own = malloc(N * sizeof *own), s = 0;
  for (int i = 0; i < N; ++i)
    own[i] = exp(a[i]);
  for (int i = 0; i < N; ++i)
    s += own[i] * own[N - 1 - i];
  free(own);
  return s;
}
// Records of three, filled by three stores.
APART double records(double *a) {
  double *own = malloc(3 * N * sizeof *own), s = 0;
  for (int i = 0; i < N; ++i) {
    own[3 * i + 2] = exp(a[i] * 0.3);
    own[3 * i] = sqrt(a[i] + 3);
    own[3 * i + 1] = sin(a[i]) * own[3 * i];
    a[i] = own[3 * i + 1] * own[3 * i + 2];
  }
  for (int i = 0; i < 3 * N; ++i)
    s += own[i] * own[i];
  free(own);
  return s;
}
// Downwards, and a store that comes to the same place two iterations later.
APART double catchesUp(const double *a) {
  double *own = malloc((N + 4) * sizeof *own), s = 0;
  memset(own, 0, (N + 4) * sizeof *own);
  for (int i = N - 1; i >= 0; --i) {
    own[i] = exp(a[i] * 0.2);
    own[i + 2] = sqrt(own[i + 2] + own[i] + 2);
  }
  for (int i = 0; i < N; ++i) {
    own[i] = exp(own[i] * 0.1);
    own[i + 1] = sqrt(own[i] + 1);
  }
  for (int i = 0; i < N + 2; ++i)
    s += own[i] * own[i];
  free(own);
  return s;
}
// Overwritten behind the loop, in part.
APART double later(const double *a) {
  double *own = malloc(N * sizeof *own), s = 0;
  for (int i = 0; i < N; ++i)
    own[i] = exp(a[i] * 0.4);
  for (int i = 0; i < N; ++i)
    s += own[i] * own[i];
  own[2] = s * s * 0.01;
  for (int i = 0; i < N; ++i)
    s += own[i] * own[i];
  free(own);
  return s;
}
// To memory of the caller, which overwrites it or does not.
APART void fill(double *to, const double *a) {
  for (int i = 0; i < N; ++i)
    to[i] = exp(a[i] * 0.2);
}
static double callerLeaves(double x) {
  double a[N], b[N];
  numbers(a, N, x);
  fill(b, a);
  return sum(b, N);
}
static double callerOverwrites(double x) {
  double a[N], b[N], r = 0;
  numbers(a, N, x);
  for (int k = 0; k < 3; ++k) {
    fill(b, a);
    r += sum(b, N);
    memcpy(a, b, sizeof a);
  }
  b[0] = r * r * 0.01;
  return r + b[0];
}
// In itself.
static double inPlace(double x) {
  double a[N];
  numbers(a, N, x);
  for (int k = 0; k < 3; ++k)
    fill(a, a);
  return sum(a, N);
}
// The store runs on one way only; what is stored is used on both.
APART double sometimes(const double *a, double limit) {
  double *own = malloc(N * sizeof *own), s = 0;
  for (int i = 0; i < N; ++i) {
    double e = exp(a[i] * 0.3);
    own[i] = a[i];
    if (e < limit)
      own[i] = e;
    s += e * e + own[i] * e;
  }
  for (int i = 0; i < N; ++i)
    s += own[i] * own[i];
  free(own);
  return s;
}
// At places that numbers tell, and twice at one.
APART double scattered(const double *a) {
  double *own = malloc(N * sizeof *own), s = 0;
  memset(own, 0, N * sizeof *own);
  for (int i = 0; i < N; ++i) {
    double e = exp(a[i] * 0.3);
    own[(int)(e * 5) % N] = e;
    s += e * own[i];
  }
  for (int i = 0; i < N; ++i)
    s += own[i] * own[i];
  free(own);
  return s;
}
// Rows of an outer loop, which later rows overwrite in part.
APART double rows(const double *a) {
  double *own = malloc((3 * N) * sizeof *own), s = 0;
  memset(own, 0, 3 * N * sizeof *own);
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < N; ++i)
      own[j * (N - 2) + i] = exp(a[i] * 0.1 * (j + 1)) + own[j * (N - 2) + i] * 0.1;
    for (int i = 0; i < N; ++i)
      s += own[j * (N - 2) + i] * own[j * (N - 2) + i];
  }
  free(own);
  return s;
}
// Each run writes another block, freed by the caller.
APART double *made(const double *a) {
  double *own = malloc(N * sizeof *own);
  fill(own, a);
  for (int i = 0; i < N; ++i)
    own[i] = sqrt(own[i] + a[i] + 2);
  return own;
}
static double allocated(double x) {
  double a[N], r = 0;
  numbers(a, N, x);
  for (int k = 0; k < 3; ++k) {
    double *b = made(a);
    for (int i = 0; i < N; ++i)
      a[i] = sin(b[i] * a[i]), b[i] = a[i] * a[i];
    r += sum(a, N) + b[k];
    free(b);
  }
  return r;
}
APART float singles(const double *a) {
  float *own = malloc(N * sizeof *own), s = 0;
  for (int i = 0; i < N; ++i)
    own[i] = expf(a[i] * 0.2f);
  for (int i = 0; i < N; ++i)
    s += own[i] * own[N - 1 - i];
  free(own);
  return s;
}

#define WHOLE(name, CALL) static double name(double x) { double a[N], r = 0; numbers(a, N, x); for (int k = 0; k < 3; ++k) { r += CALL; for (int i = 0; i < N; ++i) a[i] = sin(a[i] + r * 0.01); } return r; }
WHOLE(wholeStays, stays(a))
WHOLE(wholeRecords, records(a))
WHOLE(wholeCatchesUp, catchesUp(a))
WHOLE(wholeLater, later(a))
WHOLE(wholeSometimes, sometimes(a, 1.05))
WHOLE(wholeScattered, scattered(a))
WHOLE(wholeRows, rows(a))
WHOLE(wholeSingles, singles(a))

int main(void) {
  RG_UNARY(wholeStays, 0.7);
  RG_UNARY(wholeRecords, 0.7);
  RG_UNARY(wholeCatchesUp, 0.7);
  RG_UNARY(wholeLater, 0.7);
  RG_UNARY(wholeSometimes, 0.7);
  RG_UNARY(wholeScattered, 0.7);
  RG_UNARY(wholeRows, 0.7);
  double reverse = __enzyme_autodiff((void *)wholeSingles, 0.7), forward = __enzyme_fwddiff((void *)wholeSingles, 0.7, 1.0);
  RG_TRUE(fabs(reverse - forward) < 1e-4 * fabs(forward));
  RG_UNARY(callerLeaves, 0.7);
  RG_UNARY(callerOverwrites, 0.7);
  RG_UNARY(inPlace, 0.7);
  RG_UNARY(allocated, 0.7);
  return rgReport();
}
