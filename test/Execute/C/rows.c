// Rows whose lengths lie in memory, and loops that a loop around them bounds: how often they ran is counted again in the reverse sweep
// (Recipes::countInputs, carried-loads) where what tells it stays as it is. Empty rows and rows that end before they begin,
// rows of rows, lengths that are written, shifted and released later, triangles, an end within the row, bounds of small types.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#define APART __attribute__((noinline)) static
enum { N = 7, ENTRIES = 12 };
static const int first[N + 1] = {0, 3, 3, 5, 4, 9, 9, 12}; // the fourth ends before it begins
static int column[ENTRIES] = {0, 2, 6, 1, 1, 5, 3, 0, 4, 6, 2, 5}, changed[N + 1], rowsOf[4] = {0, 2, 2, 7};
static unsigned char narrow[N + 1];
static void numbers(double *a, int n, double x) {
  for (int i = 0; i < n; ++i)
    a[i] = x * (i + 1) * 0.02 + 0.3 * sin(x + i);
}

static inline void multiply(const int *begin, const double *a, const double *v, double *y) {
  for (int i = 0; i < N; ++i) {
    double s = 0;
    for (int k = begin[i]; k < begin[i + 1]; ++k)
      s += a[k] * v[column[k]];
    y[i] = s * s + v[i];
  }
}
APART void multiplyApart(const int *begin, const double *a, const double *v, double *y) { multiply(begin, a, v, y); }
#define STEPS(name, product)                                                                                           \
  static double name(double x) {                                                                                       \
    double a[ENTRIES], v[N], y[N], r = 0;                                                                              \
    numbers(a, ENTRIES, x), numbers(v, N, x * x);                                                                      \
    for (int t = 0; t < 3; ++t) {                                                                                      \
      product(first, a, v, y);                                                                                         \
      for (int i = 0; i < N; ++i)                                                                                      \
        v[i] = sin(y[i]), r += v[i] * y[i];                                                                            \
    }                                                                                                                  \
    return r;                                                                                                          \
  }
STEPS(constant, multiply)
STEPS(apart, multiplyApart)
// The table is another one in each step, and gone when the reverse sweep runs.
static double rewritten(double x) {
  double a[ENTRIES], v[N], y[N], r = 0;
  int *begin = malloc((N + 1) * sizeof *begin);
  numbers(a, ENTRIES, x), numbers(v, N, x * x);
  for (int t = 0; t < 3; ++t) {
    for (int i = 0; i <= N; ++i)
      begin[i] = first[i] > t ? first[i] - t : 0;
    multiply(begin, a, v, y);
    multiplyApart(begin, a, y, v);
    for (int i = 0; i < N; ++i)
      r += v[i] * y[i], v[i] = sin(v[i]);
  }
  for (int i = 0; i <= N; ++i)
    begin[i] = 1000;
  free(begin);
  return r;
}
// The loop itself moves the end of the next row.
APART double moved(double x, int *begin) {
  double a[ENTRIES], r = 0;
  numbers(a, ENTRIES, x);
  for (int i = 0; i < N; ++i)
    begin[i] = first[i];
  begin[N] = ENTRIES;
  for (int i = 0; i < N; ++i) {
    for (int k = begin[i]; k < begin[i + 1]; ++k)
      r = r * 0.5 + a[k] * a[k];
    if (i % 2 && begin[i + 1] > 1)
      --begin[i + 1];
  }
  return r;
}
static double movedAll(double x) { return moved(x, changed); }
static double ofRows(double x) {
  double a[ENTRIES], r = 0;
  numbers(a, ENTRIES, x);
  for (int j = 0; j < 3; ++j) {
    double t = 1;
    for (int i = rowsOf[j]; i < rowsOf[j + 1]; ++i)
      for (int k = first[i]; k < first[i + 1]; ++k)
        t = t * 0.7 + a[k] * sin(t);
    r += t * t;
  }
  return r;
}
static double triangle(double x) {
  double a[N][N], r = 0;
  for (int i = 0; i < N; ++i)
    numbers(a[i], N, x + 0.1 * i);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < i; ++j) {
      double s = a[i][j];
      for (int k = 0; k < j; ++k)
        s -= 0.1 * a[i][k] * a[j][k];
      a[i][j] = s / (2 + a[j][j] * a[j][j]);
      r += a[i][j] * a[i][j];
    }
  for (int i = N - 1; i >= 0; --i)
    for (int j = i; j < N; j += 2)
      r += sin(a[i][j]) * r * 0.01;
  return r;
}
static double leaves(double x) {
  double a[ENTRIES], r = 0;
  numbers(a, ENTRIES, x);
  for (int i = 0; i < N; ++i) {
    double s = 0;
    for (int k = first[i]; k < first[i + 1]; ++k) {
      if (column[k] == 5)
        break;
      s = s * s + a[k];
    }
    r += s * s;
  }
  return r;
}
static double small(double x) {
  double a[ENTRIES], r = 0;
  numbers(a, ENTRIES, x);
  for (int i = 0; i <= N; ++i)
    narrow[i] = first[i];
  for (int i = 0; i < N; ++i)
    for (unsigned char k = narrow[i]; k < narrow[i + 1]; ++k)
      r = r * 0.5 + a[k] * a[k];
  for (int i = 0; i < N; ++i)
    narrow[i] = 200;
  return r;
}
// A row ends where the row after it, read by the iteration before, begins: downwards, and two rows at once.
static double downwards(double x) {
  double a[ENTRIES], r = 0;
  numbers(a, ENTRIES, x);
  for (int i = N - 1; i >= 0; --i)
    for (int k = first[i + 1] - 1; k >= first[i]; --k)
      r = r * 0.6 + a[k] * a[k];
  for (int i = 0; i + 2 <= N; i += 2)
    for (int k = first[i]; k < first[i + 2]; ++k)
      r = sin(r) + a[k] * r;
  return r;
}

int main(void) {
#define CHECK(f)                                                                                                       \
  RG_UNARY(f, 0.7);                                                                                                    \
  RG_UNARY(f, 1.3)
  CHECK(constant);
  CHECK(apart);
  CHECK(rewritten);
  CHECK(movedAll);
  CHECK(ofRows);
  CHECK(triangle);
  CHECK(leaves);
  CHECK(small);
  CHECK(downwards);
  return rgReport();
}
