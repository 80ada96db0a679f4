// Loops that read what the one before has just stored (lib/Primal/Optimise/JoinLoops.cpp): joined, or left alone where their order matters. From no iteration to
// some, in a loop over steps, with what both loops write read behind them.
// RG-LEVELS: O0 O1 O2 O3 fast
// RG-SWITCHES: join-loops
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;
#define ARGUMENTS int n, int steps, double *a
#define NEW(name) double *name = calloc(n + 2, sizeof(double))
#define EACH(i, from, to) for (int i = (from); i < (to); i++)

// As often.
static void alike(ARGUMENTS) {
  NEW(t);
  EACH(s, 0, steps) {
    EACH(i, 0, n) t[i] = a[i] * a[i] + 0.5;
    EACH(i, 0, n) a[i] = 0.25 * t[i] * t[i];
  }
  free(t);
}
// Once more, with something between: a chain of three, as in a Runge-Kutta method.
static void longer(ARGUMENTS) {
  NEW(y);
  NEW(stage);
  NEW(k);
  NEW(l);
  EACH(s, 0, steps) {
    k[0] = a[0];
    EACH(i, 1, n) k[i] = a[i] * y[i - 1];
    EACH(i, 0, n) stage[i] = y[i] + 0.5 * k[i];
    l[0] = a[0] * a[0];
    EACH(i, 1, n) l[i] = a[i] * stage[i - 1];
    EACH(i, 0, n) stage[i] = y[i] + 0.25 * l[i];
    k[0] += a[0];
    EACH(i, 1, n) k[i] += a[i] * stage[i - 1];
    EACH(i, 0, n) y[i] += 0.125 * (k[i] + l[i]) * stage[i];
  }
  EACH(i, 0, n) a[i] = y[i] + stage[i];
  free(y), free(stage), free(k), free(l);
}
// Downwards, and in larger steps.
static void downwards(ARGUMENTS) {
  NEW(t);
  NEW(b);
  EACH(s, 0, steps) {
    for (int i = n; i-- > 0;) t[i] = a[i] * a[i];
    for (int i = n; i-- > 1;) b[i] = t[i] * t[i] + a[i];
    for (int i = 0; i < n - 1; i += 2) t[i] = b[i] * a[i + 1];
    for (int i = 0; i < n - 1; i += 2) b[i] += 0.5 * t[i] * t[i];
    EACH(i, 0, n) a[i] = 0.5 * b[i] + 0.125 * t[i];
  }
  free(t), free(b);
}
// Members of structs, two of them between the steps of the others.
struct cell {
  double from, to, square;
};
static void members(ARGUMENTS) {
  struct cell *c = calloc(n + 1, sizeof *c);
  EACH(i, 0, n) c[i].from = a[i];
  EACH(s, 0, steps) {
    EACH(i, 0, n) c[i].to = 0.5 * c[i].from * c[i].from;
    EACH(i, 0, n) c[i].square = c[i].to * c[i].to + c[i].from;
    EACH(i, 0, n) c[i].from = sin(c[i].square);
  }
  EACH(i, 0, n) a[i] = c[i].from + c[i].to;
  free(c);
}
// Their order matters: what is read, written or overwritten ahead; arrays that are one.
static void ahead(ARGUMENTS) {
  NEW(t);
  NEW(b);
  EACH(s, 0, steps) {
    EACH(i, 0, n) t[i] = a[i] * a[i];
    EACH(i, 0, n - 1) b[i] = t[i] * t[i + 1];
    EACH(i, 0, n) t[i] = a[i] * b[i];
    EACH(i, 0, n) a[i + 1 < n ? i + 1 : 0] = t[i] * 0.5 + 0.25;
    EACH(i, 0, n - 1) t[i] = a[i] * a[i];
    EACH(i, 0, n - 1) a[i + 1] = t[i] + 0.5;
  }
  free(t), free(b);
}
static __attribute__((noinline)) void chain(int n, double *a, double *t, double *b) {
  EACH(i, 0, n) t[i] = a[i] * a[i] * 0.5;
  EACH(i, 0, n) b[i] = t[i] * t[i] + 0.5;
}
static void one(ARGUMENTS) {
  NEW(t);
  EACH(s, 0, steps) {
    chain(n, a, t, a);
    chain(n - 1, a, a, t + 1);
    chain(n - 1, t, t + 1, a);
    chain(n - 1, a, a + 1, a);
  }
  free(t);
}
// The second loop does not always run, for other reasons than its length.
static void sometimes(ARGUMENTS) {
  NEW(t);
  EACH(s, 0, steps) {
    EACH(i, 0, n) t[i] = a[i] * a[i] + 0.5;
    if (s % 2)
      EACH(i, 0, n) a[i] = 0.25 * t[i] * t[i];
    else
      EACH(i, 0, n) a[i] += 0.5 * t[n - 1 - i];
  }
  free(t);
}


enum { Most = 9 };
#define TRY(run)                                                                                                                            \
  static double sum_##run(int n, int steps, const double *x) {                                                                              \
    double a[Most + 2] = {0}, sum = 0;                                                                                                      \
    EACH(i, 0, n) a[i] = x[i];                                                                                                              \
    run(n, steps, a);                                                                                                                       \
    EACH(i, 0, n) sum += sin(a[i]) * (i + 1);                                                                                               \
    return sum;                                                                                                                             \
  }                                                                                                                                         \
  static void try_##run(int n, int steps) {                                                                                                 \
    double x[Most + 1], g[Most + 1] = {0};                                                                                                  \
    EACH(i, 0, n) x[i] = 0.3 + 0.2 * sin(i + 1.0);                                                                                          \
    __enzyme_autodiff((void *)sum_##run, enzyme_const, n, enzyme_const, steps, enzyme_dup, x, g);                                           \
    EACH(i, 0, n) {                                                                                                                         \
      double d[Most + 1] = {0};                                                                                                             \
      d[i] = 1;                                                                                                                             \
      double forward = __enzyme_fwddiff((void *)sum_##run, enzyme_const, n, enzyme_const, steps, enzyme_dup, x, d); \
      RG_NEAR(g[i], forward);                                                                                                               \
      RG_GRAD(g[i], sum_##run(n, steps, x), x[i]);                                                                                          \
    }                                                                                                                                       \
  }
TRY(alike)
TRY(longer)
TRY(downwards)
TRY(members)
TRY(ahead)
TRY(one)
TRY(sometimes)

int main(void) {
  EACH(n, 1, Most + 1) EACH(steps, 0, 4) {
    try_alike(n, steps);
    try_longer(n, steps);
    try_downwards(n, steps);
    try_members(n, steps);
    try_ahead(n, steps);
    try_one(n, steps);
    try_sometimes(n, steps);
  }
  return rgReport();
}
