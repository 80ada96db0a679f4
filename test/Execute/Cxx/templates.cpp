// Function and class templates, non-type parameters, specialisations, if
// constexpr, folds, recursion over types.
#include "rgtest.h"
#include <type_traits>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
float __enzyme_autodiff_f(float (*)(float), float);

template <int N> struct Power {
  template <typename T> static T of(T x) { return x * Power<N - 1>::of(x); }
};
template <> struct Power<0> {
  template <typename T> static T of(T) { return T(1); }
};
template <typename... T> static double sumOfSquares(T... x) { return ((x * x) + ...); }
template <typename T> static T halve(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x / 2;
  else
    return x >> 1;
}
template <typename T, int Rows, int Cols> struct Matrix {
  T A[Rows][Cols];
  template <int K> Matrix<T, Rows, K> operator*(const Matrix<T, Cols, K> &B) const {
    Matrix<T, Rows, K> C{};
    for (int i = 0; i < Rows; ++i)
      for (int j = 0; j < K; ++j)
        for (int k = 0; k < Cols; ++k)
          C.A[i][j] += A[i][k] * B.A[k][j];
    return C;
  }
};

static double powers(double x) { return Power<5>::of(x) - Power<2>::of(halve(x)); }
static double folds(double x) { return sumOfSquares(x, 2, x * x, 1.0f) * halve(7); }
template <typename T> static T matrices(T x) {
  Matrix<T, 2, 3> a{{{x, T(1), T(2)}, {x * x, x, T(0)}}};
  Matrix<T, 3, 2> b{{{T(1), x}, {x, T(2)}, {T(3), x}}};
  auto c = a * b * a;
  return c.A[0][2] * c.A[1][0];
}

int main() {
  RG_UNARY(powers, 1.25);
  RG_UNARY(folds, 0.75);
  RG_UNARY(matrices<double>, 0.6);
  float x = 0.5f;
  double y = 0.5;
  RG_WITHIN(__enzyme_autodiff_f(matrices<float>, x), RG_DIFF(matrices<double>(y), y), 1e-4);
  return rgReport();
}
