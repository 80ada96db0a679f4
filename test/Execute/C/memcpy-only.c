// A function that does nothing but copy: what the bytes are is known only from the
// arrays that the caller passes.
#include "rgtest.h"
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);

static void one(const double *in, double *out) { memcpy(out, in, 8); }
static void many(const double *in, double *out, int n) {
  memcpy(out, in, n * sizeof *in);
}

int main(void) {
  double x[3] = {1.5, 2, 3}, dx[3] = {1, 1, 1}, y[3] = {0}, dy[3] = {5, 6, 7};
  __enzyme_autodiff((void *)one, x, dx, y, dy);
  RG_NEAR(y[0], 1.5);
  RG_NEAR(dx[0], 6);
  RG_NEAR(dy[0], 0);
  __enzyme_autodiff((void *)many, x, dx, y, dy, 3);
  RG_NEAR(y[2], 3);
  RG_NEAR(dx[0], 6);
  RG_NEAR(dx[1], 7);
  RG_NEAR(dx[2], 8);
  double v[3] = {1, 2, 3}, t[3] = {0};
  __enzyme_fwddiff((void *)many, x, v, y, t, 3);
  RG_NEAR(t[1], 2);
  return rgReport();
}
