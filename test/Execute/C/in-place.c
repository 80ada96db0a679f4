// RG-LEVELS: O0 O1 O2 O3 Os fast g
// Functions that overwrite their own input: after the call the shadow holds the
// adjoint of what was there before.
#include "rgtest.h"
#include <math.h>
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);

static void squares(double *x) {
  x[0] = x[0] * x[0];
  x[1] = x[1] * x[0];
}
static void sweeps(double *x, int n, int times) {
  for (int t = 0; t < times; ++t)
    for (int i = 1; i + 1 < n; ++i)
      x[i] = 0.25 * x[i - 1] * x[i] + 0.5 * x[i] + sin(x[i + 1]);
}
static void killed(double *x) {
  x[0] = 3;
  x[1] += x[0] * x[2];
  x[2] = x[2];
}
static double weighted(const double *in, const double *w, int n, int times) {
  double x[6], s = 0;
  for (int i = 0; i < n; ++i)
    x[i] = in[i];
  sweeps(x, n, times);
  for (int i = 0; i < n; ++i)
    s += w[i] * x[i];
  return s;
}

int main(void) {
  double x[2] = {3, 5}, dx[2] = {2, 7};
  __enzyme_autodiff((void *)squares, x, dx);
  RG_NEAR(x[0], 9);
  RG_NEAR(x[1], 45);
  RG_NEAR(dx[0], (2 + 7 * 5) * 6.0);
  RG_NEAR(dx[1], 63);

  double a[6] = {0.5, 1, -0.75, 0.25, 2, 1.5}, w[6] = {1, -2, 0.5, 3, 0, 1};
  double b[6], db[6];
  memcpy(b, a, sizeof a);
  memcpy(db, w, sizeof w);
  __enzyme_autodiff((void *)sweeps, b, db, 6, 3);
  RG_GRADS(db, weighted(a, w, 6, 3), a, 6);
  double c[6], dc[6] = {0, 0, 1, 0, 0, 0}, dot = 0;
  memcpy(c, a, sizeof a);
  __enzyme_fwddiff((void *)sweeps, c, dc, 6, 3);
  for (int i = 0; i < 6; ++i)
    dot += dc[i] * w[i];
  RG_NEAR(dot, db[2]);

  double k[3] = {1, 2, 3}, dk[3] = {5, 7, 11};
  __enzyme_autodiff((void *)killed, k, dk);
  RG_NEAR(dk[0], 0);
  RG_NEAR(dk[1], 7);
  RG_NEAR(dk[2], 11 + 21);
  return rgReport();
}
