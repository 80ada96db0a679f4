// Jacobians by rows and columns: reverse with one seed per residual, forward with
// one tangent per parameter, the same matrix both ways, and the fit converges.
#include "rgtest.h"
#include <cmath>
#include <vector>
template <typename R, typename... T> R __enzyme_autodiff(void *, T...);
template <typename R, typename... T> R __enzyme_fwddiff(void *, T...);
int enzyme_dup, enzyme_const, enzyme_dupnoneed;

static void residuals(const double *p, const double *t, const double *y, int n, double *r) {
  for (int i = 0; i < n; ++i)
    r[i] = p[0] * std::exp(-p[1] * t[i]) + p[2] - y[i];
}

int main() {
  const int n = 6;
  double t[n], y[n], p[3] = {1.5, 0.8, 0.2};
  for (int i = 0; i < n; ++i) {
    t[i] = 0.5 * i;
    y[i] = 2 * std::exp(-0.6 * t[i]) + 0.3;
  }
  double J[n][3];
  for (int step = 0; step < 8; ++step) {
    double r[n];
    for (int k = 0; k < 3; ++k) {
      double v[3] = {}, dr[n] = {};
      v[k] = 1;
      __enzyme_fwddiff<void>((void *)residuals, enzyme_dup, p, v, enzyme_const, t,
                             enzyme_const, y, n, enzyme_dup, r, dr);
      for (int i = 0; i < n; ++i)
        J[i][k] = dr[i];
    }
    for (int i = 0; i < n && step == 0; ++i) {
      double dp[3] = {}, seed[n] = {}, out[n];
      seed[i] = 1;
      __enzyme_autodiff<void>((void *)residuals, enzyme_dup, p, dp, enzyme_const, t,
                              enzyme_const, y, n, enzyme_dupnoneed, out, seed);
      for (int k = 0; k < 3; ++k) {
        RG_NEAR(dp[k], J[i][k]);
        RG_GRAD(dp[k], (residuals(p, t, y, n, out), out[i]), p[k]);
      }
    }
    double A[3][4] = {};
    for (int i = 0; i < n; ++i)
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b)
          A[a][b] += J[i][a] * J[i][b];
        A[a][3] -= J[i][a] * r[i];
      }
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i)
        if (i != k) {
          double l = A[i][k] / A[k][k];
          for (int j = k; j < 4; ++j)
            A[i][j] -= l * A[k][j];
        }
    for (int k = 0; k < 3; ++k)
      p[k] += A[k][3] / A[k][k];
  }
  RG_WITHIN(p[0], 2.0, 1e-6);
  RG_WITHIN(p[1], 0.6, 1e-6);
  RG_WITHIN(p[2], 0.3, 1e-6);
  return rgReport();
}
