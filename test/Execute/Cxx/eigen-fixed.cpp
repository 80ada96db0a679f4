// Eigen with fixed sizes: products, dot, norm, cross, blocks, coefficient-wise
// operations, given by reference with shadow matrices.
// REQUIRES: eigen
// RG-FLAGS: -I%eigen
#include "rgtest.h"
#include <Eigen/Core>
#include <Eigen/Geometry>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
using Eigen::Matrix3d;
using Eigen::Vector3d;

static double quadratic(const Matrix3d &A, const Vector3d &x) {
  return x.dot(A * x) + (A * A.transpose()).trace();
}
static double geometry(const Vector3d &a, const Vector3d &b) {
  Vector3d c = a.cross(b), n = c.normalized();
  return c.norm() * n.dot(a + 2 * b.cwiseProduct(b)) + c.squaredNorm();
}
static double parts(const Matrix3d &A) {
  double s = A.col(1).sum() * A.row(2).prod() + A.diagonal().maxCoeff();
  Eigen::Matrix2d B = A.topLeftCorner<2, 2>();
  B += Eigen::Matrix2d::Identity() * s;
  B(0, 1) *= 3;
  return B.array().square().sum() + B.determinant();
}

int main() {
  Matrix3d A, dA = Matrix3d::Zero(), dB = Matrix3d::Zero(), tA = Matrix3d::Zero();
  A << 1, 2, 0.5, -1, 0.25, 2, 0.5, 1, 3;
  Vector3d x(1, -0.5, 2), y(0.5, 1, -1), dx = Vector3d::Zero();
  Vector3d dy = Vector3d::Zero(), tx = Vector3d::Zero();
  __enzyme_autodiff((void *)quadratic, &A, &dA, &x, &dx);
  RG_GRADS(dA.data(), quadratic(A, x), A.data(), 9);
  RG_GRADS(dx.data(), quadratic(A, x), x.data(), 3);
  tx(1) = 1;
  RG_NEAR(__enzyme_fwddiff((void *)quadratic, &A, &tA, &x, &tx), dx(1));
  dx.setZero();
  __enzyme_autodiff((void *)geometry, &x, &dx, &y, &dy);
  RG_GRADS(dx.data(), geometry(x, y), x.data(), 3);
  RG_GRADS(dy.data(), geometry(x, y), y.data(), 3);
  __enzyme_autodiff((void *)parts, &A, &dB);
  RG_GRADS(dB.data(), parts(A), A.data(), 9);
  return rgReport();
}
