// RG-LEVELS: O0 O2 O3
// valgrind keeps 64 of the 80 bits of a long double, and with them not all of a set.
// UNSUPPORTED: memcheck
// Jacobians of small programs in one call each: by columns in forward mode, by rows
// in reverse mode, and their pattern by sets of bits, against differences.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>

extern int enzyme_dup, enzyme_dupv, enzyme_width, enzyme_pattern;
void __enzyme_fwddiff_void(void *, ...);
void __enzyme_autodiff_void(void *, ...);

#define PROGRAM(F, N, M, ...)                                                  \
  do {                                                                         \
    double x[N] = {__VA_ARGS__}, out[M];                                       \
    double tx[N][N] = {{0}}, tout[N][M] = {{0}};                               \
    double ax[M][N] = {{0}}, aout[M][M] = {{0}};                               \
    double sx[N] = {0}, sout[M] = {0};                                         \
    for (int i = 0; i < N; ++i) {                                              \
      const uint16_t bit = 1u << i;                                            \
      tx[i][i] = 1;                                                            \
      memcpy(&sx[i], &bit, sizeof bit);                                        \
    }                                                                          \
    for (int i = 0; i < M; ++i)                                                \
      aout[i][i] = 1;                                                          \
    __enzyme_fwddiff_void((void *)F, enzyme_width, N, enzyme_dupv,             \
                          sizeof tx[0], x, tx, enzyme_dupv, sizeof tout[0],    \
                          out, tout);                                          \
    __enzyme_autodiff_void((void *)F, enzyme_width, M, enzyme_dupv,            \
                           sizeof ax[0], x, ax, enzyme_dupv, sizeof aout[0],   \
                           out, aout);                                         \
    __enzyme_fwddiff_void((void *)F, enzyme_pattern, enzyme_dup, x, sx,        \
                          enzyme_dup, out, sout);                              \
    for (int j = 0; j < M; ++j) {                                              \
      uint16_t set;                                                            \
      memcpy(&set, &sout[j], sizeof set);                                      \
      for (int i = 0; i < N; ++i) {                                            \
        RG_WITHIN(ax[j][i], tout[i][j], 1e-8);                                 \
        RG_WITHIN(tout[i][j], RG_DIFF((F(x, out), out[j]), x[i]), 1e-6);       \
        RG_TRUE((set >> i & 1) || tout[i][j] == 0);                            \
      }                                                                        \
      RG_TRUE(set >> N == 0);                                                  \
    }                                                                          \
  } while (0)

// A tree on the heap, recursion both ways, a float among doubles.
typedef struct tree { struct tree *left, *right; double value; float weight; } Tree;
__attribute__((noinline)) static Tree *grow(const double *x, int first, int end) {
  if (first >= end)
    return 0;
  int middle = (first + end) / 2;
  Tree *t = malloc(sizeof *t);
  t->value = x[middle] * x[middle];
  t->weight = (float)x[middle];
  t->left = grow(x, first, middle);
  t->right = grow(x, middle + 1, end);
  return t;
}
__attribute__((noinline)) static double fold(Tree *t, double d) {
  if (!t)
    return d;
  double a = fold(t->left, d * t->value), b = fold(t->right, d + t->value);
  return a * b + sin(t->value * a) + 0.0 * t->weight;
}
__attribute__((noinline)) static void fell(Tree *t) {
  if (!t)
    return;
  fell(t->left);
  fell(t->right);
  free(t);
}
static void trees(const double *x, double *out) {
  Tree *t = grow(x, 0, 5);
  out[0] = fold(t, x[0]);
  t->value *= 2;
  out[1] = fold(t->left, 0.5) + t->value;
  fell(t);
}

// Gaussian elimination whose pivots swap rows by their pointers.
static void solve(const double *x, double *out) {
  double *a[3];
  for (int i = 0; i < 3; ++i) {
    a[i] = malloc(4 * sizeof(double));
    for (int j = 0; j < 3; ++j)
      a[i][j] = x[3 * i + j];
    a[i][3] = x[9 + i];
  }
  for (int k = 0; k < 3; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 3; ++i)
      if (fabs(a[i][k]) > fabs(a[pivot][k]))
        pivot = i;
    double *row = a[k];
    a[k] = a[pivot];
    a[pivot] = row;
    for (int i = k + 1; i < 3; ++i) {
      double m = a[i][k] / a[k][k];
      for (int j = k; j < 4; ++j)
        a[i][j] -= m * a[k][j];
    }
  }
  for (int i = 2; i >= 0; --i) {
    double s = a[i][3];
    for (int j = i + 1; j < 3; ++j)
      s -= a[i][j] * out[j];
    out[i] = s / a[i][i];
  }
  for (int i = 0; i < 3; ++i)
    free(a[i]);
}

// Globals, arrays of variable length, overlapping moves.
static int filled;
static double buffer[6];
__attribute__((noinline)) static void push(double v) { buffer[filled++] = v; }
static void buffers(const double *x, double *out) {
  filled = 0;
  for (int i = 0; i < 3; ++i) {
    double t[i + 1], s = 0;
    for (int j = 0; j <= i; ++j)
      t[j] = x[j] * (i + 1);
    for (int j = 0; j <= i; ++j)
      s += t[j] * t[i - j];
    push(s);
  }
  memmove(buffer + 1, buffer, 3 * sizeof(double));
  buffer[0] = x[2];
  for (int i = 0; i < 4; ++i)
    out[i] = buffer[i] * buffer[3 - i];
}

// Control flow without loops that anyone wrote; long double.
__attribute__((noinline)) static long double poly(long double a, int n) {
  long double s = 0;
  while (n-- > 0)
    s = s * a + n;
  return s;
}
static void jumps(const double *x, double *out) {
  int i = 0;
  double s = x[0];
again:
  switch (i % 4) {
  case 0:
    s += x[1] * s;
    break;
  case 1:
    s = (double)poly(s, i + 2);
    break;
  case 2:
    if (s > 3) {
      s = sqrt(s);
      goto next;
    }
    // fall through
  default:
    s -= x[2] * x[2];
  }
next:
  if (++i < 9 && s < 1e3)
    goto again;
  out[0] = s;
  out[1] = poly(x[2], 3) > 0 ? s * x[0] : x[1];
}

// Structs that grow, whose pointers lead to constants or to x.
typedef struct { const double *p; int n; } View;
static const double table[3] = {2, 3, 4};
__attribute__((noinline)) static double look(const View *v, int k) {
  double s = 0;
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < v[i].n; ++j)
      s += v[i].p[j] * (i + 1) * s + v[i].p[j];
  return s;
}
static void views(const double *x, double *out) {
  View *v = 0;
  for (int i = 0; i < 5; ++i) {
    v = realloc(v, (i + 1) * sizeof *v);
    v[i].p = x[i % 3] > 0.5 ? table : x;
    v[i].n = 1 + i % 3;
  }
  double *z = calloc(3, sizeof *z);
  for (int i = 0; i < 3; ++i)
    z[i] += look(v, i + 1) * x[i];
  memcpy(out, z, 3 * sizeof *z);
  free(v);
  free(z);
}

int main(void) {
  PROGRAM(trees, 5, 2, 0.4, 0.7, -0.3, 1.1, 0.2);
  PROGRAM(solve, 12, 3, 1, 2, 8, 7, 1, 2, 2, 9, 1, 1, 2, 3);
  PROGRAM(buffers, 3, 4, 0.4, 0.7, -0.3);
  PROGRAM(jumps, 3, 2, 0.4, 0.3, -0.3);
  PROGRAM(views, 3, 3, 0.4, 0.7, -0.3);
  return rgReport();
}
