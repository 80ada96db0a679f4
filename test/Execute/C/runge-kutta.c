// RG-LEVELS: O0 O1 O2 O3 Os fast g
// A fixed-step fourth-order integrator of a predator-prey model: derivatives by
// parameters and initial state, with and without the trajectory kept.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_dup;

static void rate(const double *u, const double *p, double *du) {
  du[0] = p[0] * u[0] - p[1] * u[0] * u[1];
  du[1] = p[2] * u[0] * u[1] - p[3] * u[1];
}
static void step(double *u, const double *p, double h) {
  double k1[2], k2[2], k3[2], k4[2], t[2];
  rate(u, p, k1);
  for (int i = 0; i < 2; ++i)
    t[i] = u[i] + 0.5 * h * k1[i];
  rate(t, p, k2);
  for (int i = 0; i < 2; ++i)
    t[i] = u[i] + 0.5 * h * k2[i];
  rate(t, p, k3);
  for (int i = 0; i < 2; ++i)
    t[i] = u[i] + h * k3[i];
  rate(t, p, k4);
  for (int i = 0; i < 2; ++i)
    u[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}
static double final(const double *p, const double *start, int n) {
  double u[2] = {start[0], start[1]};
  for (int i = 0; i < n; ++i)
    step(u, p, 0.02);
  return u[0] * u[0] + u[1];
}
static double misfit(const double *p, const double *start, int n) {
  double u[2] = {start[0], start[1]}, s = 0;
  for (int i = 0; i < n; ++i) {
    step(u, p, 0.02);
    double e = u[0] - 1.0 - 0.01 * i;
    s += e * e;
  }
  return s / n;
}

int main(void) {
  double p[4] = {1.1, 0.4, 0.1, 0.4}, u[2] = {2, 1.5};
  double dp[4] = {0}, du[2] = {0}, ep[4] = {0}, v[4] = {0, 1, 0, 0};
  __enzyme_autodiff((void *)final, p, dp, u, du, 200);
  RG_GRADS(dp, final(p, u, 200), p, 4);
  RG_GRADS(du, final(p, u, 200), u, 2);
  RG_NEAR(__enzyme_fwddiff((void *)final, p, v, enzyme_const, u, 200), dp[1]);
  __enzyme_autodiff((void *)misfit, enzyme_dup, p, ep, enzyme_const, u, 200);
  RG_GRADS(ep, misfit(p, u, 200), p, 4);
  return rgReport();
}
