// Programs that deal memory out themselves, by bytes: one block holds records of several kinds, arrays of addresses and of integers, at
// places that are rounded up. Records have bit-fields and arrays of integers beside numbers. They are sorted, copied as structs, and linked.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
int enzyme_dup, enzyme_const;

struct block {
  size_t free;
  struct block *next;
  char *memory;
};
struct point {
  double x, y;
};
struct site {
  struct point at;
  uint32_t index : 31;
  uint32_t border : 1;
};
struct edge {
  struct edge *next;
  struct site *ends[2];
  struct point from[2];
  int corners[2];
  double slope;
  uint32_t side : 1;
  uint32_t rank : 31;
};
struct arena {
  struct block *blocks;
  struct edge *pool;
  struct site *sites;
  int *counts;
  struct edge **edges;
  int numSites, numCorners;
};

static void *roundUp(void *p, size_t to) { return (void *)(((uintptr_t)p + to - 1) & ~(to - 1)); }

static void *deal(struct arena *a, size_t bytes) {
  if (!a->blocks || a->blocks->free < bytes + sizeof(void *)) {
    size_t size = 512 + bytes;
    struct block *b = malloc(sizeof *b + size);
    b->free = size;
    b->next = a->blocks;
    b->memory = (char *)b + sizeof *b;
    a->blocks = b;
  }
  void *at = a->blocks->memory, *p = roundUp(at, sizeof(void *));
  bytes += (uintptr_t)p - (uintptr_t)at;
  a->blocks->memory += bytes;
  a->blocks->free -= bytes;
  return p;
}

static struct edge *newEdge(struct arena *a) {
  struct edge *e = a->pool;
  if (e)
    a->pool = e->next;
  else
    e = deal(a, sizeof *e);
  e->corners[0] = e->corners[1] = -1;
  e->side = 0;
  e->rank = 1;
  return e;
}

static void sortSites(struct site *s, int n) {
  for (int i = 1; i < n; ++i) {
    struct site one = s[i];
    int k = i;
    for (; k > 0 && s[k - 1].at.y > one.at.y; --k)
      s[k] = s[k - 1];
    s[k] = one;
  }
}

static void join(struct arena *a, int i, int k) {
  struct edge *e = newEdge(a);
  e->ends[0] = &a->sites[i];
  e->ends[1] = &a->sites[k];
  for (int n = 0; n < 2; ++n)
    e->from[n] = e->ends[n]->at;
  e->slope = (e->from[1].y - e->from[0].y) / (1 + e->from[0].x * e->from[0].x);
  e->side = e->slope > 0;
  e->next = a->edges[i];
  a->edges[i] = e;
  a->counts[i]++;
}

static void number(struct arena *a, struct edge *e) {
  int before[2] = {e->corners[0], e->corners[1]};
  struct point was[2] = {e->from[0], e->from[1]};
  for (int i = 0; i < 2; ++i) {
    e->corners[i] = -1;
    for (int k = 0; k < 2; ++k)
      if (before[k] >= 0 && e->from[i].x == was[k].x && e->from[i].y == was[k].y)
        e->corners[i] = before[k];
    if (e->corners[i] < 0)
      e->corners[i] = a->numCorners++;
  }
  e->rank += e->corners[0];
}

static double arena(const double *x, int n) {
  size_t header = sizeof(struct arena), sites = n * sizeof(struct site);
  char *memory = malloc(header + 8 + sites + 8 + n * sizeof(struct edge *) + 8 + n * sizeof(int));
  struct arena *a = (struct arena *)memory;
  memset(a, 0, sizeof *a);
  memory += header;
  a->sites = roundUp(memory, 8);
  memory = (char *)a->sites + sites;
  a->edges = roundUp(memory, 8);
  memset(a->edges, 0, n * sizeof *a->edges);
  memory = (char *)a->edges + n * sizeof *a->edges;
  a->counts = (int *)memory;
  memset(a->counts, 0, n * sizeof *a->counts);
  a->numSites = n;
  for (int i = 0; i < n; ++i) {
    a->sites[i].at.x = x[i];
    a->sites[i].at.y = x[(i + 2) % n] * x[i];
    a->sites[i].index = i;
    a->sites[i].border = i % 2;
  }
  sortSites(a->sites, n);
  for (int i = 0; i < n; ++i)
    join(a, i, (i + 1) % n);
  struct edge *e = a->edges[0];
  a->edges[0] = 0;
  e->next = a->pool;
  a->pool = e;
  join(a, 0, 2);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (e = a->edges[i]; e; e = e->next) {
      number(a, e);
      number(a, e);
      sum += e->slope * (e->corners[1] + e->side + e->rank) + e->ends[1]->at.x * a->sites[i].index + a->counts[i] * e->from[0].y +
             a->sites[i].border;
    }
  for (struct block *b = a->blocks, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  free(a);
  return sum;
}

int main() {
  RG_CHECK_VECTOR(arena);
  return rgReport();
}
