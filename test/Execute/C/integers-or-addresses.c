// Records of a tag and a word that is an integer in some and an address in others, moved by one function, through memory
// where only the integer is accessed.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.h"
#include <stdlib.h>
#include <string.h>
int enzyme_dup, enzyme_const;

struct Leaf {
  long tag;
  union {
    double *at;
    int count;
    long large;
  };
};

static __attribute__((noinline)) void move(struct Leaf *to, const struct Leaf *from) { memcpy(to, from, sizeof *to); }
static double value(const struct Leaf *l, double x) { return l->tag == 0 ? *l->at : l->tag == 1 ? l->count * x : l->large * x * x; }

static double moved(const double *x, int n) {
  struct Leaf v[6], w[6];
  double kept[6], s = 0;
  for (int i = 0; i < n; ++i) {
    v[i].tag = i % 3;
    kept[i] = x[i] * x[0];
    if (i % 3 == 0)
      v[i].at = &kept[i];
    else if (i % 3 == 1)
      v[i].count = i;
    else
      v[i].large = i + 7;
  }
  struct Leaf spare;
  spare.tag = 1;
  spare.count = 3;
  s += value(&spare, x[1]);
  for (int i = 0; i < n; ++i) {
    struct Leaf t = v[i];
    move(&spare, &t);
    move(&w[n - 1 - i], &spare);
  }
  for (int i = 0; i < n; ++i)
    s = s * 0.5 + (i + 1) * value(w + i, x[i]);
  return s;
}
static double grown(const double *x, int n) {
  struct Leaf *v = NULL;
  double kept = x[0] * x[1], s = 0;
  int room = 0;
  for (int i = 0; i < n; ++i) {
    if (i == room)
      v = (struct Leaf *)realloc(v, (room = 2 * room + 1) * sizeof *v);
    struct Leaf l;
    l.tag = i % 2;
    if (i % 2)
      l.count = i;
    else
      l.at = &kept;
    v[i] = l;
    kept *= x[i];
  }
  for (int i = 0; i < n; ++i)
    s = s * 0.5 + value(v + i, x[i]);
  free(v);
  return s;
}
int main(void) {
  RG_CHECK_VECTOR(moved);
  RG_CHECK_VECTOR(grown);
  return rgReport();
}
