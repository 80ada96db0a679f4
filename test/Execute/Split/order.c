// Several tapes alive at once, of functions with heap memory, globals, loops of
// unknown length and recursion; reversed in any order, while everything that the
// primal read was overwritten and other derivatives ran.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
extern int enzyme_dup, enzyme_const;
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
void __enzyme_autodiff(void *, ...);

static double state[4];
__attribute__((noinline)) static double recurse(const double *x, int n, double a) {
  if (!n)
    return a;
  double t = recurse(x, n - 1, a * x[n - 1] + sin(a));
  return t * x[n - 1] + a * a;
}
struct node { double v; struct node *next; };
double f(const double *x, int n) {
  struct node *list = 0;
  double s = 1;
  for (int i = 0; i < n; ++i) {
    struct node *q = malloc(sizeof *q);
    q->v = x[i] * x[i];
    q->next = list;
    list = q;
    state[i % 4] = x[i] * s;
    s += state[(i + 1) % 4];
  }
  for (struct node *q = list; q; q = q->next)
    s = s * cos(q->v) + q->v * q->v;
  while (list) {
    struct node *q = list->next;
    free(list);
    list = q;
  }
  double *c = calloc(3, sizeof *c);
  for (int i = 0; i < 2; ++i) {
    c[i] += s * x[i];
    s += c[i + 1] * c[i] * x[0] + c[i];
  }
  free(c);
  return recurse(x, n, s);
}

enum { N = 4, TAPES = 5 };
static double value(const double *x) {
  memset(state, 0, sizeof state);
  return f(x, N);
}
static void gradient(const double *x, double *g) {
  memset(g, 0, N * sizeof *g);
  memset(state, 0, sizeof state);
  void *t = __enzyme_augmentfwd((void *)f, enzyme_dup, x, g, enzyme_const, N);
  __enzyme_reverse((void *)f, enzyme_dup, x, g, enzyme_const, N, 1.0, t);
}

int main(void) {
  double x[N] = {.3, .5, .7, .2}, g[N], y[N];
  gradient(x, g);
  RG_GRADS(g, value(x), x, N);

  double in[TAPES][N], d[TAPES][N] = {{0}};
  void *tape[TAPES];
  for (int k = 0; k < TAPES; ++k) {
    for (int i = 0; i < N; ++i)
      in[k][i] = x[i] + .1 * k;
    memset(state, 0, sizeof state);
    tape[k] = __enzyme_augmentfwd((void *)f, enzyme_dup, in[k], d[k], enzyme_const, N);
    for (int i = 0; i < N; ++i)
      in[k][i] = 99;
    state[1] = 1e5;
    gradient(x, g); // and another derivative in between
  }
  RG_GRADS(g, value(x), x, N);
  static const int order[TAPES] = {3, 0, 4, 1, 2};
  for (int q = 0; q < TAPES; ++q) {
    int k = order[q];
    state[2] = -1e5;
    __enzyme_reverse((void *)f, enzyme_dup, in[k], d[k], enzyme_const, N, 1.0, tape[k]);
    for (int i = 0; i < N; ++i)
      y[i] = x[i] + .1 * k;
    RG_GRADS(d[k], value(y), y, N);
    double joint[N] = {0};
    memset(state, 0, sizeof state);
    __enzyme_autodiff((void *)f, enzyme_dup, y, joint, enzyme_const, N);
    for (int i = 0; i < N; ++i)
      RG_NEAR(d[k][i], joint[i]);
  }
  return rgReport();
}
int enzyme_dup, enzyme_const;
