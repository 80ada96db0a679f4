// A function that uses split mode is differentiated itself, forward and reverse:
// Hessians times vectors.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
extern int enzyme_dup, enzyme_const, enzyme_nofree;
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
void __enzyme_fwddiff(void *, ...);
void __enzyme_autodiff(void *, ...);
void rg_tape_free(void *);
enum { N = 4 };

double loop(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i)
    s = s * x[i] + sin(s);
  return s;
}
__attribute__((noinline)) static double step(const double *x, int n, double a) {
  if (!n)
    return a;
  double t = step(x, n - 1, a * x[n - 1] + sin(a));
  return t * x[n - 1] + a * a;
}
double recursive(const double *x, int n) { return step(x, n, x[0]); }
static double state[4];
double stateful(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i) {
    state[i % 4] = x[i] * s;
    s += state[(i + 1) % 4];
  }
  return s;
}
double zeroed(const double *x, int n) {
  double s = 1, *c = calloc(3, sizeof *c);
  for (int i = 0; i < 2; ++i) {
    c[i] += s * x[i];
    s += c[i + 1] * c[i] * x[0] + c[i];
  }
  free(c);
  return s * x[n - 1];
}
struct node { double v; struct node *next; };
double listed(const double *x, int n) {
  struct node *list = 0;
  double s = 1;
  for (int i = 0; i < n; ++i) {
    struct node *q = malloc(sizeof *q);
    q->v = x[i] * x[i];
    q->next = list;
    list = q;
  }
  for (struct node *q = list; q; q = q->next)
    s = s * cos(q->v) + q->v * q->v;
  while (list) {
    struct node *q = list->next;
    free(list);
    list = q;
  }
  return s;
}

#define DERIVATIVES(F)                                                                 \
  void F##Gradient(const double *x, double *g) {                                       \
    memset(state, 0, sizeof state);                                                    \
    for (int i = 0; i < N; ++i)                                                        \
      g[i] = 0;                                                                        \
    void *t = __enzyme_augmentfwd((void *)F, enzyme_dup, x, g, enzyme_const, N);       \
    __enzyme_reverse((void *)F, enzyme_dup, x, g, enzyme_const, N, 1.0, t);            \
  }                                                                                    \
  double F##Along(const double *x, const double *v) {                                  \
    double g[N], s = 0;                                                                \
    F##Gradient(x, g);                                                                 \
    for (int i = 0; i < N; ++i)                                                        \
      s += g[i] * v[i];                                                                \
    return s;                                                                          \
  }
DERIVATIVES(loop)
DERIVATIVES(recursive)
DERIVATIVES(stateful)
DERIVATIVES(zeroed)
DERIVATIVES(listed)

/// A tape that is swept twice, below a derivative.
double keptAlong(const double *x, const double *v) {
  double g[N] = {0}, s = 0;
  void *t = __enzyme_augmentfwd((void *)zeroed, enzyme_dup, x, g, enzyme_const, N);
  __enzyme_reverse((void *)zeroed, enzyme_nofree, enzyme_dup, x, g, enzyme_const, N, 1.0, t);
  __enzyme_reverse((void *)zeroed, enzyme_nofree, enzyme_dup, x, g, enzyme_const, N, 2.0, t);
  rg_tape_free(t);
  for (int i = 0; i < N; ++i)
    s += g[i] * v[i];
  return s / 3;
}

#define FORWARD(F)                                                                     \
  do {                                                                                 \
    double g[N], hv[N];                                                                \
    __enzyme_fwddiff((void *)F##Gradient, enzyme_dup, x, v, enzyme_dup, g, hv);        \
    RG_GRADS(hv, F##Along(x, v), x, N); /* (H v)_i = d(g . v)/dx_i */                  \
  } while (0)
#define REVERSE(F)                                                                     \
  do {                                                                                 \
    double hv[N] = {0};                                                                \
    __enzyme_autodiff((void *)F##Along, enzyme_dup, x, hv, enzyme_const, v);           \
    RG_GRADS(hv, F##Along(x, v), x, N); /* (H v)_i = d(g . v)/dx_i */                  \
  } while (0)

int main(void) {
  double x[N] = {.3, .5, .7, .2}, v[N] = {1, -2, .5, .3};
  FORWARD(loop);
  REVERSE(loop);
  FORWARD(recursive);
  REVERSE(recursive);
  FORWARD(stateful);
  REVERSE(stateful);
  FORWARD(zeroed);
  REVERSE(zeroed);
  FORWARD(listed);
  double hv[N] = {0};
  __enzyme_autodiff((void *)keptAlong, enzyme_dup, x, hv, enzyme_const, v);
  RG_GRADS(hv, zeroedAlong(x, v), x, N);
  return rgReport();
}
int enzyme_dup, enzyme_const, enzyme_nofree;
