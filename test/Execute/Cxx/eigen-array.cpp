// Eigen arrays: coefficient-wise mathematics, reductions, select, a logistic
// regression loss.
// REQUIRES: eigen
// RG-FLAGS: -I%eigen
#include "rgtest.h"
#include <Eigen/Core>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;
using Eigen::ArrayXd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

static double elementwise(const ArrayXd &a) {
  ArrayXd b = a.exp() * a.sin() + a.square() / (1 + a.abs());
  return (b.sqrt() * b.log()).sum() + (a > 0.5).select(a * a, b).sum() + b.mean();
}
static double logistic(const MatrixXd &X, const VectorXd &labels, const VectorXd &w) {
  ArrayXd z = (X * w).array() * labels.array();
  return ((-z).exp() + 1).log().sum() + 0.1 * w.squaredNorm();
}

int main() {
  ArrayXd a(5), d = ArrayXd::Zero(5), t = ArrayXd::Zero(5);
  a << 0.75, 1.25, 0.25, 2, 0.4;
  __enzyme_autodiff((void *)elementwise, &a, &d);
  RG_GRADS(d.data(), elementwise(a), a.data(), 5);
  t(1) = 1;
  RG_NEAR(__enzyme_fwddiff((void *)elementwise, &a, &t), d(1));
  MatrixXd X(5, 2);
  X << 1, 0.5, -1, 2, 0.25, 1, 3, -2, 1, 1;
  VectorXd y(5), w(2), dw = VectorXd::Zero(2);
  y << 1, -1, 1, -1, 1;
  w << 0.3, -0.2;
  __enzyme_autodiff((void *)logistic, enzyme_const, &X, enzyme_const, &y, enzyme_dup, &w, &dw);
  RG_GRADS(dw.data(), logistic(X, y, w), w.data(), 2);
  return rgReport();
}
