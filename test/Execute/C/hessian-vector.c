// Products of Hessians and vectors, as the tangent of a gradient and as the
// gradient of a gradient's product, of functions whose derivative keeps values
// on the tape, frees late, recurses, and uses the shadows of globals.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_dup;

// Work memory on the heap.
static double heap(const double *x, int n) {
  double *w = malloc(n * sizeof *w), s = 0;
  for (int i = 0; i < n; ++i)
    w[i] = x[i] * x[(i + 1) % n];
  for (int k = 0; k < 3; ++k)
    for (int i = 1; i < n; ++i)
      w[i] += sin(w[i - 1]) * x[i];
  for (int i = 0; i < n; ++i)
    s += w[i] * w[i];
  free(w);
  return s;
}

__attribute__((noinline)) static double step(const double *x, int n, double a) {
  if (n == 0)
    return a;
  double t = step(x, n - 1, a * x[n - 1] + sin(a));
  return t * x[n - 1] + a * a;
}
static double recursion(const double *x, int n) { return step(x, n, x[0] + 0.5); }

struct node {
  double v;
  struct node *next;
};
static double list(const double *x, int n) {
  struct node *head = NULL;
  for (int i = 0; i < n; ++i) {
    struct node *q = malloc(sizeof *q);
    q->v = x[i] * x[i];
    q->next = head;
    head = q;
  }
  double s = 1;
  for (struct node *q = head; q; q = q->next)
    s = s * cos(q->v) + q->v * q->v;
  while (head) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
  return s;
}

// A loop that ends when it has converged.
static double iteration(const double *x, int n) {
  double y = 1, a = 2;
  for (int i = 0; i < n; ++i)
    a += x[i] * x[i];
  for (;;) {
    double better = y - (y * y - a) / (2 * y), change = better - y;
    y = better;
    if (fabs(change) < 1e-12)
      break;
  }
  return y * x[0] + exp(-y);
}

static double Global[4];
struct pair {
  double a, b;
  int k;
};
__attribute__((noinline)) static void fill(const double *x, int n, struct pair *s) {
  for (int i = 0; i < 4; ++i)
    Global[i] = x[i % n] * x[0];
  s->a = Global[1] * x[0];
  s->k = 1;
  s->b = s->a * s->a;
}
static double globals(const double *x, int n) {
  struct pair s, t;
  fill(x, n, &s);
  memcpy(&t, &s, sizeof t);
  double r = t.b * t.a;
  for (int i = 0; i < 4; ++i) {
    r += Global[i] * Global[i] * Global[(i + t.k) % 4];
    Global[i] *= 2;
  }
  return r + Global[0] * Global[1];
}

// What a global holds before it is written comes from the caller: each order of
// derivatives has shadows of its own.
static double Ring[4];
static double ring(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i) {
    Ring[i % 4] = x[i] * s * s;
    s += Ring[(i + 1) % 4] * x[i];
  }
  return s;
}
static double from_zero(const double *x, int n) {
  for (int i = 0; i < 4; ++i)
    Ring[i] = 0;
  return ring(x, n) + ring(x, n - 2);
}

static double grow(const double *x, int n) {
  double *w = NULL, s = 0;
  int capacity = 0, m = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      if (m == capacity) {
        capacity = capacity ? 2 * capacity : 2;
        w = realloc(w, capacity * sizeof *w);
      }
      w[m++] = x[i] * x[j];
    }
  for (int i = 1; i < m; ++i)
    s += sin(w[i]) * w[i - 1];
  free(w);
  return s;
}

enum { N = 5 };
#define GRADIENT(f)                                                                \
  static void f##_gradient(const double *x, double *g, int n) {                    \
    memset(g, 0, n * sizeof *g);                                                   \
    __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, n);               \
  }
#define PRODUCT(f)                                                                 \
  static double f##_product(const double *x, const double *v, int n) {             \
    double *g = calloc(n, sizeof *g), s = 0;                                       \
    __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, n);               \
    for (int i = 0; i < n; ++i)                                                    \
      s += g[i] * v[i];                                                            \
    free(g);                                                                       \
    return s;                                                                      \
  }
GRADIENT(heap) GRADIENT(recursion) GRADIENT(list) GRADIENT(iteration)
GRADIENT(globals) GRADIENT(from_zero) GRADIENT(grow)
PRODUCT(heap) PRODUCT(recursion) PRODUCT(list) PRODUCT(iteration) PRODUCT(globals)
PRODUCT(from_zero)

#define FORWARD(f)                                                                 \
  {                                                                                \
    double g[N], hv[N] = {0};                                                      \
    __enzyme_fwddiff((void *)f##_gradient, enzyme_dup, x, v, enzyme_dup, g, hv,    \
                     enzyme_const, N);                                             \
    differences(f##_gradient, x, v, want);                                         \
    for (int i = 0; i < N; ++i)                                                    \
      rgCompare(__FILE__, __LINE__, #f " forward over reverse", hv[i], want[i], 1e-7); \
  }
#define REVERSE(f)                                                                 \
  {                                                                                \
    double hv[N] = {0};                                                            \
    __enzyme_autodiff((void *)f##_product, enzyme_dup, x, hv, enzyme_const, v,     \
                      enzyme_const, N);                                            \
    for (int i = 0; i < N; ++i)                                                    \
      rgCompare(__FILE__, __LINE__, #f " reverse over reverse", hv[i], want[i], 1e-7); \
  }
static void differences(void (*gradient)(const double *, double *, int), const double *x,
                        const double *v, double *want) {
  const double h = 1e-4;
  for (int i = 0; i < N; ++i)
    want[i] = 0;
  const double steps[] = {2 * h, h, -h, -2 * h}, weights[] = {-1, 8, -8, 1};
  for (int k = 0; k < 4; ++k) {
    double at[N], g[N];
    for (int i = 0; i < N; ++i)
      at[i] = x[i] + steps[k] * v[i];
    gradient(at, g, N);
    for (int i = 0; i < N; ++i)
      want[i] += weights[k] * g[i] / (12 * h);
  }
}

int main(void) {
  double x[N], v[N], want[N];
  for (int i = 0; i < N; ++i) {
    x[i] = 0.6 + 0.1 * i;
    v[i] = 1 - 0.3 * i;
  }
  for (int repeat = 0; repeat < 2; ++repeat) {
    FORWARD(heap) REVERSE(heap)
    FORWARD(recursion) REVERSE(recursion)
    FORWARD(list) REVERSE(list)
    FORWARD(iteration) REVERSE(iteration)
    FORWARD(globals) REVERSE(globals)
    FORWARD(from_zero) REVERSE(from_zero)
    FORWARD(grow)
  }
  return rgReport();
}
