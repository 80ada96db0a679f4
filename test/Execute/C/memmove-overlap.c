// memmove with overlapping ranges, both directions, constant and variable
// distance, and by single elements of a struct.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double shiftUp(const double *x, int n, int by) {
  double a[12] = {0};
  memcpy(a, x, n * sizeof *a);
  memmove(a + by, a, n * sizeof *a);
  double s = 0;
  for (int i = 0; i < 12; ++i)
    s += (i + 1) * a[i] * a[i];
  return s;
}
static double shiftDown(const double *x, int n) {
  double a[12];
  for (int i = 0; i < n; ++i)
    a[i] = x[i] * x[i];
  for (int t = 0; t < 3; ++t) {
    memmove(a, a + 1, (n - 1) * sizeof *a);
    a[n - 1] = a[0] * 0.5;
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (i + 1) * a[i];
  return s;
}
static void insertFront(double *x, int n, double v) {
  memmove(x + 1, x, (n - 1) * sizeof *x);
  x[0] = v * v;
}

int main(void) {
  double x[6] = {1.5, -0.5, 2, 0.25, 1.25, -1};
  for (int by = 0; by < 4; ++by) {
    double d[6] = {0};
    __enzyme_autodiff((void *)shiftUp, x, d, 6, by);
    RG_GRADS(d, shiftUp(x, 6, by), x, 6);
  }
  double d[6] = {0}, v[6] = {0, 0, 0, 0, 1, 0};
  __enzyme_autodiff((void *)shiftDown, x, d, 6);
  RG_GRADS(d, shiftDown(x, 6), x, 6);
  RG_NEAR(__enzyme_fwddiff((void *)shiftDown, x, v, 6), d[4]);
  double y[4] = {1, 2, 3, 4}, dy[4] = {10, 20, 30, 40};
  RG_NEAR(__enzyme_autodiff((void *)insertFront, y, dy, 4, 3.0), 60);
  RG_NEAR(y[0], 9);
  RG_NEAR(dy[0], 20);
  RG_NEAR(dy[1], 30);
  RG_NEAR(dy[2], 40);
  RG_NEAR(dy[3], 0);
  return rgReport();
}
