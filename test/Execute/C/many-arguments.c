// More arguments than registers, of mixed kinds, at the entry call and inside.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_out;

__attribute__((noinline)) static double inner(double a, int i, float b, double c, long j,
                                              double d, double e, float f, double g, double h,
                                              short k, double l, double m, const double *p) {
  return a * i + b * c * j + d * e - f * g + h * k * l * m + p[0] * a;
}
static double outer(double a, double b, double c, double d, double e, double f, double g,
                    double h, double i, double j, const double *p, int n) {
  double s = 0;
  for (int k = 0; k < n; ++k)
    s += inner(a, k, 0.5f, b, k + 1, c, d, 0.25f, e, f, (short)k, g, h, p) * i + s * 0.1 * j;
  return s;
}

int main(void) {
  double v[10] = {1, 2, 0.5, -1, 1.5, 0.75, 0.25, 1.25, -0.5, 0.3}, p[1] = {2}, dp[1] = {0};
#define ALL v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]
#define C enzyme_const
  struct ten { double d[10]; } __enzyme_autodiff_ten(void *, ...);
  struct ten g = __enzyme_autodiff_ten((void *)outer, ALL, p, dp, 4);
  RG_GRADS(g.d, outer(ALL, p, 4), v, 10);
  RG_GRADS(dp, outer(ALL, p, 4), p, 1);
  double one = __enzyme_autodiff((void *)outer, C, v[0], C, v[1], C, v[2], C, v[3], C, v[4], C,
                                 v[5], C, v[6], C, v[7], enzyme_out, v[8], C, v[9], C, p, C, 4);
  RG_NEAR(one, g.d[8]);
  RG_NEAR(__enzyme_fwddiff((void *)outer, v[0], 0.0, v[1], 0.0, v[2], 0.0, v[3], 1.0, v[4], 0.0,
                           v[5], 0.0, v[6], 0.0, v[7], 0.0, v[8], 0.0, v[9], 0.0, C, p, 4),
          g.d[3]);
  return rgReport();
}
