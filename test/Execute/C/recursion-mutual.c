// Two and three functions that call each other, over values and over memory.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double odd(double x, int n);
static double even(double x, int n) { return n == 0 ? x : odd(x * 1.25, n - 1) + x; }
static double odd(double x, int n) {
  return n == 0 ? x * x : even(sin(x), n - 1) * x;
}

static double expression(const char **p, const double **x);
static double factor(const char **p, const double **x) {
  if (**p == '(') {
    ++*p;
    double v = expression(p, x);
    ++*p; // )
    return v;
  }
  ++*p; // v
  return *(*x)++;
}
static double term(const char **p, const double **x) {
  double v = factor(p, x);
  while (**p == '*') {
    ++*p;
    v *= factor(p, x);
  }
  return v;
}
static double expression(const char **p, const double **x) {
  double v = term(p, x);
  while (**p == '+') {
    ++*p;
    v += term(p, x);
  }
  return v;
}
static double evaluate(const double *x) {
  const char *text = "v*(v+v*v)+v*(v+(v*v))";
  return expression(&text, &x);
}

int main(void) {
  double x = 0.6;
  for (int n = 0; n < 6; ++n) {
    RG_GRAD(__enzyme_autodiff((void *)even, x, n), even(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)even, x, 1.0, n), even(x, n), x);
  }
  double v[8] = {1, 2, 3, 4, 5, 6, 7, 8}, dv[8] = {0};
  __enzyme_autodiff((void *)evaluate, v, dv);
  RG_GRADS(dv, evaluate(v), v, 8);
  return rgReport();
}
