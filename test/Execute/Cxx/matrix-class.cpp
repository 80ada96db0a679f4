// A matrix class with its own memory, rule of five, operators by value and
// reference, and a determinant by elimination.
#include "rgtest.h"
#include <algorithm>
#include <cmath>
#include <utility>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

class Matrix {
  int N;
  double *A;

public:
  explicit Matrix(int n) : N(n), A(new double[n * n]()) {}
  Matrix(const Matrix &o) : N(o.N), A(new double[o.N * o.N]) { std::copy(o.A, o.A + N * N, A); }
  Matrix(Matrix &&o) noexcept : N(o.N), A(std::exchange(o.A, nullptr)) {}
  Matrix &operator=(Matrix o) noexcept {
    std::swap(N, o.N);
    std::swap(A, o.A);
    return *this;
  }
  ~Matrix() { delete[] A; }
  double &operator()(int i, int j) { return A[i * N + j]; }
  double operator()(int i, int j) const { return A[i * N + j]; }
  friend Matrix operator*(const Matrix &x, const Matrix &y) {
    Matrix r(x.N);
    for (int i = 0; i < x.N; ++i)
      for (int j = 0; j < x.N; ++j)
        for (int k = 0; k < x.N; ++k)
          r(i, j) += x(i, k) * y(k, j);
    return r;
  }
  Matrix &operator+=(const Matrix &o) {
    for (int i = 0; i < N * N; ++i)
      A[i] += o.A[i];
    return *this;
  }
  double determinant() const {
    Matrix m = *this;
    double det = 1;
    for (int k = 0; k < N; ++k) {
      int p = k;
      for (int i = k + 1; i < N; ++i)
        if (std::fabs(m(i, k)) > std::fabs(m(p, k)))
          p = i;
      if (p != k) {
        std::swap_ranges(m.A + p * N, m.A + p * N + N, m.A + k * N);
        det = -det;
      }
      det *= m(k, k);
      for (int i = k + 1; i < N; ++i) {
        double l = m(i, k) / m(k, k);
        for (int j = k; j < N; ++j)
          m(i, j) -= l * m(k, j);
      }
    }
    return det;
  }
};

static double f(double x, int n) {
  Matrix m(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      m(i, j) = std::sin(x * (i + 1) + 2 * j) + (i == j ? x : 0);
  Matrix p = m;
  for (int i = 0; i < 2; ++i)
    p = p * m;
  p += m;
  return p.determinant() + m.determinant();
}

int main() {
  double x = 0.7;
  for (int n = 1; n < 5; ++n) {
    RG_GRAD(__enzyme_autodiff((void *)f, x, n), f(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)f, x, 1.0, n), f(x, n), x);
  }
  return rgReport();
}
