// Derivatives written by hand in the place of the entry calls, for a driver
// without the plugin: right, or wrong in one element with -DWRONG=1
// (both modes) or -DWRONG_FORWARD=1.
#ifndef WRONG
#define WRONG 0
#endif
#ifndef WRONG_FORWARD
#define WRONG_FORWARD WRONG
#endif
double f(const double *x, int n, double a) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a * x[i] * x[i];
  return s;
}
double __enzyme_autodiff_check(void *f, int m0, double *x, double *dx, int m1,
                               int n, int m2, double a) {
  double da = 0;
  for (int i = 0; i < n; ++i) {
    dx[i] += 2 * a * x[i] + (i == 2 ? WRONG : 0);
    da += x[i] * x[i];
  }
  return da;
}
double __enzyme_fwddiff_check(void *f, int m0, double *x, double *dx, int m1,
                              int n, int m2, double a, double da) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += da * x[i] * x[i] + (2 * a * x[i] + (i == 2 ? WRONG_FORWARD : 0)) * dx[i];
  return s;
}
// With the function's own result in front, under the names that the program calls.
struct values { double value, other; };
struct values reverse_value(void *g, int m, int m0, double *x, double *dx, int m1, int n, int m2, double a)
    __asm__("__enzyme_autodiff_value");
struct values forward_value(void *g, int m, int m0, double *x, double *dx, int m1, int n, int m2, double a,
                            double da) __asm__("__enzyme_fwddiff_value");
struct values reverse_value(void *g, int m, int m0, double *x, double *dx, int m1, int n, int m2, double a) {
  return (struct values){f(x, n, a), __enzyme_autodiff_check(g, m0, x, dx, m1, n, m2, a)};
}
struct values forward_value(void *g, int m, int m0, double *x, double *dx, int m1, int n, int m2, double a,
                            double da) {
  return (struct values){f(x, n, a), __enzyme_fwddiff_check(g, m0, x, dx, m1, n, m2, a, da)};
}
