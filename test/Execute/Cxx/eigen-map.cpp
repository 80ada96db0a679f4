// Eigen::Map over plain memory, Ref parameters, and an in-place update.
// REQUIRES: eigen
// RG-FLAGS: -I%eigen
#include "rgtest.h"
#include <Eigen/Core>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

static double f(const double *a, const double *x, int n) {
  Eigen::Map<const Eigen::MatrixXd> A(a, n, n);
  Eigen::Map<const Eigen::VectorXd> v(x, n);
  return v.dot(A * v) + (A * v).array().tanh().sum();
}
static void normalize(double *x) {
  Eigen::Map<Eigen::Vector4d> v(x);
  v = v.array() * v.array() + 1;
  v /= v.sum();
}
static double normalized(const double *in, const double *w) {
  double x[4] = {in[0], in[1], in[2], in[3]}, s = 0;
  normalize(x);
  for (int i = 0; i < 4; ++i)
    s += w[i] * x[i];
  return s;
}

int main() {
  double a[9] = {1, 2, 0.5, -1, 0.25, 2, 0.5, 1, 3}, x[3] = {0.1, -0.5, 0.2};
  double da[9] = {}, dx[3] = {}, tx[3] = {0, 1, 0};
  __enzyme_autodiff((void *)f, a, da, x, dx, 3);
  RG_GRADS(da, f(a, x, 3), a, 9);
  RG_GRADS(dx, f(a, x, 3), x, 3);
  RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_const, a, enzyme_dup, x, tx, 3), dx[1]);
  double y[4] = {1, 2, -1, 0.5}, in[4] = {1, 2, -1, 0.5}, w[4] = {1, -2, 3, 0.5};
  double dy[4] = {1, -2, 3, 0.5};
  __enzyme_autodiff((void *)normalize, y, dy);
  RG_GRADS(dy, normalized(in, w), in, 4);
  return rgReport();
}
