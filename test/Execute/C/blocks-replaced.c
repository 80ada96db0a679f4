// Blocks of the caller's that the function replaces by others: afterwards the
// derivatives lie at the same offsets of what their shadows lead to.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
extern int enzyme_dup, enzyme_width;

typedef struct {
  double *at;
  long count, room;
} Array;
typedef struct {
  float weight;
  double number;
  double *also; // an address among the numbers
} Record;
typedef struct {
  Record *at;
  long count;
} Records;

static void append(Array *a, double x) {
  if (a->count == a->room) {
    a->room = a->room ? 2 * a->room : 2;
    a->at = realloc(a->at, a->room * sizeof(double));
  }
  a->at[a->count++] = x;
}
static double squares(const Array *a) {
  double s = 0;
  for (long i = 0; i < a->count; ++i)
    s += (i + 1) * a->at[i] * a->at[i];
  return s;
}
static double grow(Array *a, double *x) {
  for (int i = 0; i < 9; ++i)
    append(a, *x * a->at[i / 2]);
  a->at[1] *= a->at[0];
  return squares(a);
}
// By a variable, which the caller's pointer gets in the end.
static double growApart(Array *a, double *x) {
  double *p = a->at;
  for (int n = 3; n < 40; n += 7) {
    p = realloc(p, n * sizeof *p);
    p[n - 1] = *x * p[0] * n;
  }
  a->at = p;
  return p[2] * p[1] + p[37] * p[16];
}
static double copyOver(Array *a, double *x) {
  double *p = malloc(5 * sizeof *p), *old = a->at;
  p[0] = old[0] * *x;
  p[1] = old[1] * old[0];
  p[2] = p[3] = p[4] = *x;
  a->at = p;
  free(old);
  a->count = a->room = 5;
  return squares(a);
}
static double copyTwice(Array *a, double *x) {
  copyOver(a, x);
  double *p = calloc(3, sizeof *p);
  p[2] = a->at[0] * a->at[1];
  free(a->at);
  a->at = p;
  a->count = 3;
  return squares(a);
}
static double records(Records *r, double *x) {
  r->at = realloc(r->at, 3 * sizeof(Record));
  r->at[2].weight = (float)*x;
  r->at[2].number = r->at[0].number * r->at[1].weight;
  r->at[2].also = r->at[1].also;
  double s = 0;
  for (int i = 0; i < 3; ++i)
    s += r->at[i].weight * r->at[i].number * *r->at[i].also;
  return s;
}
static double restart(Array *a, double *x) { // nothing follows the block
  double s = squares(a) * *x;
  free(a->at);
  a->at = NULL;
  a->count = a->room = 0;
  return s;
}

static Array make(double u, double v) {
  Array a = {malloc(2 * sizeof(double)), 2, 2};
  a.at[0] = u;
  a.at[1] = v;
  return a;
}
static double at(double (*f)(Array *, double *), const double *in) {
  Array a = make(in[0], in[1]);
  double x = in[2], y = f(&a, &x);
  free(a.at);
  return y;
}
#define CHECK(f)                                                               \
  do {                                                                         \
    double in[3] = {1.5, 0.5, 0.7};                                            \
    Array a = make(in[0], in[1]), d = make(0, 0), e = make(0, 0);              \
    double x = in[2], dx = 0, ex = 0;                                          \
    __enzyme_autodiff((void *)f, enzyme_dup, &a, &d, enzyme_dup, &x, &dx);     \
    RG_GRAD(d.at[0], at(f, in), in[0]);                                        \
    RG_GRAD(d.at[1], at(f, in), in[1]);                                        \
    RG_GRAD(dx, at(f, in), in[2]);                                             \
    free(a.at);                                                                \
    free(d.at);                                                                \
    a = make(in[0], in[1]);                                                    \
    d = make(0, 0);                                                            \
    dx = 0;                                                                    \
    void *tape = __enzyme_augmentfwd((void *)f, enzyme_dup, &a, &d,            \
                                     enzyme_dup, &x, &dx);                     \
    __enzyme_reverse((void *)f, enzyme_dup, &a, &d, enzyme_dup, &x, &dx, 1.0,  \
                     tape);                                                    \
    RG_GRAD(d.at[0], at(f, in), in[0]);                                        \
    RG_GRAD(d.at[1], at(f, in), in[1]);                                        \
    free(a.at);                                                                \
    free(d.at);                                                                \
    a = make(in[0], in[1]);                                                    \
    d = make(0, 0);                                                            \
    __enzyme_autodiff((void *)f, enzyme_width, 2, enzyme_dup, &a, &d, &e,      \
                      enzyme_dup, &x, &dx, &ex);                               \
    RG_GRAD(e.at[0], at(f, in), in[0]);                                        \
    RG_GRAD(d.at[1], at(f, in), in[1]);                                        \
    free(a.at);                                                                \
    free(d.at);                                                                \
    free(e.at);                                                                \
    a = make(in[0], in[1]);                                                    \
    d = make(1, 0);                                                            \
    dx = 0;                                                                    \
    RG_GRAD(                                                                   \
        __enzyme_fwddiff((void *)f, enzyme_dup, &a, &d, enzyme_dup, &x, &dx),  \
        at(f, in), in[0]);                                                     \
    free(a.at);                                                                \
    free(d.at);                                                                \
  } while (0)

int main(void) {
  CHECK(grow);
  CHECK(growApart);
  CHECK(copyOver);
  CHECK(copyTwice);

  double p = 2, dp = 0, x = 0.7, dx = 0;
  Records r = {malloc(2 * sizeof(Record)), 2},
          dr = {calloc(2, sizeof(Record)), 2};
  r.at[0] = (Record){3, 1.5, &p};
  r.at[1] = (Record){4, 0.5, &p};
  dr.at[0].also = dr.at[1].also = &dp;
  __enzyme_autodiff((void *)records, enzyme_dup, &r, &dr, enzyme_dup, &x, &dx);
  RG_NEARF(dr.at[0].number, 2 * 3 + 2 * 0.7 * 4);
  RG_NEAR(dr.at[1].number, 2 * 4);
  RG_NEAR(dr.at[0].weight, 2 * 1.5);
  RG_NEARF(dr.at[1].weight, 2 * 0.5 + 2 * 0.7 * 1.5);
  RG_NEARF(dp, 3 * 1.5 + 4 * 0.5 + 0.7 * 1.5 * 4);
  RG_TRUE(dr.at[0].also == &dp && dr.at[2].also == &dp);
  free(r.at);
  free(dr.at);

  Array a = make(1.5, 0.5), d = make(0, 0);
  dx = 0;
  __enzyme_autodiff((void *)restart, enzyme_dup, &a, &d, enzyme_dup, &x, &dx);
  RG_NEAR(dx, 1.5 * 1.5 + 2 * 0.5 * 0.5);
  RG_TRUE(d.at == NULL);
  return rgReport();
}
