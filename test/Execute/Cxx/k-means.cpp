// The k-means objective with a nearest-centre search, and one Newton step of it
// with the gradient; centres in one block, points constant.
#include "rgtest.h"
#include <cmath>
#include <limits>
#include <vector>
template <typename R, typename... T> R __enzyme_autodiff(void *, T...);
template <typename R, typename... T> R __enzyme_fwddiff(void *, T...);
int enzyme_dup, enzyme_const;

static double cost(const double *centres, int k, const double *points, int n, int dim) {
  double total = 0;
  for (int i = 0; i < n; ++i) {
    double best = std::numeric_limits<double>::infinity();
    for (int c = 0; c < k; ++c) {
      double d2 = 0;
      for (int j = 0; j < dim; ++j) {
        double d = points[i * dim + j] - centres[c * dim + j];
        d2 += d * d;
      }
      if (d2 < best)
        best = d2;
    }
    total += best;
  }
  return total;
}

int main() {
  std::vector<double> points, centres{0.1, 0.2, 1.1, 0.7}, d(4), t(4);
  for (int i = 0; i < 10; ++i) {
    points.push_back((i % 2) + 0.1 * std::sin(5.0 * i));
    points.push_back(0.5 * (i % 2) + 0.1 * std::cos(3.0 * i));
  }
  __enzyme_autodiff<void>((void *)cost, enzyme_dup, centres.data(), d.data(),
                          enzyme_const, 2, enzyme_const, points.data(),
                          enzyme_const, 10, enzyme_const, 2);
  RG_GRADS(d, cost(centres.data(), 2, points.data(), 10, 2), centres, 4);
  t[2] = 1;
  RG_NEAR(__enzyme_fwddiff<double>((void *)cost, enzyme_dup, centres.data(), t.data(), 2,
                                   enzyme_const, points.data(), 10, 2), d[2]);
  // The objective is quadratic with Hessian 2 * count: one Newton step lands on
  // the means and leaves no gradient.
  for (int i = 0; i < 4; ++i)
    centres[i] -= d[i] / 10;
  d.assign(4, 0);
  __enzyme_autodiff<void>((void *)cost, enzyme_dup, centres.data(), d.data(), 2,
                          enzyme_const, points.data(), 10, 2);
  for (int i = 0; i < 4; ++i)
    RG_NEAR(d[i], 0);
  return rgReport();
}
