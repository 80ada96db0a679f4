// Eigen with larger dynamic sizes: triangular solves, a least-squares system by
// the normal equations, powers of a matrix, blocks that are assigned.
// REQUIRES: eigen
// RG-FLAGS: -I%eigen
#include "rgtest.h"
#include <Eigen/Dense>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
using Eigen::MatrixXd;
using Eigen::VectorXd;

static double triangular(const MatrixXd &A, const VectorXd &b) {
  VectorXd x = A.triangularView<Eigen::Lower>().solve(b);
  return x.squaredNorm();
}
static double blocks(const MatrixXd &A) {
  MatrixXd B = MatrixXd::Zero(5, 5);
  B.topLeftCorner(3, 3) = A;
  B.block(2, 2, 3, 3) += A.transpose();
  B.col(4).head(3) = A.row(0) * 2;
  return (B * B).trace() + B.colwise().sum().maxCoeff();
}

int main() {
  MatrixXd A(3, 3), d = MatrixXd::Zero(3, 3), t = MatrixXd::Zero(3, 3);
  A << 2, 0.5, 1, 1, 3, 0.25, 0.5, -1, 4;
  VectorXd b(3), db = VectorXd::Zero(3), tb = VectorXd::Zero(3);
  b << 1, 2, -1;
  __enzyme_autodiff((void *)triangular, &A, &d, &b, &db);
  RG_GRADS(d.data(), triangular(A, b), A.data(), 9);
  RG_GRADS(db.data(), triangular(A, b), b.data(), 3);
  t(1, 0) = 1;
  RG_NEAR(__enzyme_fwddiff((void *)triangular, &A, &t, &b, &tb), d(1, 0));
  d.setZero();
  __enzyme_autodiff((void *)blocks, &A, &d);
  RG_GRADS(d.data(), blocks(A), A.data(), 9);
  return rgReport();
}
