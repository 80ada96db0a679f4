// An array the user calls constant that is read first and written afterwards: what
// is written is an output without a derivative, and what is read is an input
// without one.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

static void step(double *restrict e, double *restrict p, double *restrict q) {
  double p0 = p[0], e0 = e[0];
  double e1 = e0 * e0 * p0 + q[0] * e0;
  double p1 = e1 * 0.5;
  if (p1 > 10)
    p1 = 10;
  e[0] = e1 * p1;
  p[0] = p1;
  q[0] = p1 * p0;
}
static double run(double e, double p, double q) {
  step(&e, &p, &q);
  return e;
}

int main(void) {
  for (double at = 0.5; at < 4; at += 1.25) {
    double e = at, p = 1.5, q = 0.25, de = 1;
    __enzyme_autodiff((void *)step, enzyme_dup, &e, &de, enzyme_const, &p, enzyme_const, &q);
    double x = at;
    RG_GRAD(de, run(x, 1.5, 0.25), x);
    // The primal was run, too.
    double e2 = at, p2 = 1.5, q2 = 0.25;
    step(&e2, &p2, &q2);
    RG_NEAR(p, p2);
    RG_NEAR(q, q2);
    e = at, p = 1.5, q = 0.25, de = 1;
    __enzyme_fwddiff((void *)step, enzyme_dup, &e, &de, enzyme_const, &p, enzyme_const, &q);
    RG_GRAD(de, run(x, 1.5, 0.25), x);
  }
  return rgReport();
}
