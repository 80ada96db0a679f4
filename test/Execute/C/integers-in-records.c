// Records of numbers and integers in one pool: elements of arrays of integers at run-time indices, bit-fields and truth values are
// moved from record to record, and are no parts of numbers.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
int enzyme_dup, enzyme_const;

typedef struct Edge {
  struct Edge *next;
  double at[2];
  int ends[2];
  unsigned rank : 31, seen : 1;
  bool fixed[3];
  double weight;
} Edge;
typedef struct {
  char *base;
  size_t used;
} Pool;

static void *take(Pool *p, size_t n) {
  void *r = p->base + p->used;
  p->used += (n + 15) & ~(size_t)15;
  return r;
}
static void set(Edge *e, double v, int i, int end) {
  e->at[i] = v;
  e->ends[i] = end;
}
static void copy(Edge *a, const Edge *b, int i, int j) {
  a->ends[i] = b->ends[j];
  a->rank = b->rank;
  a->fixed[i] = b->fixed[j];
  a->at[i] = b->at[j] * b->weight;
}
static double edges(const double *x, int n) {
  Pool p = {malloc(4096), 0};
  Edge *all = 0;
  for (int i = 0; i < n; i++) {
    Edge *e = take(&p, sizeof *e);
    e->next = all;
    all = e;
    set(e, x[i] * x[0], i & 1, i);
    set(e, x[i], !(i & 1), n - 1 - i);
    e->rank = i % 3;
    e->seen = 0;
    e->fixed[0] = i % 2;
    e->fixed[1] = i % 3 == 0;
    e->fixed[2] = 0;
    e->weight = 1 + 0.1 * x[i];
  }
  for (Edge *e = all; e->next; e = e->next) {
    if (e->fixed[e->rank])
      copy(e, e->next, e->rank & 1, e->next->ends[0] & 1);
    e->seen = e->fixed[1];
  }
  double s = 0;
  for (Edge *e = all; e; e = e->next)
    s += sin(e->at[0]) * x[e->ends[0]] + e->at[1] * x[e->ends[1]] * (e->rank + 1) + e->seen * e->weight;
  free(p.base);
  return s;
}

int main() {
  RG_CHECK_VECTOR(edges);
  return rgReport();
}
