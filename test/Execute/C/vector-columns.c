// Loops over columns with loops in them that go down each column run several columns at a time (lib/Polish/VectorColumns.cpp). Numbers of columns around
// what vectors hold, rows that are shorter than that, columns from both ends, floats, sums of many kinds: reverse mode is right, and places that are not read are not written.
// RG-LEVELS: O0 O2 O3
// RG-SWITCHES: vector-columns
#include "rgtest.h"
#include <math.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

#define EACH(i, from, to) for (long i = (from); i < (to); i++)
#define ARRAYS(T) long n, long m, T *a, T *b, T *c

// c += a b, with the sum of a column in a register.
#define PRODUCT(name, T)                                                                                                                    \
  static void name(ARRAYS(T)) {                                                                                                             \
    EACH(i, 0, n) EACH(j, 0, m) {                                                                                                           \
      T sum = c[i * m + j];                                                                                                                 \
      EACH(k, 0, n) sum += a[i * n + k] * b[k * m + j];                                                                                     \
      c[i * m + j] = sum * (T)0.5;                                                                                                          \
    }                                                                                                                                       \
  }
PRODUCT(product, double)
PRODUCT(product_of_floats, float)
// Columns from the last to the first; what is read is written one row up.
static void backwards(ARRAYS(double)) {
  for (long j = m - 1; j >= 0; j--) {
    double sum = 0.25;
    EACH(k, 1, n) {
      b[(k - 1) * m + j] += 0.5 * b[k * m + j];
      sum += c[k * m + j] * a[k];
    }
    b[n * m + j] = sum;
  }
}
// Two loops in one column, a loop in a loop, a choice; a sum over all columns.
static void several(ARRAYS(double)) {
  double all = 0.25;
  EACH(j, 0, m) {
    double top = 0;
    EACH(k, 0, n) top += a[k] * b[k * m + j];
    EACH(k, 0, n) EACH(l, 0, 2) c[k * m + j] += b[k * m + j] > 0.5 ? b[k * m + j] * a[k + l] : top * a[l * k];
    all += top;
  }
  c[n * m] = all;
}
// Rows of 5 numbers, whatever m is: neighbouring columns meet below.
static void short_rows(ARRAYS(double)) {
  EACH(j, 0, m) {
    double sum = 0;
    EACH(k, 0, n) {
      sum += a[k] * b[k * 5 + j];
      c[k * 5 + j] = 0.9 * c[k * 5 + j] + sum;
    }
  }
}
// 33 columns, in rows of a length that may be anything.
static void any_rows(ARRAYS(double)) {
  EACH(j, 0, 33) {
    double sum = 0;
    EACH(k, 0, n) {
      sum += a[k] * b[k * m + j];
      c[k * m + j] = 0.9 * c[k * m + j] + sum;
    }
  }
}
// Two arrays that change places; each number is made of its neighbour in the other array.
static void change_places(ARRAYS(double)) {
  EACH(j, 0, m) {
    double *from = b, *to = c;
    EACH(k, 0, n) {
      to[k * m + j] = 0.5 * from[k * m + j + 1] + a[k];
      double *other = from;
      from = to, to = other;
    }
  }
}
// Places that are the same for all columns, and change from column to column.
static void carried(ARRAYS(double)) {
  EACH(j, 0, m) EACH(k, 0, n) {
    a[k] = 0.9 * a[k] + 0.1 * b[k * m + j];
    c[k * m + j] += a[k];
  }
}
// Each column down to another row.
static void triangle(ARRAYS(double)) {
  EACH(j, 0, m) {
    double sum = 0;
    EACH(k, 0, j < n ? j : n) sum += a[k] * b[k * m + j];
    c[j] += sum * sum;
  }
}

