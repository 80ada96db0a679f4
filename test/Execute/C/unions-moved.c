// A tagged union of a number and a pointer that goes through a local variable: the optimiser moves its word as the one that
// the code around uses, also on the way on which it is the other one.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.h"
#include <stdlib.h>
int enzyme_dup, enzyme_const;

struct Leaf {
  int tag;
  union {
    double number;
    double *at;
  };
};

static void fill(struct Leaf *v, double *kept, const double *x, int n) {
  for (int i = 0; i < n; ++i) {
    v[i].tag = i % 2;
    if (i % 2) {
      v[i].number = x[i];
    } else {
      kept[i] = x[i] * x[0];
      v[i].at = &kept[i];
    }
  }
}
static double sum(const struct Leaf *v, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += v[i].tag ? v[i].number * v[i].number : *v[i].at;
  return s;
}

// Moved as a pointer.
static double as_pointers(const double *x, int n) {
  struct Leaf v[6], w[6];
  double kept[6], s = 0;
  fill(v, kept, x, n);
  for (int i = 0; i < n; ++i) {
    struct Leaf l = v[i];
    if (!l.tag)
      s += *l.at * x[1];
    w[i] = l;
  }
  return s + sum(w, n);
}
// Moved as a number.
static double as_numbers(const double *x, int n) {
  struct Leaf v[6], *w = malloc(n * sizeof *w);
  double kept[6], s = 0;
  fill(v, kept, x, n);
  for (int i = 0; i < n; ++i) {
    struct Leaf l = v[i];
    if (l.tag)
      s += l.number * x[1];
    w[i * 5 % n] = l;
  }
  s += sum(w, n);
  free(w);
  return s;
}
// Carried from iteration to iteration.
static double best(const double *x, int n) {
  struct Leaf *v = malloc(n * sizeof *v);
  double *kept = malloc(n * sizeof *kept), s = 0;
  fill(v, kept, x, n);
  struct Leaf best = v[0];
  for (int i = 1; i < n; ++i) {
    struct Leaf l = v[i];
    if (l.tag)
      s += l.number * x[1];
    if (x[i] > 1.0)
      best = l;
    else if (best.tag)
      s += best.number;
    v[(i + 1) % n] = best;
  }
  s += sum(v, n);
  free(v);
  free(kept);
  return s;
}
// In no memory at all.
static double last(const double *x, int n) {
  double *kept = malloc(n * sizeof *kept), s = 0;
  struct Leaf o;
  o.tag = -1;
  for (int i = 0; i < n; ++i) {
    if (o.tag == 1)
      s += o.number * o.number;
    else if (o.tag == 0)
      s += *o.at;
    struct Leaf l;
    l.tag = i % 2;
    if (i % 2) {
      l.number = x[i];
    } else {
      kept[i] = x[i] * x[i];
      l.at = &kept[i];
    }
    o = l;
  }
  free(kept);
  return s;
}
// Two that change places, and a choice between two.
static double swapped(const double *x, int n) {
  struct Leaf v[6];
  double kept[6];
  fill(v, kept, x, n);
  for (int i = 0; i + 1 < n; ++i) {
    struct Leaf a = v[i], b = v[i + 1];
    v[i] = b;
    v[i + 1] = a;
    if (x[i] > 0.9 && x[i] < 1.3) {
      struct Leaf c = x[i + 1] > 1.2 ? a : b;
      v[0] = c;
    }
  }
  return sum(v, n) * x[2];
}

int main() {
  RG_CHECK_VECTOR(as_pointers);
  RG_CHECK_VECTOR(as_numbers);
  RG_CHECK_VECTOR(best);
  RG_CHECK_VECTOR(last);
  RG_CHECK_VECTOR(swapped);
  return rgReport();
}
