// RG-SWITCHES: strip-additions merge-latches reorder-sums alias-scopes contract pack-lanes peel-first disjoint-arguments peel-last
// RG-LEVELS: O0 O2 O3 fast
// Reverses that add to several places per iteration, of which neighbours share some. They run in strips where
// that is right: here they are compared with forward mode in all components and with differences in some,
// for numbers of iterations around the lengths of strips, and where strips would be wrong.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_dup;

enum { Most = 1300, Front = 8 };
static double weight(int i) { return 0.3 + 0.1 * (i % 7); }
static double total(const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += weight(i) * b[i] * (1 + 0.1 * b[i]);
  return s;
}

// Three points, a parameter that all iterations read (x[n]).
static double heat(double *x, double *b, int n) {
  for (int i = 0; i < n; ++i)
    b[i] = x[i];
  for (int i = 1; i < n - 1; ++i)
    b[i] = x[i] + x[n] * (x[i - 1] - 2 * x[i] * x[i] + x[i + 1]);
  return total(b, n);
}
// Around a ring.
static double ring(double *x, double *b, int n) {
  for (int i = 0; i < n; ++i) {
    int left = i == 0 ? n - 1 : i - 1, right = i == n - 1 ? 0 : i + 1;
    b[i] = x[i] * x[left] + 0.3 * x[right] * x[right];
  }
  return total(b, n);
}
// Exceptions in the middle, and twice.
static double knot(double *x, double *b, int n) {
  int middle = n / 2;
  for (int i = 0; i < n; ++i) {
    int left = i == middle ? n - 1 : i, right = i == n - 1 ? 0 : i + 1;
    b[i] = x[i + 1] * x[left] + 0.3 * x[right] * x[right];
  }
  return total(b, n);
}
// Downwards, with places far apart.
static double downwards(double *x, double *b, int n) {
  for (int i = n - 1; i >= 0; --i)
    b[i] = x[i] * x[i + 3] + x[i + 1] * x[i + 20] + sqrt(1 + x[i + 6] * x[i + 6]);
  return total(b, n);
}
// Every second one; a stride that nobody knows.
static double second(double *x, double *b, int n) {
  for (int i = 0; i < n; ++i)
    b[i] = x[2 * i] * x[2 * i + 1] + x[2 * i + 2];
  return total(b, n);
}
static int stride = 3;
static double strided(double *x, double *b, int n) {
  int s = stride;
  for (int i = 0; i < n; ++i)
    b[i] = x[s * i] * x[s * i + 1] + x[s * i + 2] * x[s * i + 3];
  return total(b, n);
}
// In place.
static double seidel(double *x, double *b, int n) {
  for (int i = 0; i < n; ++i)
    b[i] = x[i];
  for (int k = 0; k < 2; ++k)
    for (int i = 1; i < n - 1; ++i)
      b[i] = 0.4 * b[i - 1] + 0.5 * b[i] + 0.3 * b[i + 1] * b[i];
  return total(b, n);
}
// In place in an array that is given twice, one element apart.
static double shifted(double *b, double *c, int n) {
  for (int i = 1; i < n - 1; ++i)
    c[i] = 0.4 * b[i - 1] + 0.2 * b[i] * b[i] + 0.1 * b[i + 1];
  return total(c, n);
}
static double overlap(double *x, double *b, int n) {
  for (int i = 0; i < n + 2; ++i)
    b[i] = x[i];
  return shifted(b, b + 1, n);
}
// Reads its own neighbours' results, far behind.
static double behind(double *x, double *b, int n) {
  for (int i = 0; i < n + 40; ++i)
    b[i] = x[i];
  for (int i = 0; i < n; ++i)
    b[i + 40] = 0.5 * b[i] + b[i + 1] * b[i + 2];
  return total(b, n + 40);
}
// Columns of a plane, five points; a torus whose rows may be one another.
static double five(double *x, double *b, int n) {
  int rows = n < 4 ? n : 4, columns = n;
  for (int i = 0; i < rows * columns; ++i)
    b[i] = x[i];
  for (int i = 1; i < rows - 1; ++i)
    for (int j = 1; j < columns - 1; ++j)
      b[i * columns + j] = x[i * columns + j] * (x[i * columns + j - 1] + x[i * columns + j + 1]) +
                           x[(i - 1) * columns + j] * x[(i + 1) * columns + j];
  return total(b, rows * columns);
}
static double torus(double *x, double *b, int n, int rows) {
  for (int i = 0; i < rows; ++i) {
    int up = (i == 0 ? rows - 1 : i - 1) * n, here = i * n, down = (i == rows - 1 ? 0 : i + 1) * n;
    for (int j = 0; j < n; ++j) {
      int left = j == 0 ? n - 1 : j - 1, right = j == n - 1 ? 0 : j + 1;
      double u = x[here + j];
      b[here + j] = u * u + 0.3 * (x[up + j] + x[down + j] + x[here + left] + x[here + right] - 4 * u);
    }
  }
  return total(b, n * rows);
}
static double torus1(double *x, double *b, int n) { return torus(x, b, n, 1); }
static double torus2(double *x, double *b, int n) { return torus(x, b, n, 2); }
static double torus3(double *x, double *b, int n) { return torus(x, b, n, 3); }
// Seven points.
static double seven(double *x, double *b, int n) {
  int m = 3, row = n + 2, plane = m * row;
  for (int i = 0; i < 3 * plane; ++i)
    b[i] = 0;
  for (int k = 1; k < 2; ++k)
    for (int j = 1; j < m - 1; ++j)
      for (int i = 1; i <= n; ++i) {
        const double *p = x + k * plane + j * row + i;
        b[k * plane + j * row + i] = p[0] * p[0] - p[-1] * p[1] + p[row] * p[-row] + p[plane] - p[-plane];
      }
  return total(b, 3 * plane);
}
// A kernel of five numbers, and its own adjoint, in float.
static double kernel(double *x, double *b, int n) {
  const double *k = x + n + 4;
  for (int i = 0; i < n; ++i)
    b[i] = k[0] * x[i] + k[1] * x[i + 1] + k[2] * x[i + 2] + k[3] * x[i + 3] + k[4] * x[i + 4];
  return total(b, n);
}
static double inFloat(double *x, double *b, int n) {
  float *a = malloc((n + 4) * sizeof *a), *c = malloc((n + 1) * sizeof *c);
  for (int i = 0; i < n + 4; ++i)
    a[i] = (float)x[i];
  for (int i = 0; i < n; ++i)
    c[i] = 0.5f * a[i] + a[i + 1] * a[i + 2] + 0.25f * a[i + 3];
  for (int i = 0; i < n; ++i)
    b[i] = c[i];
  free(a);
  free(c);
  return total(b, n);
}
// The places of one statement are those of another one.
static double twice(double *x, double *b, int n) {
  for (int i = 0; i < n; ++i) {
    b[i] = x[i] - x[i + 1];
    b[n + i] = x[i] * x[i + 1] + x[i + 1] * x[i + 2];
  }
  return total(b, 2 * n);
}
// Nothing but sums: their reverse reads again what it adds. Rows of one array, and a place that nobody knows, which may be one of a row.
static int lag = 1;
static double lagged(double *x, double *b, int n) {
  for (int i = 0; i < n; ++i)
    b[i] = 0.5 * x[i] - 0.7 * x[i + 1] + 0.2 * x[i + 3] + 0.9 * x[i + lag];
  return total(b, n);
}
// What goes out of a cell comes into the next one: the reverse hands it on. In both directions, and used behind the loop.
static double fluxes(double *x, double *b, int n) {
  const int row = n + 1;
  for (int i = 0; i < 2 * row; ++i)
    b[i] = x[i];
  for (int t = 0; t < 2; ++t) {
    for (int i = 0; i < n; ++i)
      b[row + i] -= 0.7 * (b[i + 1] - b[i] + x[2 * row + i] - x[3 * row + i]);
    for (int i = 1; i < n; ++i)
      b[i] -= 0.5 * (b[row + i] - b[row + i - 1]);
  }
  return total(b, 2 * row);
}
static double backwards(double *x, double *b, int n) {
  const int row = n + 1;
  for (int i = 0; i < 2 * row; ++i)
    b[i] = x[i];
  for (int t = 0; t < 2; ++t) {
    for (int i = n - 1; i >= 0; --i)
      b[row + i] -= 0.7 * (b[i + 1] - b[i] + x[2 * row + i] - x[3 * row + i]);
    for (int i = n - 1; i >= 1; --i)
      b[i] -= 0.5 * (b[row + i] - b[row + i - 1]) + 0.1 * x[2 * row - i];
  }
  return total(b, 2 * row);
}
// The other way round in another array; and in float.
static double mirrored(double *x, double *b, int n) {
  for (int i = 0; i < n; ++i) {
    b[n - 1 - i] = 0.25 * x[i] + 0.5 * x[i + 1];
    b[n + i] = 0.5 * x[i + 1] - 0.125 * x[i + 2];
  }
  return total(b, 2 * n);
}
// In both directions at once, neighbours among them; a place that all share; a sum; an array that meets itself in the middle.
static double crossing(double *x, double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    b[i] = x[i] * x[i + 1] + 0.7 * x[n] * x[n - 1 - i] + x[n - i] * x[n - i];
    s += x[n - 1 - i] * weight(i);
  }
  return total(b, n) + s * s;
}
// The step of Levinson and Durbin: the array that is read in both directions is overwritten by what comes of it.
static double folded(double *x, double *b, int n) {
  for (int i = 0; i < n; ++i)
    b[i] = x[i];
  for (int k = 1; k < n; k += 11) {
    double s = 0;
    for (int i = 0; i < k; ++i)
      s += x[k - i] * b[i];
    s *= 0.2 / k;
    for (int i = 0; i < k; ++i)
      b[n + i] = b[i] + s * b[k - i - 1];
    for (int i = 0; i < k; ++i)
      b[i] = b[n + i];
    b[k] = s;
  }
  return total(b, n);
}
static double sumsInFloat(double *x, double *b, int n) {
  float *a = malloc((n + 4) * sizeof *a), *c = malloc((n + 1) * sizeof *c);
  for (int i = 0; i < n + 4; ++i)
    a[i] = (float)x[i];
  for (int i = 0; i < n; ++i)
    c[i] = 0.5f * a[i] + a[i + 1] - 0.25f * a[i + 3];
  for (int i = 0; i < n; ++i)
    b[i] = c[i];
  free(a);
  free(c);
  return total(b, n);
}

