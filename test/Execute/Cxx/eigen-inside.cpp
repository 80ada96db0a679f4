// Eigen objects made inside a function of plain scalars: rotation, a small filter
// with matrices as state, quaternions.
// REQUIRES: eigen
// RG-FLAGS: -I%eigen
#include "rgtest.h"
#include <Eigen/Dense>
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double rotated(double angle) {
  Eigen::Matrix2d R;
  R << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  Eigen::Vector2d v(1, 2);
  for (int i = 0; i < 3; ++i)
    v = R * v + Eigen::Vector2d(angle, 0);
  return v(0) * v(1);
}
static double kalman(double q) {
  Eigen::Matrix2d F, P = Eigen::Matrix2d::Identity(), Q = q * Eigen::Matrix2d::Identity();
  F << 1, 0.1, 0, 1;
  Eigen::RowVector2d H(1, 0);
  Eigen::Vector2d x(0, 1);
  for (int i = 0; i < 5; ++i) {
    x = F * x;
    P = F * P * F.transpose() + Q;
    double s = (H * P * H.transpose()).value() + 0.5;
    Eigen::Vector2d K = P * H.transpose() / s;
    x += K * (0.3 * i - (H * x).value());
    P = (Eigen::Matrix2d::Identity() - K * H) * P;
  }
  return x(0) + P.trace() * x(1);
}
static double quaternion(double t) {
  Eigen::Quaterniond q(1, t, t * t, 0.5);
  q.normalize();
  Eigen::Vector3d v = q * Eigen::Vector3d(1, 2, 3);
  return v(0) * v(1) + v(2);
}

int main() {
  RG_UNARY(rotated, 0.4);
  RG_UNARY(kalman, 0.3);
  RG_UNARY(quaternion, 0.6);
  return rgReport();
}
