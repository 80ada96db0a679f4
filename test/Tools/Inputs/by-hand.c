// Derivatives written by hand in the place of the entry calls, compiled by a
// driver without the plugin: right for `right`, wrong in one element for `wrong`.
double right(const double *x, int n, double a) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a * x[i] * x[i];
  return s;
}

static double derivative(double *x, double *dx, int n, double a, double wrong) {
  double da = 0;
  for (int i = 0; i < n; ++i) {
    dx[i] += 2 * a * x[i] + (i == 2 ? wrong : 0);
    da += x[i] * x[i];
  }
  return da;
}

#ifdef WRONG
enum { Wrong = 1 };
#else
enum { Wrong = 0 };
#endif

double __enzyme_autodiff_check(void *f, int m0, double *x, double *dx, int m1,
                               int n, int m2, double a) {
  return derivative(x, dx, n, a, Wrong);
}
double __enzyme_fwddiff_check(void *f, int m0, double *x, double *dx, int m1,
                              int n, int m2, double a, double da) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += da * x[i] * x[i] + (2 * a * x[i] + (i == 2 ? Wrong : 0)) * dx[i];
  return s;
}
