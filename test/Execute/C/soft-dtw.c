// Dynamic programming over a table: the smoothed time-warping distance, and an
// edit distance with hard minima and active costs.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_dup;
#define MAX 9

static double softMin(double a, double b, double c, double gamma) {
  double m = a < b ? a : b;
  m = m < c ? m : c;
  return m - gamma * log(exp((m - a) / gamma) + exp((m - b) / gamma) +
                         exp((m - c) / gamma));
}
static double softDtw(const double *x, int n, const double *y, int m, double gamma) {
  double t[MAX][MAX];
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= m; ++j)
      t[i][j] = i || j ? 1e10 : 0;
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= m; ++j) {
      double d = x[i - 1] - y[j - 1];
      t[i][j] = d * d + softMin(t[i - 1][j], t[i][j - 1], t[i - 1][j - 1], gamma);
    }
  return t[n][m];
}
static double edit(const char *a, const char *b, const double *cost) {
  int n = (int)strlen(a), m = (int)strlen(b);
  double prev[MAX], row[MAX];
  for (int j = 0; j <= m; ++j)
    prev[j] = j * cost[0];
  for (int i = 1; i <= n; ++i) {
    row[0] = i * cost[1];
    for (int j = 1; j <= m; ++j) {
      double best = prev[j - 1] + (a[i - 1] == b[j - 1] ? 0 : cost[2]);
      if (prev[j] + cost[1] < best)
        best = prev[j] + cost[1];
      if (row[j - 1] + cost[0] < best)
        best = row[j - 1] + cost[0];
      row[j] = best;
    }
    memcpy(prev, row, sizeof prev);
  }
  return prev[m] * prev[m];
}

int main(void) {
  double x[6] = {1, 2, 3, 2, 1, 0.5}, y[5] = {1.2, 2.5, 2.7, 1.5, 0.2}, d[6] = {0};
  __enzyme_autodiff((void *)softDtw, enzyme_dup, x, d, 6, enzyme_const, y, 5,
                    enzyme_const, 0.5);
  RG_GRADS(d, softDtw(x, 6, y, 5, 0.5), x, 6);
  double v[6] = {0, 1, 0, 0, 0, 0};
  RG_NEAR(__enzyme_fwddiff((void *)softDtw, enzyme_dup, x, v, 6, enzyme_const, y,
                           5, enzyme_const, 0.5), d[1]);
  double cost[3] = {1.0, 1.1, 1.7}, dc[3] = {0};
  __enzyme_autodiff((void *)edit, enzyme_const, "kitten", enzyme_const, "sitting",
                    enzyme_dup, cost, dc);
  RG_GRADS(dc, edit("kitten", "sitting", cost), cost, 3);
  return rgReport();
}
