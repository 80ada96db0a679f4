// A tagged union of a number and a pointer that is copied through memory which nothing accesses, or which is accessed as one
// of the two: the copies between do not tell what they move.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.h"
#include <stdlib.h>
#include <string.h>
int enzyme_dup, enzyme_const;

struct Leaf {
  int tag;
  union {
    double number;
    double *at;
    long count;
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
static double value(const struct Leaf *l) { return l->tag ? l->number * l->number : *l->at; }
static double sum(const struct Leaf *v, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.5 + (i + 1) * value(v + i);
  return s;
}

// Two local variables that nothing else uses.
static double two_locals(const double *x, int n) {
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
// One that is a number on one way, and anything on the other.
static double or_a_number(const double *x, int n) {
  struct Leaf v[6], w[6];
  double kept[6];
  fill(v, kept, x, n);
  for (int i = 0; i < n; ++i) {
    struct Leaf t;
    if (x[i] > 1.2 && x[i] < 1.6) {
      t.tag = 1;
      t.number = x[i] * x[1];
    } else {
      t = v[i];
    }
    struct Leaf u = t;
    w[i * 5 % n] = u;
  }
  return sum(w, n);
}
// Arrays of them, whose lengths the compiler does not know.
static double three_arrays(const double *x, int n) {
  const size_t bytes = n * sizeof(struct Leaf);
  struct Leaf *v = malloc(bytes), *t = malloc(bytes), *u = malloc(bytes), *w = malloc(bytes);
  double *kept = malloc(n * sizeof *kept);
  fill(v, kept, x, n);
  memcpy(t, v, bytes);
  memcpy(u, t, bytes);
  memcpy(w, u, bytes);
  double s = sum(w, n);
  free(v);
  free(t);
  free(u);
  free(w);
  free(kept);
  return s;
}
// A sort that exchanges bytes.
static void exchange(void *a, void *b, size_t bytes) {
  char t[64], u[64];
  memcpy(t, a, bytes);
  memcpy(u, t, bytes);
  memcpy(a, b, bytes);
  memcpy(b, u, bytes);
}
static double sorted(const double *x, int n) {
  struct Leaf v[6];
  double kept[6];
  fill(v, kept, x, n);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      if (value(v + j) > value(v + i))
        exchange(v + i, v + j, sizeof *v);
  return sum(v, n);
}
// An integer at other times.
static double counted(const double *x, int n) {
  struct Leaf v[6];
  double kept[6], s = 0;
  for (int i = 0; i < n; ++i) {
    v[i].tag = i % 3;
    if (i % 3 == 0) {
      v[i].number = x[i];
    } else if (i % 3 == 1) {
      kept[i] = x[i] * x[0];
      v[i].at = &kept[i];
    } else {
      v[i].count = i;
    }
  }
  for (int i = 0; i + 1 < n; ++i) {
    struct Leaf a = v[i], b = v[i + 1];
    v[i] = b;
    v[i + 1] = a;
    if (x[i] > 0.9 && x[i] < 1.3) {
      struct Leaf c = x[i + 1] > 1.2 ? a : b;
      v[0] = c;
    }
  }
  for (int i = 0; i < n; ++i)
    s += (i + 1) * (v[i].tag == 0 ? v[i].number * v[i].number : v[i].tag == 1 ? *v[i].at : (double)v[i].count * s * 0.1);
  return s;
}
// Two words, the one a number where the other one is an address.
struct Pair {
  int tag;
  union {
    struct {
      double first;
      double *at;
    } one;
    struct {
      double *at;
      double second;
    } other;
  };
};
static double crosswise(const double *x, int n) {
  struct Pair v[6];
  double kept[6], s = 0;
  for (int i = 0; i < n; ++i) {
    v[i].tag = i % 2;
    kept[i] = x[i] * x[0];
    if (i % 2) {
      v[i].one.first = x[i];
      v[i].one.at = &kept[i];
    } else {
      v[i].other.at = &kept[i];
      v[i].other.second = x[i];
    }
  }
  for (int i = 0; i + 1 < n; ++i) {
    struct Pair a = v[i], b = v[i + 1];
    v[i] = b;
    v[i + 1] = a;
    if (x[i] > 0.9 && x[i] < 1.3) {
      struct Pair c = x[i + 1] > 1.2 ? a : b;
      v[0] = c;
    }
  }
  for (int i = 0; i < n; ++i)
    s += (i + 1) * (v[i].tag ? v[i].one.first * *v[i].one.at : v[i].other.second * *v[i].other.at);
  return s;
}

int main() {
  RG_CHECK_VECTOR(two_locals);
  RG_CHECK_VECTOR(or_a_number);
  RG_CHECK_VECTOR(three_arrays);
  RG_CHECK_VECTOR(sorted);
  RG_CHECK_VECTOR(counted);
  RG_CHECK_VECTOR(crosswise);
  return rgReport();
}
