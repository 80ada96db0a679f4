// Forward mode from a tape: the function runs once, its tangents are computed later,
// from what the run was, as often and along as many directions as one likes.
// RG-LEVELS: O0 O1 O2 O3 g
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
extern int enzyme_const, enzyme_dup, enzyme_dupnoneed, enzyme_out, enzyme_tape, enzyme_allocated;
extern int enzyme_nofree, enzyme_width, enzyme_primal_return;

struct tape_and_value { void *tape; double value; };
struct tape_and_value __enzyme_augmentfwd(void *, ...);
void *__enzyme_augmentfwd_tape(void *, ...);
double __enzyme_augmentfwd_value(void *, ...);
double __enzyme_fwdsplit(void *, ...);
void __enzyme_fwdsplit_void(void *, ...);
struct two { double a, b; };
struct two __enzyme_fwdsplit_two(void *, ...);
double __enzyme_fwddiff(void *, ...);
double __enzyme_reverse(void *, ...);
void rg_tape_free(void *);

// Numbers, a path that depends on them.
static double number(double x, double y) {
  double s = x;
  for (int i = 0; i < 5 && s < 40; ++i)
    s = s > 3 ? s * y : s + sin(s * y);
  return s;
}

static void numbers(void) {
  for (double x = .5; x < 6; x += .7) {
    double want = (number(x + 1e-6, 1.2) - number(x - 1e-6, 1.2)) / 2e-6;
    struct tape_and_value t = __enzyme_augmentfwd((void *)number, x, 1.2);
    RG_NEAR(t.value, number(x, 1.2));
    double d = __enzyme_fwdsplit((void *)number, enzyme_dup, x, 1.0, enzyme_dup, 1.2, 0.0, t.tape);
    RG_WITHIN(d, want, 1e-5);
    RG_NEAR(d, __enzyme_fwddiff((void *)number, enzyme_dup, x, 1.0, enzyme_dup, 1.2, 0.0));
  }
}

// Memory that the function and then the program overwrite; memory of its own; lists;
// a callee; lengths that are data.
struct node { double v; struct node *next; };
static int runs;
__attribute__((noinline)) static double weigh(const struct node *l, double *state, int n) {
  double s = 0;
  for (; l; l = l->next) {
    if (l->v < 0)
      continue;
    s += l->v * state[(int)s % n];
    state[(int)s % n] *= cos(l->v);
  }
  return s;
}
static double walk(double *x, int n, double *out) {
  struct node *list = 0;
  double *copy = malloc(n * sizeof *copy);
  memcpy(copy, x, n * sizeof *copy);
  ++runs;
  for (int i = 0; i < n; ++i) {
    struct node *e = malloc(sizeof *e);
    e->v = copy[i] * copy[(i + 1) % n];
    e->next = list;
    list = e;
    x[i] = exp(x[i]) / 3;
  }
  double s = weigh(list, x, n);
  for (int i = 0; i < n; ++i)
    out[i] = x[i] * s;
  while (list) {
    struct node *e = list->next;
    free(list);
    list = e;
  }
  free(copy);
  return s;
}

enum { N = 5 };
static void start(double *x) {
  for (int i = 0; i < N; ++i)
    x[i] = .3 + .4 * i - (i == 3 ? 2 : 0);
}
static void memory(void) {
  double x[N], out[N], dx[N], dout[N], wantx[N], wantout[N];
  start(x);
  runs = 0;
  struct tape_and_value t =
      __enzyme_augmentfwd((void *)walk, enzyme_dup, x, dx, enzyme_const, N, enzyme_dup, out, dout);
  RG_TRUE(runs == 1);
  for (int k = 0; k < N; ++k) {
    double y[N], o[N];
    start(y);
    memset(dx, 0, sizeof dx);
    dx[k] = 1;
    memset(dout, 0, sizeof dout);
    memcpy(wantx, dx, sizeof dx);
    memset(wantout, 0, sizeof dout);
    double want = __enzyme_fwddiff((void *)walk, enzyme_dup, y, wantx, enzyme_const, N, enzyme_dup, o, wantout);
    for (int i = 0; i < N; ++i) { // the sweep's own business
      if (!k)
        RG_NEAR(out[i], o[i]);
      x[i] = 1e9;
      out[i] = -7;
    }
    runs = 0;
    double d = __enzyme_fwdsplit((void *)walk, enzyme_nofree, enzyme_dup, x, dx, enzyme_const, -3,
                                 enzyme_dup, out, dout, t.tape);
    RG_TRUE(runs == 0);
    RG_NEAR(d, want);
    for (int i = 0; i < N; ++i) {
      RG_NEAR(dx[i], wantx[i]);
      RG_NEAR(dout[i], wantout[i]);
      RG_TRUE(x[i] == 1e9 && out[i] == -7);
    }
  }
  rg_tape_free(t.tape);
}

