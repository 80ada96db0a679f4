// Entry calls with exact prototypes and suffixed names, one per signature; no
// void pointer and no varargs.
#include "rgtest.h"
struct two { double x, y; };
double __enzyme_autodiff_square(double (*)(double), double);
struct two __enzyme_autodiff_two(double (*)(double, double), double, double);
void __enzyme_autodiff_array(double (*)(const double *, int), const double *,
                             double *, int);
double __enzyme_fwddiff_two(double (*)(double, double), double, double, double,
                            double);
double my__enzyme_autodiff_wrapper(void *, double);

static double square(double x) { return x * x; }
static double mix(double x, double y) { return x * y * y; }
static double norm(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * a[i];
  return s;
}

int main(void) {
  RG_NEAR(__enzyme_autodiff_square(square, 4.0), 8);
  struct two g = __enzyme_autodiff_two(mix, 2.0, 3.0);
  RG_NEAR(g.x, 9);
  RG_NEAR(g.y, 12);
  double a[3] = {1, 2, 3}, d[3] = {0};
  __enzyme_autodiff_array(norm, a, d, 3);
  RG_NEAR(d[2], 6);
  RG_NEAR(__enzyme_fwddiff_two(mix, 2.0, 1.0, 3.0, 1.0), 21);
  RG_NEAR(my__enzyme_autodiff_wrapper((void *)square, 1.5), 3);
  return rgReport();
}
