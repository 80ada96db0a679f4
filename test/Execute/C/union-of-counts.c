// The nodes of a search tree are a union of a leaf's two counts and a split's two numbers, in a pool of blocks that are linked by
// their first word. A function that calls itself is handed the counts as integers, and stores them where others have numbers.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
int enzyme_dup, enzyme_const;

typedef struct Node {
  union {
    struct {
      size_t left, right;
    } leaf;
    struct {
      int dim;
      double low, high;
    } split;
  } u;
  struct Node *a, *b;
} Node;
typedef struct {
  char *at;
  size_t left;
  void *base;
} Pool;

static void *take(Pool *p, size_t n) {
  n = (n + 15) & ~(size_t)15;
  if (n > p->left) {
    void **m = malloc(4096);
    m[0] = p->base;
    p->base = m;
    p->at = (char *)m + 16;
    p->left = 4080;
  }
  void *r = p->at;
  p->at += n;
  p->left -= n;
  return r;
}

static Node *build(Pool *p, const double *x, size_t *idx, size_t l, size_t r, double *box) {
  Node *n = take(p, sizeof *n);
  if (r - l <= 2) {
    n->a = n->b = 0;
    n->u.leaf.left = l;
    n->u.leaf.right = r;
    box[0] = box[1] = x[idx[l]];
    for (size_t i = l + 1; i < r; i++) {
      double v = x[idx[i]];
      box[0] = fmin(box[0], v);
      box[1] = fmax(box[1], v);
    }
    return n;
  }
  double cut = (box[0] + box[1]) / 2;
  size_t m = l, e = r;
  while (m < e) {
    if (x[idx[m]] < cut) {
      m++;
    } else {
      size_t t = idx[m];
      idx[m] = idx[--e];
      idx[e] = t;
    }
  }
  if (m == l || m == r)
    m = (l + r) / 2;
  double lower[2], upper[2];
  memcpy(lower, box, sizeof lower);
  memcpy(upper, box, sizeof upper);
  lower[1] = upper[0] = cut;
  n->u.split.dim = 0;
  n->a = build(p, x, idx, l, m, lower);
  n->b = build(p, x, idx, m, r, upper);
  n->u.split.low = lower[1];
  n->u.split.high = upper[0];
  box[0] = fmin(lower[0], upper[0]);
  box[1] = fmax(lower[1], upper[1]);
  return n;
}

// What another branch has to be near is added up, so that the numbers of splits have a part in the result.
static void find(const Node *n, const double *x, const size_t *idx, double q, double *best, double *near) {
  if (!n->a) {
    for (size_t i = n->u.leaf.left; i < n->u.leaf.right; i++) {
      double d = (x[idx[i]] - q) * (x[idx[i]] - q);
      if (d > 1e-12 && d < *best)
        *best = d;
    }
    return;
  }
  double below = q - n->u.split.low, above = q - n->u.split.high;
  int first = below + above < 0;
  double far = first ? above * above : below * below;
  find(first ? n->a : n->b, x, idx, q, best, near);
  *near += 1e-2 * far;
  if (far <= *best)
    find(first ? n->b : n->a, x, idx, q, best, near);
}

static double tree(const double *at, int n) {
  Pool p = {0, 0, 0};
  double *x = malloc(n * sizeof *x);
  for (int i = 0; i < n; i++)
    x[i] = at[i] * at[i];
  size_t *idx = malloc(n * sizeof *idx);
  double box[2] = {x[0], x[0]};
  for (int i = 0; i < n; i++) {
    idx[i] = i * 5 % n;
    box[0] = fmin(box[0], x[i]);
    box[1] = fmax(box[1], x[i]);
  }
  Node *t = build(&p, x, idx, 0, n, box);
  double s = 0;
  for (int i = 0; i < n; i++) {
    double best = 1e9, near = 0;
    find(t, x, idx, x[i], &best, &near);
    s += sqrt(best) * (1 + i % 3) + near;
  }
  while (p.base) {
    void *m = p.base;
    p.base = *(void **)m;
    free(m);
  }
  free(idx);
  free(x);
  return s;
}

int main() {
  RG_CHECK_VECTOR(tree);
  return rgReport();
}
