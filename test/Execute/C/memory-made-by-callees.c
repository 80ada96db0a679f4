// Callees that allocate and link up what their caller fills: they get nothing
// active themselves, and their memory needs a shadow all the same.
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef struct T { struct T *l, *r; double key; } T;

static T *insert(T *t, double k) {
  if (!t) {
    t = calloc(1, sizeof *t);
    t->key = k;
  } else if (k < t->key)
    t->l = insert(t->l, k);
  else
    t->r = insert(t->r, k);
  return t;
}
static double walk(T *t, int depth) {
  if (!t)
    return 0;
  double s = walk(t->l, depth + 1) + t->key * t->key / depth + walk(t->r, depth + 1) * t->key;
  free(t);
  return s;
}
double tree(double *x) {
  T *t = NULL;
  for (int i = 0; i < 6; i++)
    t = insert(t, x[i] * 1.5);
  return walk(t, 1);
}

__attribute__((noinline)) static double *row(int n) { return malloc(n * sizeof(double)); }
__attribute__((noinline)) static double **rows(int n) {
  double **p = malloc(n * sizeof *p);
  for (int i = 0; i < n; i++)
    p[i] = row(n);
  return p;
}
double matrix(double *x) {
  double **a = rows(3), s = 0;
  for (int i = 0; i < 9; i++)
    a[i / 3][i % 3] = x[i % 6] * (i + 1);
  for (int i = 0; i < 9; i++)
    s += a[i / 3][i % 3] * a[i % 3][i / 3];
  for (int i = 0; i < 3; i++)
    free(a[i]);
  free(a);
  return s;
}

#define CHECK(f)                                                               \
  do {                                                                         \
    double x[6] = {1.2, 0.7, 0.4, 2, 0.9, 1.7}, d[6] = {0};                    \
    __enzyme_autodiff((void *)f, x, d);                                        \
    RG_GRADS(d, f(x), x, 6);                                                   \
    for (int i = 0; i < 6; i++) {                                              \
      double t[6] = {0};                                                       \
      t[i] = 1;                                                                \
      RG_GRAD(__enzyme_fwddiff((void *)f, x, t), f(x), x[i]);                  \
    }                                                                          \
  } while (0)
int main(void) {
  CHECK(tree);
  CHECK(matrix);
  return rgReport();
}
