// Linear systems through Eigen's partial-pivoting LU, dynamic size: pivots depend
// on active data, and the factorisation works in place on blocks.
// REQUIRES: eigen
// RG-FLAGS: -I%eigen
#include "rgtest.h"
#include <Eigen/Dense>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
using Eigen::MatrixXd;
using Eigen::VectorXd;

static double f(const MatrixXd &A, const VectorXd &b) {
  VectorXd x = A.partialPivLu().solve(b);
  return x.dot(b) + x(0) * x(0);
}

int main() {
  MatrixXd A(4, 4), dA = MatrixXd::Zero(4, 4);
  A << 0.5, 2, 1, -1, 3, 1, 0.5, 2, -1, 0.25, 4, 1, 1, 1.5, -2, 2;
  VectorXd b(4), db = VectorXd::Zero(4);
  b << 1, 2, -1, 0.5;
  __enzyme_autodiff((void *)f, &A, &dA, &b, &db);
  RG_GRADS(dA.data(), f(A, b), A.data(), 16);
  RG_GRADS(db.data(), f(A, b), b.data(), 4);
  MatrixXd tA = MatrixXd::Zero(4, 4);
  VectorXd tb = VectorXd::Zero(4);
  tA(2, 1) = 1;
  RG_NEAR(__enzyme_fwddiff((void *)f, &A, &tA, &b, &tb), dA(2, 1));
  return rgReport();
}
