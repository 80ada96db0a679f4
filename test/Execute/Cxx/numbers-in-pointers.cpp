// Doubles kept in the elements of a vector of structs of one pointer, which the vector copies.
// RG-LEVELS: O0 O1 O2
#include <stdio.h>
#include <string.h>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
struct W {
  void *p;
};
static double f(double *x, int n) {
  std::vector<W> w(n);
  for (int i = 0; i < n; ++i) {
    double v = x[i] * x[i];
    memcpy(&w[i], &v, sizeof v);
  }
  w.push_back(w[0]);
  double t = 0;
  for (unsigned i = 0; i < w.size(); ++i) {
    double v;
    memcpy(&v, &w[i], sizeof v);
    t += v * v;
  }
  return t;
}
int main(void) {
  double x[3] = {2, 3, 5}, d[3] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 3);
  int bad = 0;
  for (int i = 0; i < 3; ++i) {
    double t[3] = {0};
    t[i] = 1;
    double fw = __enzyme_fwddiff((void *)f, enzyme_dup, x, t, enzyme_const, 3), h = 1e-6, o = x[i];
    x[i] = o + h;
    double u = f(x, 3);
    x[i] = o - h;
    u = (u - f(x, 3)) / 2 / h;
    x[i] = o;
    printf("%g %g %g\n", d[i], fw, u);
    double e1 = d[i] / u - 1, e2 = fw / u - 1;
    bad |= e1 * e1 > 1e-8 || e2 * e2 > 1e-8;
  }
  return bad;
}
