// A rule whose forward function returns the tangent alone, for a function that reads memory and writes none: its body
// tells, at all levels, and it is called for its result.
// RG-LEVELS: O0 O2
#include "rgtest.h"
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double square(const double *p) {
  double local[1];
  memcpy(local, p, sizeof local);
  return local[0] * local[0];
}
__attribute__((noinline)) static double scaled(double x, const double *p) { return x * square(p); }
struct kept { double tape, value; };
static struct kept augmented(double x, const double *p, double *dp) { return (struct kept){x, scaled(x, p)}; }
// Ten times the derivative, which shows who made it.
static double gradient(double x, const double *p, double *dp, double seed, double tape) {
  if (dp)
    dp[0] += 20 * seed * tape * p[0];
  return 10 * seed * p[0] * p[0];
}
static double forward(double x, double dx, const double *p, const double *dp) {
  return 10 * (dx * p[0] * p[0] + (dp ? 2 * x * p[0] * dp[0] : 0));
}
void *__enzyme_register_gradient_scaled[] = {(void *)scaled, (void *)augmented, (void *)gradient};
void *__enzyme_register_derivative_scaled[] = {(void *)scaled, (void *)forward};

static double f(const double *x, int n) {
  double s = 0;
  for (int i = 0; i + 1 < n; i++)
    s += scaled(x[i], x + i + 1);
  return s;
}
int main(void) {
  double x[3] = {2, 3, 5}, d[3] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 3);
  RG_NEAR(d[0], 90);
  RG_NEAR(d[1], 10 * (2 * 2 * 3 + 25));
  RG_NEAR(d[2], 300);
  for (int i = 0; i < 3; i++) {
    double t[3] = {0};
    t[i] = 1;
    RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_dup, x, t, enzyme_const, 3), d[i]);
  }
  return rgReport();
}
