// Loops whose first iteration does something else: allocates, as libraries do, or sets up.
// RG-SWITCHES: peel-first non-null outer-counts nest-arrays tape-arrays recompute-phis
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>

void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

enum { N = 5 };

// Memory that the first step allocates, and all others use.
static double allocating(const double *x, int n) {
  double s = x[0], *k = 0;
  int ready = 0;
  for (int i = 0; i < n; ++i) {
    if (!ready) {
      k = malloc(2 * sizeof *k);
      ready = 1;
    }
    k[0] = x[1] * s - x[2] * s * s;
    k[1] = sin(k[0]) * x[i % N];
    s += 0.1 * k[1];
  }
  free(k);
  return s * s;
}

// Null says that nothing was allocated; what lies there grows once.
static double growing(const double *x, int n) {
  double s = x[0], *k = 0;
  int size = 0;
  for (int i = 0; i < n; ++i) {
    if (size < 2) {
      double *more = malloc(2 * sizeof *more);
      for (int j = 0; j < size; ++j)
        more[j] = k[j];
      for (int j = size; j < 2; ++j)
        more[j] = x[3] * j;
      free(k);
      k = more;
      size = 2;
    }
    k[0] += x[1] * s;
    k[1] += k[0] * x[2];
    s = cos(k[1]) + 0.5 * s;
  }
  double last = k ? k[0] : x[4];
  free(k);
  return s + last;
}

// Another formula for the first step, in the inner loop of two; three ways in a switch.
static double starting(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    double before = 0, now = x[i];
    int state = 7;
    for (int j = 0; j < n; ++j) {
      double next;
      switch (state) {
      case 7:
        next = now * x[1];
        break;
      case 2:
        next = 2 * now - before + 0.1 * sin(now);
        break;
      default:
        next = 0;
      }
      state = 2;
      before = now;
      now = next;
      if (now > 4)
        break;
    }
    sum += now * before;
  }
  return sum;
}

// Is asked behind the loop, too: whether it ran at all.
static double whether(const double *x, int n) {
  int first = 1;
  double s = 0, start = 0;
  for (int i = 0; i < n; ++i) {
    double v = x[i % N] * x[i % N];
    if (first)
      start = v;
    s += v * start;
    first = 0;
  }
  return first ? x[0] : s;
}

// The first of those that fulfil a condition, which need not be the first of all.
static double firstOf(const double *x, int n) {
  int found = 0;
  double v = x[4];
  for (int i = 0; i < n; ++i)
    if (!found && x[i % N] > 0.5) {
      v = x[i % N] * x[i % N];
      found = 1;
    } else {
      v *= 1 + 0.1 * x[i % N];
    }
  return v;
}

static void checkAll(int n) {
  double x[N] = {0.7, 0.31, 0.43, 1.1, 0.9}, d[N];
  const double one[N] = {1, 1, 1, 1, 1};
#define CHECK(f)                                                                                   \
  do {                                                                                             \
    memset(d, 0, sizeof d);                                                                        \
    __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, n);                               \
    double all = 0;                                                                                \
    for (int i = 0; i < N; ++i) {                                                                  \
      RG_GRAD(d[i], f(x, n), x[i]);                                                                \
      all += d[i];                                                                                 \
    }                                                                                              \
    RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_dup, x, one, enzyme_const, n), all);                \
  } while (0)
  CHECK(allocating);
  CHECK(growing);
  CHECK(starting);
  CHECK(whether);
  CHECK(firstOf);
}

int main(void) {
  for (int n = 0; n < 4; ++n)
    checkAll(n);
  checkAll(12);
  return rgReport();
}