// Several tapes, read in any order; more records than a piece of the log has.
static double chain(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    x[i % 3] = sin(x[i % 3] + x[(i + 1) % 3]);
    s += x[i % 3];
  }
  return s;
}
static void many(void) {
  void *tapes[4];
  double want[4];
  int n[] = {3, 5000, 0, 70};
  for (int k = 0; k < 4; ++k) {
    double x[3] = {k + 1., .2, .7}, y[3] = {k + 1., .2, .7}, dx[3] = {0}, dy[3] = {0, 1, 0};
    want[k] = __enzyme_fwddiff((void *)chain, y, dy, n[k]);
    tapes[k] = __enzyme_augmentfwd_tape((void *)chain, x, dx, n[k]);
  }
  for (int k = 3; k >= 0; --k) {
    double x[3], dx[3] = {0, 1, 0};
    RG_NEAR(__enzyme_fwdsplit((void *)chain, x, dx, 0, tapes[k]), want[k]);
  }
}

// Lanes; a tape in memory of the program's; the value once more.
static double product(double x, const double *p) { return x * p[0] * sin(p[1]); }
static void forms(void) {
  double p[2] = {2, 3}, da[2] = {1, 0}, db[2] = {0, 1};
  char memory[64];
  double v = __enzyme_augmentfwd_value((void *)product, enzyme_allocated, 64, enzyme_tape, memory, enzyme_dup, 1.5, 0.0,
                                       enzyme_dup, p, da);
  RG_NEAR(v, product(1.5, p));
  double q[2] = {99, 99};
  struct two r = __enzyme_fwdsplit_two((void *)product, enzyme_width, 2, enzyme_allocated, 64, enzyme_tape, memory,
                                       enzyme_dup, 0.0, 1.0, 0.0, enzyme_dup, q, da, db);
  RG_NEAR(r.a, product(1, p) + 1.5 * sin(3));
  RG_NEAR(r.b, 1.5 * 2 * cos(3));
}
static double square(double x) { return x * x * x; }
static void primal(void) {
  void *t = __enzyme_augmentfwd_tape((void *)square, 2.0);
  struct two r = __enzyme_fwdsplit_two((void *)square, enzyme_primal_return, 2.0, 10.0, t);
  RG_NEAR(r.a, 8);
  RG_NEAR(r.b, 120);
  // Without a run: as __enzyme_fwddiff.
  RG_NEAR(__enzyme_fwdsplit((void *)square, 2.0, 10.0, (void *)0), 120);
}

// As material models do it: no shadows in the first half, a tape in memory of theirs,
// kept for many directions.
static void stress(double *s, const double *e, double mu) {
  double trace = e[0] + e[1] + e[2];
  for (int i = 0; i < 3; ++i)
    s[i] = mu * log(1 + trace * trace) + 2 * e[i] * trace;
}
static void first(double *s, double *e, double mu, double *tape) {
  __enzyme_augmentfwd_tape((void *)stress, enzyme_allocated, 48, enzyme_tape, tape, enzyme_nofree, enzyme_dup, s,
                           (double *)0, enzyme_dup, e, (double *)0, enzyme_const, mu);
}
static void second(double *s, double *ds, double *e, double *de, double mu, double *tape) {
  __enzyme_fwdsplit_void((void *)stress, enzyme_allocated, 48, enzyme_tape, tape, enzyme_nofree, enzyme_dup, s, ds,
                         enzyme_dup, e, de, enzyme_const, mu);
}
// The tape of first() is not for this.
static void backwards(double *s, double *ds, double *e, double *de, double mu, double *tape) {
  __enzyme_reverse((void *)stress, enzyme_allocated, 48, enzyme_tape, tape, enzyme_dup, s, ds, enzyme_dup, e, de,
                   enzyme_const, mu);
}
static void material(void) {
  double s[3], e[3] = {.1, .2, .4}, tape[6];
  first(s, e, 1.7, tape);
  for (int k = 0; k < 3; ++k) {
    double ds[3] = {0}, de[3] = {0};
    de[k] = 1;
    second(s, ds, e, de, 1.7, tape);
    for (int i = 0; i < 3; ++i)
      RG_NEAR(ds[i], 1.7 * 1.4 / 1.49 + 2 * e[i] + (i == k ? 1.4 : 0));
  }
  void *t;
  memcpy(&t, tape, sizeof t);
  rg_tape_free(t);
  double ds[3] = {0}, de[3] = {0};
  if (s[0] > 1e6)
    backwards(s, ds, e, de, 1.7, tape);
}

// A reverse sweep of the same function, where the program shows whose tape is whose.
static double both(double x) { return exp(x) * x; }
static void reversed(void) {
  struct tape_and_value a = __enzyme_augmentfwd((void *)both, enzyme_out, 1.0);
  struct tape_and_value b = __enzyme_augmentfwd((void *)both, enzyme_dup, 1.0, 0.0);
  RG_NEAR(__enzyme_fwdsplit((void *)both, 1.0, 1.0, b.tape), 2 * exp(1));
  RG_NEAR(__enzyme_reverse((void *)both, enzyme_out, 1.0, 1.0, a.tape), 2 * exp(1));
}

int main(void) {
  numbers();
  memory();
  many();
  forms();
  primal();
  material();
  reversed();
  return rgReport();
}
int enzyme_const, enzyme_dup, enzyme_dupnoneed, enzyme_out, enzyme_tape, enzyme_allocated;
int enzyme_nofree, enzyme_width, enzyme_primal_return;
