// Cholesky by Eigen's LLT, fixed and dynamic size: a Gaussian log-likelihood.
// REQUIRES: eigen
// RG-FLAGS: -I%eigen
#include "rgtest.h"
#include <Eigen/Dense>
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

template <typename Mat, typename Vec> static double f(const Mat &A, const Vec &r) {
  Eigen::LLT<Mat> llt(A);
  Vec y = llt.matrixL().solve(r);
  double s = 0.5 * y.squaredNorm();
  for (int i = 0; i < A.rows(); ++i)
    s += std::log(llt.matrixLLT()(i, i));
  return s;
}

template <typename Mat, typename Vec> static void check(int n) {
  Mat A(n, n), D = Mat::Zero(n, n), T = Mat::Zero(n, n);
  Vec r(n), dr = Vec::Zero(n), tr = Vec::Zero(n);
  for (int i = 0; i < n; ++i) {
    r(i) = 1.0 - 0.5 * i;
    for (int j = 0; j < n; ++j)
      A(i, j) = 1.0 / (1 + i + j) + 2 * (i == j);
  }
  __enzyme_autodiff((void *)f<Mat, Vec>, &A, &D, &r, &dr);
  RG_GRADS(D.data(), (f<Mat, Vec>(A, r)), A.data(), n * n);
  RG_GRADS(dr.data(), (f<Mat, Vec>(A, r)), r.data(), n);
  T(1, 0) = 1;
  RG_NEAR(__enzyme_fwddiff((void *)f<Mat, Vec>, &A, &T, &r, &tr), D(1, 0));
}

int main() {
  check<Eigen::Matrix3d, Eigen::Vector3d>(3);
  check<Eigen::MatrixXd, Eigen::VectorXd>(4);
  return rgReport();
}
