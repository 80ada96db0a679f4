// Additions to adjoints that threads share: plain where one thread is alone, to copies where
// threads meet, atomic where somebody writes.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
#include "rgopenmp.h"
#include <string.h>
enum { R = 4, C = 5, WIDE = 40 };
// Rows of neighbours: both ends of a thread's part meet others.
static double stencil(const double *x, int n) {
  double v[N], r = 0;
  memset(v, 0, sizeof v);
#pragma omp parallel for
  for (int i = 1; i < R - 1; ++i)
    for (int j = 1; j < C - 1; ++j)
      v[i * C + j] = x[i * C + j] * (x[(i - 1) * C + j] + x[(i + 1) * C + j] + x[i * C + j - 1] + sin(x[i * C + j + 1]));
  for (int i = 0; i < n; ++i)
    r += v[i] * v[i];
  return r;
}
// Everybody reads the same numbers, in an inner loop and one by one.
static double shared(const double *x, int n) {
  double v[N], r = 0;
#pragma omp parallel for schedule(dynamic, 2)
  for (int i = 0; i < n; ++i) {
    double s = x[0];
    for (int j = 0; j < n; ++j)
      s += sin(x[i] * x[j]) * x[3];
    v[i] = s;
  }
  for (int i = 0; i < n; ++i)
    r += v[i] * (1 + i % 3);
  return r;
}
// Threads read what they will write, and what others have written, in one region.
static double phases(const double *x, int n) {
  double v[N], w[N], r = 0;
  memcpy(v, x, sizeof v);
#pragma omp parallel
  for (int t = 0; t < 3; ++t) {
#pragma omp for
    for (int i = 0; i < n; ++i)
      w[i] = v[i] * v[(i + 1) % n] + 0.1 * v[(i + n - 1) % n];
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; ++i)
      v[i] = w[i] + 0.2 * w[n - 1 - i];
  }
  for (int i = 0; i < n; ++i)
    r += v[i];
  return r;
}
// One array by two names: what is written by one is read by the other.
static void shift(double *a, const double *b, int n) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n / 2; ++i)
      a[i] = b[n / 2 + i] * b[n - 1 - i] + b[n - 1];
#pragma omp for
    for (int i = 0; i < n / 2; ++i)
      a[n / 2 + i] = sin(b[i]) + b[n / 2 - 1 - i] * b[0];
  }
}
static double aliases(const double *x, int n) {
  double v[N], r = 0;
  memcpy(v, x, sizeof v);
  shift(v, v, n);
  for (int i = 0; i < n; ++i)
    r += v[i] * v[i];
  return r;
}
// Records of numbers of two kinds and integers; places by index.
struct record {
  float f;
  int at;
  double d, e;
};
static double records(const double *x, int n) {
  struct record s[N];
  double v[N], r = 0;
  for (int i = 0; i < n; ++i)
    s[i] = (struct record){0.25f * (i % 5), (7 * i + 3) % n, x[i] * x[i], x[n - 1 - i]};
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; ++i) {
    v[i] = 0;
    for (int k = 0; k < 4; ++k) {
      const struct record *of = &s[s[(i + k) % n].at];
      v[i] += of->f * of->d * s[i].e + s[0].f;
    }
  }
  for (int i = 0; i < n; ++i)
    r += v[i] * v[i];
  return r;
}
// A triangle, from behind, with a condition, and loops that do not run.
static double triangle(const double *x, int n) {
  double v[N], r = 0;
#pragma omp parallel for schedule(static, 1)
  for (int i = n - 1; i >= 0; --i) {
    double s = 0;
    for (int j = i; j < n; j += 2)
      if (x[j] > 0.47)
        s += x[j] * x[j - i];
    for (int j = 0; j < i - n; ++j)
      s += x[j - 1000000];
    v[i] = s;
  }
  for (int i = 0; i < n; ++i)
    r += v[i] * x[i];
  return r;
}
// Loops within, collapsed; the number of rows from memory.
static double collapsed(const double *x, int n) {
  double v[N], r = 0;
  int rows = R;
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < C; ++j) {
      double s = 0;
      for (int k = 0; k < C; ++k)
        s += x[i * C + k] * x[(rows - 1 - i) * C + (C - 1 - j)];
      v[i * C + j] = s;
    }
  for (int i = 0; i < R * C; ++i)
    r += v[i] * v[i];
  return r;
}
// Additions to what others read: atomic operations in the region.
static double atomics(const double *x, int n) {
  double v[N], r = 0;
  memset(v, 0, sizeof v);
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
#pragma omp atomic
      v[(3 * i) % n] += x[i] * x[(i + 1) % n];
    }
#pragma omp for reduction(+ : r)
    for (int i = 0; i < n; ++i)
      r += v[i] * v[(i + 2) % n];
  }
  return r;
}
// Wide rows, which loops run over by vectors: in place, by pointers that move, by two rows per
// iteration.
static double wide(const double *x, int n) {
  static double u[WIDE * WIDE], v[WIDE * WIDE];
  static double w[WIDE * WIDE];
  double r = 0;
  for (int i = 0; i < WIDE * WIDE; ++i)
    u[i] = x[i % n] * (1 + 0.01 * (i / n)), w[i] = 0.5 + 0.001 * i, v[i] = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 1; i < WIDE - 1; ++i) {
      const double *above = u + (i - 1) * WIDE, *here = above + WIDE, *below = here + WIDE;
      for (int j = 1; j < WIDE - 1; ++j)
        v[i * WIDE + j] = here[j] * (above[j] + below[j] + here[j - 1] + here[j + 1]) * w[i * WIDE + j];
    }
#pragma omp for schedule(static, 2)
    for (int i = 0; i < WIDE / 2; ++i)
      for (int j = 0; j < WIDE; ++j) {
        double a = v[2 * i * WIDE + j], b = v[(2 * i + 1) * WIDE + j];
        u[2 * i * WIDE + j] = a * b + w[j];
        w[(2 * i + 1) * WIDE + j] = a + u[(2 * i + 1) * WIDE + j];
      }
#pragma omp for reduction(+ : r)
    for (int i = 0; i < WIDE * WIDE; ++i)
      r += u[i] * w[WIDE * WIDE - 1 - i];
  }
  return r;
}
// By an array of places, all over a large array, and by rows that an array leads to.
static double gather(const double *x, int n) {
  enum { LARGE = 20000 };
  static double u[LARGE], v[LARGE];
  static int at[LARGE];
  double *rows[8], r = 0;
  for (int i = 0; i < LARGE; ++i)
    u[i] = x[i % n], at[i] = (int)(i * 7919L % LARGE);
  for (int k = 0; k < 8; ++k)
    rows[k] = u + k * LARGE / 8;
#pragma omp parallel for
  for (int i = 0; i < LARGE; ++i) {
    double s = 0;
    if (i % 3)
      for (int k = 0; k < 3; ++k)
        s += u[at[(i + k) % LARGE]] * u[at[i]];
    v[i] = s + rows[i % 8][i / 8];
  }
#pragma omp parallel for reduction(+ : r)
  for (int i = 0; i < LARGE; ++i)
    r += v[i] * v[at[i]];
  return r / LARGE;
}
int main(void) {
  POINT;
  CHECK(stencil);
  CHECK(shared);
  CHECK(phases);
  CHECK(aliases);
  CHECK(records);
  CHECK(triangle);
  CHECK(collapsed);
  CHECK(atomics);
  CHECK(wide);
  CHECK(gather);
  return rgReport();
}
