// RG-LEVELS: O0 O1 O2 O3 g
// Structs that end in an array of unknown length, copied and reallocated as a
// whole: what lies before the array comes once, the array repeats.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

// Arrays before the array, and elements of several kinds.
typedef struct {
  int n;
  double w[3];
  double s;
  double a[];
} One;
double one(const double *x, int n) {
  size_t b = sizeof(One) + n * sizeof(double);
  One *f = malloc(b), *g = malloc(b);
  f->n = n;
  f->s = x[0] * x[1];
  for (int i = 0; i < 3; i++)
    f->w[i] = x[i] * 0.5;
  for (int i = 0; i < n; i++)
    f->a[i] = x[i] * x[i];
  memcpy(g, f, b);
  f->w[1] = 0;
  f->a[2] = 1;
  double s = 0;
  for (int i = 0; i < g->n; i++)
    s += g->a[i] * g->w[i % 3] * f->a[i];
  s += g->s * f->w[1] + f->w[2];
  free(f);
  free(g);
  return s;
}
typedef struct {
  double x;
  int id;
  double w;
} Item;
typedef struct {
  int n, used;
  Item a[];
} List;
static List *add(List *l, double x, int id) {
  if (l->n == l->used) {
    List *m = malloc(sizeof(List) + 2 * (l->n + 1) * sizeof(Item));
    memcpy(m, l, sizeof(List) + l->used * sizeof(Item));
    m->n = 2 * (l->n + 1);
    free(l);
    l = m;
  }
  l->a[l->used++] = (Item){x * x, id, x};
  return l;
}
double list(const double *x, int n) {
  List *l = malloc(sizeof(List));
  l->n = l->used = 0;
  for (int i = 0; i < n; i++)
    l = add(l, x[i], i);
  double s = 0;
  for (int i = 0; i < l->used; i++)
    s += l->a[i].x * l->a[i].w * (l->a[i].id + 1);
  free(l);
  return s;
}
typedef struct {
  int n;
  double a[];
} Short;
static void walk(double *p, double *e) {
  while (e != p) {
    --e;
    *e *= 2;
  }
}
double back(const double *x, int n) {
  size_t b = sizeof(Short) + n * sizeof(double);
  Short *f = malloc(b), *g = malloc(b);
  f->n = n;
  for (int i = 0; i < n; i++)
    f->a[i] = x[i] * x[i];
  walk(f->a, f->a + n);
  memcpy(g, f, b);
  double s = 0;
  for (int i = 0; i < g->n; i++)
    s += g->a[i] * g->a[n - 1 - i] * (i + 1);
  free(f);
  free(g);
  return s;
}
typedef struct {
  size_t n;
  double a[];
} Vec;
static Vec *fresh(size_t n) {
  Vec *f = malloc(sizeof(Vec) + n * sizeof(double));
  f->n = n;
  return f;
}
static Vec *copy(const Vec *f) {
  size_t b = sizeof(Vec) + f->n * sizeof(double);
  Vec *g = malloc(b);
  memcpy(g, f, b);
  return g;
}
static Vec *push(Vec *f, double v) {
  f = realloc(f, sizeof(Vec) + (f->n + 1) * sizeof(double));
  f->a[f->n++] = v;
  return f;
}
double grown(const double *x, int n) {
  Vec *f = fresh(0);
  for (int i = 0; i < n; i++)
    f = push(f, x[i] * x[i]);
  Vec *g = copy(f);
  double s = 0;
  for (size_t i = 0; i < g->n; i++)
    s += g->a[i] * f->a[g->n - 1 - i] * (i + 1);
  free(f);
  free(g);
  return s;
}
typedef struct {
  int rows, cols;
  double a[];
} Mat;
static Mat *make(int r, int c) {
  Mat *f = malloc(sizeof(Mat) + r * c * sizeof(double));
  f->rows = r;
  f->cols = c;
  return f;
}
static Mat *twin(const Mat *f) {
  Mat *g = make(f->rows, f->cols);
  memcpy(g, f, sizeof(Mat) + f->rows * f->cols * sizeof(double));
  return g;
}
double matrix(const double *x, int n) {
  Mat *f = make(n, n);
  for (int i = 0; i < n * n; i++)
    f->a[i] = x[i % n] * x[i / n] + i;
  Mat *g = twin(f);
  for (int i = 0; i < n; i++)
    g->a[i * n + i] *= 2;
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += g->a[i * n + j] * f->a[j * f->cols + i];
  free(f);
  free(g);
  return s;
}

#define CHECK(F, N)                                                            \
  do {                                                                         \
    double x[N], d[N], t[N];                                                   \
    for (int i = 0; i < N; i++)                                                \
      x[i] = 1.1 + 0.6 * sin(2.3 * i + 0.4), d[i] = t[i] = 0;                  \
    __enzyme_autodiff((void *)F, enzyme_dup, x, d, enzyme_const, N);           \
    RG_GRADS(d, F(x, N), x, N);                                                \
    for (int i = 0; i < N; i++) {                                              \
      t[i] = 1;                                                                \
      RG_NEAR(__enzyme_fwddiff((void *)F, enzyme_dup, x, t, enzyme_const, N),  \
              d[i]);                                                           \
      t[i] = 0;                                                                \
    }                                                                          \
  } while (0)

int main(void) {
  CHECK(one, 5);
  CHECK(list, 7);
  CHECK(back, 4);
  CHECK(grown, 5);
  CHECK(matrix, 4);
  return rgReport();
}