static double x[Most], dx[Most], b[Most], db[Most], none[Most];

#define CHECK(f, n, tolerance)                                                                                        \
  do {                                                                                                                \
    int size = (n);                                                                                                   \
    memset(dx, 0, sizeof dx);                                                                                         \
    memset(db, 0, sizeof db);                                                                                         \
    __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, b, db, enzyme_const, size);                           \
    for (int j = 0; j < Most; ++j) {                                                                                  \
      int asked = j < size + 50 || j % 37 == 0;                                                                       \
      if (!asked)                                                                                                     \
        continue;                                                                                                     \
      memset(none, 0, sizeof none);                                                                                   \
      memset(db, 0, sizeof db);                                                                                       \
      none[j] = 1;                                                                                                    \
      double t = __enzyme_fwddiff((void *)f, enzyme_dup, x, none, enzyme_dup, b, db, enzyme_const, size);             \
      rgCompare(#f, size, "reverse and forward", dx[j], t, tolerance);                                                \
    }                                                                                                                 \
    for (int j = 0; j < size + 4; j += 1 + size / 5)                                                                  \
      if ((tolerance) < 1e-6)                                                                                         \
        RG_GRAD(dx[j], f(x, b, size), x[j]);                                                                          \
  } while (0)

// Two inputs with one shadow: what belongs to both is added up.
static double product(const double *p, const double *q, double *c, int n) {
  for (int i = 1; i < n - 1; ++i)
    c[i] = p[i - 1] * q[i + 1] + p[i] * q[i] - p[i + 1];
  double s = 0;
  for (int i = 1; i < n - 1; ++i)
    s += c[i] * c[i];
  return s;
}
static void sharedShadow(int n) {
  static double dp[Most], dq[Most], both[Most];
  memset(dp, 0, sizeof dp);
  memset(dq, 0, sizeof dq);
  memset(both, 0, sizeof both);
  memset(db, 0, sizeof db);
  __enzyme_autodiff((void *)product, enzyme_dup, x, dp, enzyme_dup, x + 400, dq, enzyme_dup, b, db, enzyme_const, n);
  memset(db, 0, sizeof db);
  __enzyme_autodiff((void *)product, enzyme_dup, x, both, enzyme_dup, x + 400, both, enzyme_dup, b, db, enzyme_const,
                    n);
  for (int j = 0; j < n; ++j)
    RG_NEAR(both[j], dp[j] + dq[j]);
}

