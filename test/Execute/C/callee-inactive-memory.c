// A callee gets a struct with a shadow that leads to memory without one: nothing
// there is a tangent, and no adjoint may be added there.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct state {
  double value;
  double *weights;
  struct state *next;
};
static double last;

__attribute__((noinline)) static double mix(const double *a, struct state *s) {
  double r = 0.3;
  for (int i = 0; i < 3; ++i) {
    r = r * 0.8 + a[i];
    last = sin(s->weights[i % 2]) * r;
    r = r * 0.8 + s->value * s->weights[i % 2] + s->next->value;
  }
  return r;
}
// Through one more callee, which only hands it on.
__attribute__((noinline)) static double twice(const double *a, struct state *s, int n) {
  double r = mix(a, s);
  return n ? r + 0.5 * twice(a, s->next, n - 1) : r;
}
static double total(double x) {
  double a[3] = {x, x * x, 2}, *w = malloc(6 * sizeof *w), s = 0;
  struct state state[2];
  for (int i = 0; i < 6; ++i)
    w[i] = 0.1 * i;
  for (int i = 0; i < 2; ++i) {
    state[i].value = i ? x * 0.4 : 1;
    state[i].weights = w + i;
    state[i].next = &state[!i];
  }
  s = twice(a, &state[1], 1);
  for (int i = 0; i < 6; ++i)
    s += w[i] * x;
  free(w);
  return s + last;
}
static double table[4] = {0.5, 0.25, 2, 1};
static double fromTable(double x) {
  double a[3] = {x, x * x, 2};
  struct state s = {x, table, &s};
  return twice(a, &s, 0);
}

int main(void) {
  RG_UNARY(total, 1.3);
  RG_UNARY(fromTable, 1.3);
  RG_TRUE(table[0] == 0.5 && table[1] == 0.25 && table[2] == 2 && table[3] == 1);
  return rgReport();
}
