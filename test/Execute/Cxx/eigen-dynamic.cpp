// Eigen with sizes known at run time: matrix-vector and matrix-matrix products,
// temporaries, resizing, noalias, norms.
// REQUIRES: eigen
// RG-FLAGS: -I%eigen
#include "rgtest.h"
#include <Eigen/Core>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
using Eigen::MatrixXd;
using Eigen::VectorXd;

static double leastSquares(const MatrixXd &A, const VectorXd &x, const VectorXd &b) {
  VectorXd r = A * x - b;
  return 0.5 * r.squaredNorm() + 0.1 * x.lpNorm<2>();
}
static double products(const MatrixXd &A) {
  MatrixXd B = A.transpose() * A;
  MatrixXd C;
  C.noalias() = B * B;
  return C.trace() + B.sum() * C(0, 1);
}

int main() {
  MatrixXd A(4, 3), dA = MatrixXd::Zero(4, 3), tA = MatrixXd::Zero(4, 3);
  for (int i = 0; i < 12; ++i)
    A.data()[i] = 0.25 * (i * 5 % 7) - 0.5;
  VectorXd x(3), b(4), dx = VectorXd::Zero(3), db = VectorXd::Zero(4);
  VectorXd tx = VectorXd::Zero(3), tb = VectorXd::Zero(4);
  x << 1, -0.5, 2;
  b << 0.5, 1, -1, 2;
  __enzyme_autodiff((void *)leastSquares, &A, &dA, &x, &dx, &b, &db);
  RG_GRADS(dA.data(), leastSquares(A, x, b), A.data(), 12);
  RG_GRADS(dx.data(), leastSquares(A, x, b), x.data(), 3);
  RG_GRADS(db.data(), leastSquares(A, x, b), b.data(), 4);
  tx(2) = 1;
  RG_NEAR(__enzyme_fwddiff((void *)leastSquares, &A, &tA, &x, &tx, &b, &tb), dx(2));
  dA.setZero();
  __enzyme_autodiff((void *)products, &A, &dA);
  RG_GRADS(dA.data(), products(A), A.data(), 12);
  return rgReport();
}
