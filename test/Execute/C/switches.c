// RG-LEVELS: O0 O2 O3
// RG-SWITCHES: all
// Nests of loops of every shape that storage depends on, by reverse mode and by lanes
// of forward mode, with each optimisation on and off.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>

extern int enzyme_const, enzyme_dup, enzyme_dupv, enzyme_width;
void __enzyme_autodiff(void *, ...);
struct four {
  double v[4];
};
struct four __enzyme_fwddiff_four(void *, ...);

// All counts known in front of the outer loop.
static double rectangle(const double *x, int n, int m) {
  double sum = 0, power = 1;
  for (int i = 0; i < n; ++i) {
    power *= 0.9;
    double term = power;
    for (int j = 0; j < m; ++j)
      term = sin(term) * x[j] + 0.1 * term * term;
    sum += term;
  }
  return sum;
}

// The inner count varies with the outer loop.
static double triangle(const double *x, int n, int m) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double term = x[i % m];
    for (int j = 0; j < i; ++j)
      for (int k = 0; k < m; ++k)
        term = cos(term) + x[k] * term;
    sum += term * term;
  }
  return sum;
}

// An inner loop that runs now and then, and one whose guard is known outside.
static double guarded(const double *x, int n, int m) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double term = x[0];
    if (i % 3 == 1)
      for (int j = 0; j < m; ++j)
        term = exp(-term * x[j]);
    for (int j = 2; j < m; ++j)
      term = term * x[j] + sin(term);
    sum += term;
  }
  return sum;
}

// Left early, for a reason that is found on the way.
static double early(const double *x, int n, int m) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double term = 1;
    for (int j = 0; j < m; ++j) {
      term = term * (1 + x[j]) + sin(term);
      if (term > 20)
        break;
    }
    sum += term;
    if (sum > 200)
      break;
  }
  return sum;
}

// Counted by nothing.
static double search(const double *x, int n, int m) {
  double at = x[0], sum = 0;
  for (int i = 0; i < n; ++i) {
    while (at < 2.7) {
      at = at * 1.2 + 0.01 * sin(at);
      sum += at * x[1];
    }
    at = 0.4 + 0.05 * at + 0.01 * x[i % m];
  }
  return sum;
}

// The nearest of several, each found by a loop.
static double nearest(const double *x, int n, int m) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double best = 1e9;
    for (int c = 0; c < m; ++c) {
      double distance = 0;
      for (int j = 0; j < n; ++j)
        distance += (x[c] - 0.3 * i * j) * (x[c] - 0.3 * i * j);
      if (distance < best)
        best = distance;
    }
    sum += best;
  }
  return sum;
}

// Memory of its own, with pointers, integers and floats in it.
struct node {
  struct node *next;
  int weight;
  double value;
  float small;
};
static double list(const double *x, int n, int m) {
  struct node *head = NULL;
  double *scratch = calloc(n, sizeof *scratch);
  for (int i = 0; i < n; ++i) {
    struct node *fresh = malloc(sizeof *fresh), copy;
    copy.next = head;
    copy.weight = i % 3;
    copy.value = x[i % m] * i;
    copy.small = (float)x[0];
    memcpy(fresh, &copy, sizeof copy);
    head = fresh;
    scratch[i] = copy.value * x[(i + 1) % m];
  }
  double sum = 0;
  for (struct node *at = head; at;) {
    sum += at->value * at->weight + at->small * (double)at->small;
    struct node *next = at->next;
    free(at);
    at = next;
  }
  for (int i = 1; i < n; ++i)
    sum += scratch[i] * scratch[i - 1];
  free(scratch);
  return sum;
}

static void check(double (*f)(const double *, int, int), void (*gradient)(const double *, double *, int, int),
                  struct four (*lanes)(const double *, double *, int, int)) {
  const int sizes[][2] = {{0, 4}, {1, 4}, {5, 4}, {7, 4}};
  for (int s = 0; s < 4; ++s) {
    const int n = sizes[s][0], m = sizes[s][1];
    double x[4] = {0.31, 0.52, -0.27, 0.44}, dx[4] = {0}, directions[4][4] = {{0}};
    for (int i = 0; i < 4; ++i)
      directions[i][i] = 1;
    gradient(x, dx, n, m);
    struct four t = lanes(x, directions[0], n, m);
    for (int i = 0; i < 4; ++i) {
      RG_WITHIN(t.v[i], dx[i], 1e-6); // a float among the numbers
      RG_WITHIN(dx[i], RG_DIFF(f(x, n, m), x[i]), 1e-5);
    }
  }
}

#define PROGRAM(f)                                                                                 \
  static void f##_gradient(const double *x, double *dx, int n, int m) {                            \
    __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, m);      \
  }                                                                                                \
  static struct four f##_lanes(const double *x, double *dx, int n, int m) {                        \
    return __enzyme_fwddiff_four((void *)f, enzyme_width, 4, enzyme_dupv, 4 * sizeof *x, x, dx,    \
                                 enzyme_const, n, enzyme_const, m);                                \
  }
PROGRAM(rectangle)
PROGRAM(triangle)
PROGRAM(guarded)
PROGRAM(early)
PROGRAM(search)
PROGRAM(nearest)
PROGRAM(list)

int main(void) {
  check(rectangle, rectangle_gradient, rectangle_lanes);
  check(triangle, triangle_gradient, triangle_lanes);
  check(guarded, guarded_gradient, guarded_lanes);
  check(early, early_gradient, early_lanes);
  check(search, search_gradient, search_lanes);
  check(nearest, nearest_gradient, nearest_lanes);
  check(list, list_gradient, list_lanes);
  return rgReport();
}
