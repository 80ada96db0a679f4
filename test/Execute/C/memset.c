// memset to zero of arrays, parts of them, structs and heap memory: what is
// cleared loses its derivative, also in the middle of a loop.
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double cleared(const double *x, int n) {
  double a[8], s = 0;
  memset(a, 0, sizeof a);
  for (int t = 0; t < 3; ++t) {
    for (int i = 0; i < n; ++i)
      a[i] += x[i] * x[i] * (t + 1);
    if (t == 1)
      memset(a, 0, n / 2 * sizeof *a);
    s += a[0] * a[n - 1];
  }
  return s;
}
struct state { int n; double x, y; float f; };
static double structs(double x) {
  struct state s[2];
  s[0].x = x;
  s[0].y = x * x;
  memset(&s[0].x, 0, sizeof s[0].x);
  memset(&s[1], 0, sizeof s[1]);
  s[1].n = 2;
  s[1].x = x;
  return s[0].x * x + s[0].y * s[1].x + s[1].y + s[1].f + s[1].n;
}
static void reset(double *x, int n) { memset(x, 0, n * sizeof *x); }

int main(void) {
  double x[5] = {1.5, -0.5, 2, 0.25, 1.25}, d[5] = {0}, v[5] = {1, 0, 0, 0, 0};
  __enzyme_autodiff((void *)cleared, x, d, 5);
  RG_GRADS(d, cleared(x, 5), x, 5);
  RG_NEAR(__enzyme_fwddiff((void *)cleared, x, v, 5), d[0]);
  RG_UNARY(structs, 1.5);
  double y[3] = {1, 2, 3}, dy[3] = {4, 5, 6};
  __enzyme_autodiff((void *)reset, y, dy, 2);
  RG_NEAR(dy[0], 0);
  RG_NEAR(dy[1], 0);
  RG_NEAR(dy[2], 6);
  RG_NEAR(y[0] + y[1], 0);
  return rgReport();
}
