// Simpson's rule over a helper's values, adaptive by recursion, with the number
// of intervals depending on active data; a compensated sum.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double integrand(double t, double a) { return exp(-a * t * t) * (1 + t); }
static double simpson(double a, int n) {
  double h = 2.0 / n, s = integrand(0, a) + integrand(2, a);
  for (int i = 1; i < n; ++i)
    s += (i % 2 ? 4 : 2) * integrand(i * h, a);
  return s * h / 3;
}
static double adaptive(double lo, double hi, double flo, double fhi, double a,
                       int depth) {
  double mid = 0.5 * (lo + hi), fmid = integrand(mid, a);
  double coarse = 0.5 * (hi - lo) * (flo + fhi);
  double fine = 0.25 * (hi - lo) * (flo + 2 * fmid + fhi);
  if (depth == 0 || fabs(fine - coarse) < 1e-3)
    return fine;
  return adaptive(lo, mid, flo, fmid, a, depth - 1) +
         adaptive(mid, hi, fmid, fhi, a, depth - 1);
}
static double upTo(double b) {
  return adaptive(0, b, integrand(0, 0.7), integrand(b, 0.7), 0.7, 12);
}
static double compensated(const double *x, int n) {
  double s = 0, c = 0;
  for (int i = 0; i < n; ++i) {
    double y = x[i] * x[i] - c, t = s + y;
    c = (t - s) - y;
    s = t;
  }
  return s;
}

int main(void) {
  double a = 0.8;
  RG_GRAD(__enzyme_autodiff((void *)simpson, a, 20), simpson(a, 20), a);
  RG_GRAD(__enzyme_fwddiff((void *)simpson, a, 1.0, 20), simpson(a, 20), a);
  RG_UNARY(upTo, 1.3);
  double x[4] = {1, 2, 3, 4}, d[4] = {0};
  __enzyme_autodiff((void *)compensated, x, d, 4);
  for (int i = 0; i < 4; ++i)
    RG_NEAR(d[i], 2 * x[i]);
  return rgReport();
}
