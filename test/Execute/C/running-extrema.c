// Running maxima and minima: ties, which halve the adjoint in both modes, a start at NaN or infinity, loops of one
// iteration, values that are used in each iteration.
// RG-LEVELS: O0 O2 O3
#include <math.h>
#include <stdio.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
static double greatest(const double *x, int n) {
  double m = -INFINITY;
  for (int i = 0; i < n; ++i)
    m = fmax(m, x[i] * x[i]);
  return m * 3;
}
static double least(const double *x, int n) {
  double m = x[0];
  for (int i = 1; i < n; ++i)
    m = fmin(m, sin(x[i]));
  return m * m;
}
static double fromNan(const double *x, int n) {
  double m = NAN;
  for (int i = 0; i < n; ++i)
    m = fmax(m, x[i] * 2);
  return m;
}
static double both(const double *x, int n) {
  double m = -1e300, l = 1e300;
  for (int i = 0; i < n; ++i) {
    m = fmax(m, x[i]);
    l = fmin(l, x[i]);
  }
  return (m - l) * (m + 2 * l);
}
static double soft(const double *x, int n) {
  double m = -INFINITY;
  for (int i = 0; i < n; ++i)
    m = fmax(m, x[i]);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += exp(x[i] - m);
  return m + log(s);
}
static double selected(const double *x, int n) {
  double m = -INFINITY;
  for (int i = 0; i < n; ++i)
    m = x[i] > m ? x[i] : m;
  return m * m;
}
static double lastSelected(const double *x, int n) {
  double m = -INFINITY;
  for (int i = 0; i < n; ++i)
    m = x[i] >= m ? x[i] : m;
  return m * m;
}
static double running(const double *x, int n) {
  double m = -INFINITY, s = 0;
  for (int i = 0; i < n; ++i) {
    m = fmax(m, x[i]);
    s += m * x[i];
  }
  return s;
}
static double neverReached(const double *x, int n) {
  double m = 100;
  for (int i = 0; i < n; ++i)
    m = fmax(m, x[i]);
  return m * x[0];
}
int bad;
static void check(double (*f)(const double *, int), const double *x, int n, int tie, const char *name) {
  double g[8] = {0}, fw[8], d[8];
  __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, n);
  printf("%-8s", name);
  for (int i = 0; i < n; ++i) {
    double t[8] = {0};
    t[i] = 1;
    fw[i] = __enzyme_fwddiff((void *)f, enzyme_dup, x, t, enzyme_const, n);
    double y[8];
    for (int k = 0; k < n; ++k)
      y[k] = x[k];
    y[i] += 1e-6;
    double u = f(y, n);
    y[i] -= 2e-6;
    d[i] = (u - f(y, n)) / 2e-6;
    printf(" %g/%g/%g", g[i], fw[i], d[i]);
    if (fabs(g[i] - fw[i]) > 1e-9 * (1 + fabs(fw[i])) || (!tie && fabs(g[i] - d[i]) > 1e-5 * (1 + fabs(d[i]))))
      bad = 1, printf(" BAD");
  }
  puts("");
}
#define C(f)                                                                                                           \
  check(f, a, 5, 0, #f);                                                                                               \
  check(f, b, 5, 1, #f);                                                                                               \
  check(f, a, 1, 0, #f);                                                                                               \
  check(f, c, 6, 1, #f);
int main(void) {
  double a[5] = {0.3, 1.2, 0.7, -0.2, 0.5}, b[5] = {0.5, 1.2, 0.1, 1.2, 0.1}, c[6] = {1, 1, 1, 0.5, 1, 0.2};
  C(greatest) C(least) C(fromNan) C(both) C(soft) C(selected) C(lastSelected) C(running) C(neverReached) return bad;
}
