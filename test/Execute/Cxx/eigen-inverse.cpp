// Inverses and determinants of fixed sizes (closed formulas) and a linear system
// by the inverse.
// REQUIRES: eigen
// RG-FLAGS: -I%eigen
#include "rgtest.h"
#include <Eigen/Dense>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

template <int N> static double f(const Eigen::Matrix<double, N, N> &A) {
  Eigen::Matrix<double, N, N> inverse = A.inverse();
  return inverse.sum() * A.determinant() + inverse(0, 1);
}

template <int N> static void check() {
  using Mat = Eigen::Matrix<double, N, N>;
  Mat A, D = Mat::Zero(), T = Mat::Zero();
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      A(i, j) = 1.0 / (1 + i + 2 * j) + (i == j);
  __enzyme_autodiff((void *)f<N>, &A, &D);
  RG_GRADS(D.data(), f<N>(A), A.data(), N * N);
  T(1, 0) = 1;
  RG_NEAR(__enzyme_fwddiff((void *)f<N>, &A, &T), D(1, 0));
}

int main() {
  check<2>();
  check<3>();
  return rgReport();
}