int main(void) {
  for (int i = 0; i < Most; ++i)
    x[i] = 0.5 + 0.4 * sin(1.0 + 0.7 * i);
  static const int lengths[] = {1, 2, 3, 5, 16, 17, 18, 31, 64, 65, 66, 98, 99, 132, 163};
  for (unsigned k = 0; k < sizeof lengths / sizeof *lengths; ++k) {
    int n = lengths[k];
    CHECK(heat, n, 1e-11);
    CHECK(ring, n, 1e-11);
    CHECK(knot, n, 1e-11);
    CHECK(downwards, n, 1e-11);
    CHECK(second, n, 1e-11);
    CHECK(strided, n, 1e-11);
    CHECK(seidel, n, 1e-11);
    CHECK(overlap, n, 1e-11);
    CHECK(behind, n, 1e-11);
    CHECK(five, n, 1e-11);
    CHECK(torus1, n, 1e-11);
    CHECK(torus2, n, 1e-11);
    CHECK(torus3, n, 1e-11);
    if (n <= 132)
      CHECK(seven, n, 1e-11);
    CHECK(kernel, n, 1e-11);
    CHECK(inFloat, n, 1e-4);
    CHECK(twice, n, 1e-11);
    static const int lags[] = {0, 1, 2, 4, 17, 40};
    for (unsigned m = 0; m < sizeof lags / sizeof *lags; ++m) {
      lag = lags[m];
      CHECK(lagged, n, 1e-11);
    }
    for (lag = n; lag <= n + 5; ++lag)
      CHECK(lagged, n, 1e-11);
    CHECK(fluxes, n, 1e-11);
    CHECK(backwards, n, 1e-11);
    CHECK(mirrored, n, 1e-11);
    CHECK(crossing, n, 1e-11);
    CHECK(folded, n, 1e-11);
    CHECK(sumsInFloat, n, 1e-4);
    sharedShadow(n);
  }
  stride = 1;
  CHECK(strided, 70, 1e-11);
  return rgReport();
}
