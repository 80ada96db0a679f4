// Pointers to functions in tables, structs and arguments, library functions
// among them; recursion by pointer.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
extern int enzyme_const;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef double (*fn)(double);
static double sq(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
double heavy(double x) {
  double s = x;
  for (int i = 0; i < 5; ++i) {
    double t[2] = {s, x};
    s = sin(t[i & 1]) * t[0];
  }
  return s;
}
fn table[4] = {sq, cube, sin, heavy};
double viaTable(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += table[i % 4](x[i]) * x[0];
  return s;
}
struct ops {
  fn f;
  fn g;
  double k;
};
double viaStruct(struct ops *o, double *x) {
  return o->f(o->g(x[0] * x[1])) * x[1];
}
__attribute__((noinline)) double adapt(fn f, double a, double b, int d) {
  double m = (a + b) / 2;
  if (!d)
    return f(m) * (b - a);
  return adapt(f, a, m, d - 1) + adapt(f, m, b, d - 1);
}
double viaArg(double *x, int which) {
  return adapt(which ? cube : heavy, x[0], x[1], 3);
}
int main(void) {
  double x[6] = {0.4, 1.3, 0.7, 1.1, 0.3, 0.9}, d[6] = {0};
  __enzyme_autodiff((void *)viaTable, x, d, 6);
  RG_GRADS(d, viaTable(x, 6), x, 6);
  for (int i = 0; i < 6; ++i) {
    double e[6] = {0};
    e[i] = 1;
    RG_GRAD(__enzyme_fwddiff((void *)viaTable, x, e, 6), viaTable(x, 6), x[i]);
  }
  struct ops o[3] = {{sq, heavy, 1}, {cos, sq, 2}, {heavy, cube, 1}};
  for (int k = 0; k < 3; ++k) {
    double e[2] = {0}, e0[2] = {1, 0};
    __enzyme_autodiff((void *)viaStruct, enzyme_const, &o[k], x, e);
    RG_GRADS(e, viaStruct(&o[k], x), x, 2);
    RG_GRAD(__enzyme_fwddiff((void *)viaStruct, enzyme_const, &o[k], x, e0),
            viaStruct(&o[k], x), x[0]);
    struct ops so = {0};
    double e2[2] = {0};
    __enzyme_autodiff((void *)viaStruct, &o[k], &so, x, e2);
    RG_GRADS(e2, viaStruct(&o[k], x), x, 2);
  }
  for (int k = 0; k < 2; ++k) {
    double e[2] = {0}, e0[2] = {1, 0};
    __enzyme_autodiff((void *)viaArg, x, e, k);
    RG_GRADS(e, viaArg(x, k), x, 2);
    RG_GRAD(__enzyme_fwddiff((void *)viaArg, x, e0, k), viaArg(x, k), x[0]);
  }
  return rgReport();
}
