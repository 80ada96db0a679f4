// Elements that are read many times before they are overwritten are kept once, by their places (lib/Plan/Originals.cpp): forwards, backwards, in parts of an array,
// behind a condition, in loops that do not run, with neighbours.
// RG-LEVELS: O0 O2 O3
// RG-SWITCHES: nest-arrays vector-columns
#include "rgtest.h"
#include <math.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;
#define EACH(i, from, to) for (long i = (from); i < (to); i++)
#define ARRAYS long n, long m, double *a, double *b, double *c

static void triangular(ARRAYS) {
  EACH(i, 0, n) EACH(j, 0, m) {
    EACH(k, i + 1, n) b[i * m + j] += a[k * n + i] * b[k * m + j];
    b[i * m + j] *= 1.5;
  }
}
// From the last row up, columns backwards.
static void upwards(ARRAYS) {
  for (long i = n - 1; i >= 0; i--)
    for (long j = m - 1; j >= 0; j--)
      for (long k = i - 1; k >= 0; k--) b[i * m + j] += a[i * n + k] * b[k * m + j] * b[k * m + j];
}
// A part of the array, and a column to the right.
static void part(ARRAYS) {
  EACH(i, 1, n - 1) EACH(j, 2, m - 3) EACH(k, i + 1, n) b[i * m + j] = b[i * m + j] * 0.7 + a[k] * b[k * m + j + 1] * b[k * m + j];
}
// Only now and then.
static void sometimes(ARRAYS) {
  EACH(i, 0, n) EACH(j, 0, m)
    if (a[i] > 0.5)
      EACH(k, i + 1, n) b[i * m + j] += c[k] * b[k * m + j];
}
// Read in one nest, overwritten in the next.
static void two_nests(ARRAYS) {
  EACH(i, 0, n) EACH(j, 0, m) EACH(k, 0, n) c[i * m + j] += a[i * n + k] * b[k * m + j];
  EACH(i, 0, n) EACH(j, 0, m) b[i * m + j] = c[i * m + j] * b[i * m + j];
}
// Overwritten in front of the nest that reads: the numbers of the nest, not those of the start.
static void scaled_first(ARRAYS) {
  EACH(i, 0, n) EACH(j, 0, m) b[i * m + j] = b[i * m + j] * b[i * m + j];
  EACH(i, 0, n) EACH(j, 0, m) EACH(k, i + 1, n) b[i * m + j] += a[k * n + i] * b[k * m + j];
}
// A row that is read again when it has been written.
static void read_later(ARRAYS) {
  EACH(t, 0, 2) EACH(i, 0, n) EACH(j, 0, m) EACH(k, i + 1, n) b[i * m + j] += 0.1 * a[k * n + i] * b[k * m + j];
}

enum { Size = 1200, Edge = 100 };
#define TRY(f)                                                                                                                              \
  static void try_##f(long n, long m) {                                                                                                     \
    static double x[3][Size], from[3][Size], t[3][Size], d[3][Size], seed[3][Size], along[3][Size], left[3][Size];                          \
    EACH(k, 0, 3) EACH(i, 0, Size) {                                                                                                        \
      from[k][i] = 0.5 + 0.4 * sin(3 * i + k);                                                                                              \
      along[k][i] = t[k][i] = cos(7 * i + k);                                                                                               \
      d[k][i] = seed[k][i] = sin(5 * i + k);                                                                                                \
    }                                                                                                                                       \
    memcpy(x, from, sizeof x);                                                                                                              \
    __enzyme_fwddiff((void *)f, enzyme_const, n, enzyme_const, m, enzyme_dup, x[0] + Edge, t[0] + Edge, enzyme_dup, x[1] + Edge,            \
                     t[1] + Edge, enzyme_dup, x[2] + Edge, t[2] + Edge);                                                                    \
    memcpy(left, x, sizeof x);                                                                                                              \
    memcpy(x, from, sizeof x);                                                                                                              \
    __enzyme_autodiff((void *)f, enzyme_const, n, enzyme_const, m, enzyme_dup, x[0] + Edge, d[0] + Edge, enzyme_dup, x[1] + Edge,           \
                      d[1] + Edge, enzyme_dup, x[2] + Edge, d[2] + Edge);                                                                   \
    double forward = 0, reverse = 0, by = 0;                                                                                                \
    EACH(k, 0, 3) EACH(i, 0, Size) {                                                                                                        \
      forward += t[k][i] * seed[k][i];                                                                                                      \
      reverse += along[k][i] * d[k][i];                                                                                                     \
      if (fabs(left[k][i] - x[k][i]) > 1e-12) RG_NEAR(x[k][i], left[k][i]);                                                                 \
    }                                                                                                                                       \
    EACH(side, 0, 2) {                                                                                                                      \
      const double h = side ? 1e-6 : -1e-6;                                                                                                 \
      EACH(k, 0, 3) EACH(i, 0, Size) x[k][i] = from[k][i] + h * along[k][i];                                                                \
      f(n, m, x[0] + Edge, x[1] + Edge, x[2] + Edge);                                                                                       \
      EACH(k, 0, 3) EACH(i, 0, Size) by += x[k][i] * seed[k][i] / (2 * h);                                                                  \
    }                                                                                                                                       \
    rgCompare(__FILE__, __LINE__, #f " by differences", by, reverse, 1e-5);                                                                 \
    rgCompare(__FILE__, __LINE__, #f " forwards", forward, reverse, 1e-10);                                                                 \
  }
TRY(triangular)
TRY(upwards)
TRY(part)
TRY(sometimes)
TRY(two_nests)
TRY(scaled_first)
TRY(read_later)

int main(void) {
  EACH(n, 0, 7) EACH(m, 0, 40) {
    try_triangular(n, m);
    try_upwards(n, m);
    try_part(n, m);
    try_sometimes(n, m);
    try_two_nests(n, m);
    try_scaled_first(n, m);
    try_read_later(n, m);
    if (m > 9) m += 4;
  }
  return rgReport();
}
