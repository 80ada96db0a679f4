// What loops leave behind: the last values, the index at which they stopped, a flag,
// several exits that leave different values.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double last(const double *x, int n) {
  double before = 1, now = 1;
  int i;
  for (i = 0; i < n; ++i) {
    double t = now;
    now = now * x[i] + before;
    before = t;
    if (now > 20)
      break;
  }
  return now * before + (i < n ? x[i] : 0.5) * i;
}
static double exits(const double *x, int n) {
  double a = 0.5, r = 0;
  int found = -1;
  for (int i = 0; i < n && found < 0; ++i) {
    for (int j = i; j < n; ++j) {
      a = a * 0.5 + x[i] * x[j];
      if (a > 3) {
        found = i * n + j;
        r = a * x[j];
        break;
      }
      if (a < -3) {
        r = -a;
        goto done;
      }
    }
  }
done:
  return found >= 0 ? r + x[found % n] : r * r + a;
}
static double swaps(double x, int n) {
  double a = x, b = 2 * x, c = x * x;
  for (int i = 0; i < n; ++i) {
    double t = a;
    a = b;
    b = c * 0.5;
    c = t + a;
  }
  return a + 2 * b * c;
}

int main(void) {
  double x[5] = {1.25, 0.5, 1.75, 2, -0.5}, y[5] = {-1, 1.5, -2, 0.25, 3};
  for (int n = 0; n <= 5; ++n) {
    double d[5] = {0}, e[5] = {0}, g[5] = {0}, v[5] = {1, 0, 0, 0, 0};
    __enzyme_autodiff((void *)last, x, d, n);
    RG_GRADS(d, last(x, n), x, 5);
    if (n) {
      __enzyme_autodiff((void *)exits, x, e, n);
      RG_GRADS(e, exits(x, n), x, 5);
      __enzyme_autodiff((void *)exits, y, g, n);
      RG_GRADS(g, exits(y, n), y, 5);
      RG_NEAR(__enzyme_fwddiff((void *)exits, y, v, n), g[0]);
    }
    double z = 0.7;
    RG_GRAD(__enzyme_autodiff((void *)swaps, z, n), swaps(z, n), z);
    RG_GRAD(__enzyme_fwddiff((void *)swaps, z, 1.0, n), swaps(z, n), z);
  }
  return rgReport();
}
