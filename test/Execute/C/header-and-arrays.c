// A state whose header, inner state and arrays lie in one block, and one array of it is the target of a
// copy of run-time length; beside it, a stack of bytes that numbers, addresses and counts are pushed on.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

typedef struct { double re, im; } Pair;
typedef struct { int n, way; int factors[8]; Pair turns[1]; } Inner;
typedef struct { Inner *inner; Pair *scratch, *weights; } State;

static size_t bytesOf(int n) { return sizeof(Inner) + sizeof(Pair) * (n - 1); }
static State *make(int n) {
  State *s = malloc(sizeof *s + bytesOf(n) + sizeof(Pair) * (n + n / 2));
  s->inner = (Inner *)(s + 1);
  s->scratch = (Pair *)((char *)s->inner + bytesOf(n));
  s->weights = s->scratch + n;
  s->inner->n = n;
  s->inner->way = 1;
  for (int i = 0; i < 8; ++i)
    s->inner->factors[i] = i + 2;
  for (int i = 0; i < n; ++i) {
    s->inner->turns[i].re = cos(i);
    s->inner->turns[i].im = sin(i);
  }
  for (int i = 0; i < n / 2; ++i) {
    s->weights[i].re = cos(2 * i);
    s->weights[i].im = 1 + i;
  }
  return s;
}
static void turn(const Inner *s, const Pair *in, Pair *out) {
  int n = s->n;
  if (in != out) {
    for (int i = 0; i < n; ++i) {
      out[i].re = in[n - 1 - i].re * s->turns[i].re - in[i].im * s->turns[i].im;
      out[i].im = in[i].im * s->factors[i & 7];
    }
    return;
  }
  Pair *t = malloc(sizeof(Pair) * n);
  for (int i = 0; i < n; ++i) {
    t[i].re = sin(in[n - 1 - i].re) * s->turns[i].re;
    t[i].im = in[i].im * in[i].re * s->way;
  }
  memcpy(out, t, sizeof(Pair) * n);
  free(t);
}
static double transformed(const double *x, int n) {
  State *s = make(n);
  turn(s->inner, (const Pair *)x, s->scratch);
  turn(s->inner, s->scratch, s->scratch);
  double r = 0;
  for (int i = 0; i < n / 2; ++i)
    r += s->scratch[i].re * s->scratch[i].im * s->weights[i].re + s->scratch[n - 1 - i].im * s->weights[i].im;
  free(s);
  return r;
}

// Frames of several kinds in one buffer, which moves when it grows.
typedef struct { char *at; size_t used, room; } Stack;
static void *push(Stack *s, size_t n) {
  if (s->used + n > s->room) {
    size_t room = 2 * (s->used + n);
    char *more = malloc(room);
    memcpy(more, s->at, s->used);
    free(s->at);
    s->at = more;
    s->room = room;
  }
  s->used += n;
  return s->at + s->used - n;
}
static void *pop(Stack *s, size_t n) {
  s->used -= n;
  return s->at + s->used;
}
static double stacked(const double *x, int n) {
  Stack s = {malloc(8), 0, 8};
  double kept[3] = {x[0], x[1] * x[2], 2}, r = 0;
  for (int i = 0; i < n; ++i) {
    if (i % 3 == 0)
      *(double **)push(&s, 8) = &kept[(i / 3) % 3];
    else if (i % 3 == 1)
      *(double *)push(&s, 8) = x[i] * x[i];
    else
      *(long *)push(&s, 8) = -i;
  }
  for (int i = n; i-- > 0;) {
    if (i % 3 == 0) {
      double *p = *(double **)pop(&s, 8);
      r += *p * x[i];
    } else if (i % 3 == 1) {
      double v = *(double *)pop(&s, 8);
      r += sin(v) * (i + 1);
    } else {
      long k = *(long *)pop(&s, 8);
      r += k * x[i];
    }
  }
  free(s.at);
  return r;
}

#define N 16
#define CHECK(F, COUNT)                                                                      \
  do {                                                                                       \
    double x[N], d[N] = {0};                                                                 \
    for (int i = 0; i < N; ++i)                                                              \
      x[i] = 0.3 + 0.1 * i;                                                                  \
    __enzyme_autodiff((void *)F, enzyme_dup, x, d, enzyme_const, COUNT);                     \
    for (int i = 0; i < N; ++i) {                                                            \
      double t[N] = {0};                                                                     \
      t[i] = 1;                                                                              \
      RG_GRAD(d[i], F(x, COUNT), x[i]);                                                      \
      RG_NEAR(__enzyme_fwddiff((void *)F, enzyme_dup, x, t, enzyme_const, COUNT), d[i]);     \
    }                                                                                        \
  } while (0)
int main(void) {
  CHECK(transformed, 8);
  CHECK(stacked, 16);
  return rgReport();
}
