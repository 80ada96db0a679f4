// Messages of two kinds go through the same buffers and the same exchange, whose callbacks get their data behind void *.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

typedef struct { int id, kind; double at[3], moves[3]; } Particle;
typedef struct { double value; } Force;
typedef struct { int count; int *id, *kind; double (*at)[3], (*moves)[3]; double *energy; } Particles;
typedef struct { double *value; Particles *of; } Forces;
typedef struct { int n; int *list; double *shift; } Cells;
typedef struct { int n; int *list; } Borders;
typedef struct {
  int room;
  int (*load)(void *, void *, char *);
  void (*unload)(void *, void *, int, char *);
  void *with;
} Exchange;

static void *get(size_t n) { return malloc(n); }
static int loadParticles(void *with, void *data, char *to) {
  Cells *c = with;
  Particles *p = data;
  Particle *m = (Particle *)to;
  for (int j = 0; j < c->n; ++j) {
    int i = c->list[j];
    m[j].id = p->id[i];
    m[j].kind = p->kind[i];
    for (int k = 0; k < 3; ++k) {
      m[j].at[k] = p->at[i][k] + c->shift[k];
      m[j].moves[k] = p->moves[i][k];
    }
  }
  return c->n * sizeof(Particle);
}
static void unloadParticles(void *with, void *data, int bytes, char *from) {
  Particles *p = data;
  Particle *m = (Particle *)from;
  for (int j = 0; j < bytes / (int)sizeof(Particle); ++j) {
    int i = p->count++;
    p->id[i] = m[j].id;
    p->kind[i] = m[j].kind;
    for (int k = 0; k < 3; ++k) {
      p->at[i][k] = m[j].at[k];
      p->moves[i][k] = m[j].moves[k];
    }
  }
}
static int loadForces(void *with, void *data, char *to) {
  Borders *b = with;
  Forces *f = data;
  Force *m = (Force *)to;
  for (int i = 0; i < b->n; ++i)
    m[i].value = f->value[b->list[i]];
  return b->n * sizeof(Force);
}
static void unloadForces(void *with, void *data, int bytes, char *from) {
  Borders *b = with;
  Forces *f = data;
  Force *m = (Force *)from;
  for (int i = 0; i < b->n; ++i)
    f->value[b->list[i] + b->n] = m[i].value;
}
static int transmit(void *from, int n, void *to) {
  memcpy(to, from, n);
  return n;
}
__attribute__((noinline)) static void exchange(Exchange *e, void *data) {
  char *out = get(e->room), *in = get(e->room);
  int n = transmit(out, e->load(e->with, data, out), in);
  e->unload(e->with, data, n, in);
  free(out);
  free(in);
}
#define N 8
static double energy(const double *x, int n) {
  Particles *p = get(sizeof *p);
  p->count = N;
  p->id = get(8 * N);
  p->kind = get(8 * N);
  p->at = get(48 * N);
  p->moves = get(48 * N);
  p->energy = get(16 * N);
  for (int i = 0; i < N; ++i) {
    p->id[i] = i;
    p->kind[i] = i % 3;
    for (int k = 0; k < 3; ++k) {
      p->at[i][k] = x[3 * i + k];
      p->moves[i][k] = cos(x[3 * i + k]);
    }
  }
  Cells *c = get(sizeof *c);
  c->n = N;
  c->list = get(4 * N);
  c->shift = get(24);
  for (int k = 0; k < 3; ++k)
    c->shift[k] = k;
  for (int i = 0; i < N; ++i)
    c->list[i] = i;
  Exchange *e = get(sizeof *e);
  *e = (Exchange){N * sizeof(Particle), loadParticles, unloadParticles, c};
  exchange(e, p);
  Borders *b = get(sizeof *b);
  b->n = N;
  b->list = c->list;
  Forces *f = get(sizeof *f);
  f->value = p->energy;
  f->of = p;
  for (int i = 0; i < N; ++i)
    p->energy[i] = p->at[i][0] * p->at[i + N][1] * p->moves[i + N][2];
  Exchange *g = get(sizeof *g);
  *g = (Exchange){N * sizeof(Particle), loadForces, unloadForces, b};
  exchange(g, f);
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += sin(p->energy[i + N]) * (i + 1) + p->energy[i] * p->kind[i + N] + p->id[i + N];
  return s;
}
int main(void) {
  double x[3 * N], d[3 * N] = {0};
  for (int i = 0; i < 3 * N; ++i)
    x[i] = 0.1 * i;
  __enzyme_autodiff((void *)energy, enzyme_dup, x, d, enzyme_const, 3 * N);
  for (int i = 0; i < 3 * N; ++i) {
    double t[3 * N] = {0};
    t[i] = 1;
    RG_GRAD(d[i], energy(x, 3 * N), x[i]);
    RG_NEAR(__enzyme_fwddiff((void *)energy, enzyme_dup, x, t, enzyme_const, 3 * N), d[i]);
  }
  return rgReport();
}
