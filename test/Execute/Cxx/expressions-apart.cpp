// Expressions of Eigen whose classes are all kept apart by functions that are not inlined: to the types, their memory is one object.
// REQUIRES: eigen
// RG-FLAGS: -I%eigen -fno-inline
// RG-LEVELS: O2
#include "rgtest.h"
#include <Eigen/Core>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

static double f(const double *a, const double *x, int n) {
  Eigen::Map<const Eigen::MatrixXd> A(a, n, n);
  Eigen::Map<const Eigen::VectorXd> v(x, n);
  return v.dot(A * v);
}
int main() {
  double a[9] = {1, 2, 0.5, -1, 0.25, 2, 0.5, 1, 3}, x[3] = {0.1, -0.5, 0.2};
  double da[9] = {}, dx[3] = {}, tx[3] = {0, 1, 0};
  __enzyme_autodiff((void *)f, a, da, x, dx, 3);
  RG_GRADS(da, f(a, x, 3), a, 9);
  RG_GRADS(dx, f(a, x, 3), x, 3);
  RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_const, a, enzyme_dup, x, tx, 3), dx[1]);
  return rgReport();
}
