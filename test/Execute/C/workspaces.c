// Integers and doubles by turns in one block of memory: an arena, and an array of indices
// behind an array of doubles. What is used to index is no half of a double, also where it
// only changes places.
#include "rgtest.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef struct { char *base; size_t used; } arena;
static void *get(arena *a, size_t n) { void *p = a->base + a->used; a->used += (n + 15) & ~(size_t)15; return p; }
typedef struct item { struct item *next; double v; int n; } item;
static double f(const double *x, int n) {
  arena a = {malloc(1 << 16), 0};
  double *d = get(&a, n * sizeof *d); int *perm = get(&a, n * sizeof *perm); item *head = 0;
  for (int i = 0; i < n; ++i) { d[i] = x[i] * x[i]; perm[i] = n - 1 - i; }
  for (int i = 0; i + 1 < n; i += 2) { int t = perm[i]; perm[i] = perm[i + 1]; perm[i + 1] = t; }
  for (int i = 0; i < n; ++i) { item *it = get(&a, sizeof *it); it->next = head; it->v = d[perm[i]]; it->n = perm[i] + 1; head = it; }
  double s = 0; for (item *i = head; i; i = i->next) s += i->v * i->n * i->v;
  free(a.base); return s;
}
static double g(const double *x, int n) {
  double *w = malloc(2 * n * sizeof *w); int *iw = (int *)(w + n);
  for (int i = 0; i < n; ++i) { w[i] = x[i] * x[(i + 1) % n]; iw[i] = i; }
  for (int i = 0; i < n; ++i) for (int j = 0; j + 1 < n; ++j) if (w[iw[j]] > w[iw[j + 1]]) { int t = iw[j]; iw[j] = iw[j + 1]; iw[j + 1] = t; }
  double s = 0; for (int i = 0; i < n; ++i) s += (i + 1) * w[iw[i]] * w[iw[i]];
  free(w); return s;
}
int main(void) {
  double x[6] = {1.5, 2.5, 0.5, 3.5, 2.25, 1.25};
#define DO(F) { double dx[6] = {0}, t[6] = {0}; __enzyme_autodiff((void *)F, x, dx, 6); RG_GRADS(dx, F(x, 6), x, 6); t[1] = 1; RG_NEAR(__enzyme_fwddiff((void *)F, x, t, 6), dx[1]); }
  DO(f) DO(g)
  return rgReport();
}