enum { Size = 9000, Edge = 64 };
#define TRY(f, T, tolerance, step)                                                                                                                \
  static void try_##f(long n, long m) {                                                                                                       \
    static T x[3][Size], from[3][Size], t[3][Size], d[3][Size], seed[3][Size];                                                              \
    EACH(k, 0, 3) EACH(i, 0, Size) {                                                                                                        \
      from[k][i] = (T)(0.5 + 0.4 * sin(3 * i + k));                                                                                         \
      t[k][i] = (T)cos(7 * i + k);                                                                                                          \
      d[k][i] = seed[k][i] = (T)sin(5 * i + k);                                                                                             \
    }                                                                                                                                       \
    static T along[3][Size];                                                                                                                \
    memcpy(along, t, sizeof t);                                                                                                             \
    memcpy(x, from, sizeof x);                                                                                                              \
    __enzyme_fwddiff((void *)f, enzyme_const, n, enzyme_const, m, enzyme_dup, x[0] + Edge, t[0] + Edge, enzyme_dup, x[1] + Edge,            \
                     t[1] + Edge, enzyme_dup, x[2] + Edge, t[2] + Edge);                                                                    \
    static T left[3][Size];                                                                                                                 \
    memcpy(left, x, sizeof x);                                                                                                              \
    memcpy(x, from, sizeof x);                                                                                                              \
    __enzyme_autodiff((void *)f, enzyme_const, n, enzyme_const, m, enzyme_dup, x[0] + Edge, d[0] + Edge, enzyme_dup, x[1] + Edge,           \
                      d[1] + Edge, enzyme_dup, x[2] + Edge, d[2] + Edge);                                                                   \
    double forward = 0, reverse = 0;                                                                                                        \
    EACH(k, 0, 3) EACH(i, 0, Size) {                                                                                                        \
      forward += (double)t[k][i] * seed[k][i];                                                                                              \
      reverse += (double)along[k][i] * d[k][i];                                                                                             \
    }                                                                                                                                       \
    if (memcmp(left, x, sizeof x)) {                                                                                                        \
      EACH(k, 0, 3) EACH(i, 0, Size) if (fabs((double)left[k][i] - x[k][i]) > tolerance) { printf(#f " %ld %ld: left\n", n, m); RG_NEAR(x[k][i], left[k][i]); }  \
    }                                                                                                                                       \
    EACH(k, 0, 3) EACH(i, 0, Edge) if (d[k][i] != seed[k][i] || x[k][i] != from[k][i]) RG_NEAR(1, 0);                                       \
    double by = 0;                                                                                                                          \
    EACH(side, 0, 2) {                                                                                                                      \
      const double h = side ? step : -step;                                                                                                 \
      EACH(k, 0, 3) EACH(i, 0, Size) x[k][i] = (T)(from[k][i] + h * along[k][i]);                                                           \
      f(n, m, x[0] + Edge, x[1] + Edge, x[2] + Edge);                                                                                       \
      EACH(k, 0, 3) EACH(i, 0, Size) by += x[k][i] * (double)seed[k][i] / (2 * h);                                                          \
    }                                                                                                                                       \
    rgCompare(__FILE__, __LINE__, #f, by, reverse, 30 * step);                                                                              \
    if (!(fabs(forward - reverse) <= tolerance * (1 + fabs(forward)))) {                                                                    \
      printf(#f " %ld %ld: %.15g %.15g\n", n, m, forward, reverse);                                                                           \
      RG_NEAR(1, 0);                                                                                                                        \
    }                                                                                                                                       \
  }
TRY(product, double, 1e-11, 1e-6)
TRY(product_of_floats, float, 1e-3, 1e-2)
TRY(backwards, double, 1e-11, 1e-6)
TRY(several, double, 1e-11, 1e-6)
TRY(short_rows, double, 1e-11, 1e-6)
TRY(any_rows, double, 1e-11, 1e-6)
TRY(change_places, double, 1e-11, 1e-6)
TRY(carried, double, 1e-11, 1e-6)
TRY(triangle, double, 1e-11, 1e-6)

int main(void) {
  static const int columns[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 47, 64, 65, 71, 100};
  for (unsigned k = 0; k < sizeof columns / sizeof *columns; ++k)
    for (long n = 1; n < 10; n += 4) {
      const long m = columns[k];
      try_product(n, m);
      try_product_of_floats(n, m);
      try_backwards(n, m);
      try_several(n, m);
      try_short_rows(n, m);
      try_any_rows(n, m);
      try_change_places(n, m);
      try_carried(n, m);
      try_triangle(n, m);
    }
  return rgReport();
}
