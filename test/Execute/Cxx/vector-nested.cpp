// Vectors of vectors: a matrix by rows, ragged rows, rows moved in, given by the
// caller with a shadow of the same shape.
#include "rgtest.h"
#include <vector>
using Matrix = std::vector<std::vector<double>>;
template <typename R, typename... T> R __enzyme_autodiff(void *, T...);
template <typename R, typename... T> R __enzyme_fwddiff(void *, T...);
int enzyme_dup, enzyme_const, enzyme_out;

static double given(const Matrix &m) {
  double s = 0;
  for (std::size_t i = 0; i < m.size(); ++i)
    for (std::size_t j = 0; j < m[i].size(); ++j)
      s += m[i][j] * m[j % m.size()][0] * double(i + 1);
  return s;
}
static Matrix multiply(const Matrix &a, const Matrix &b) {
  Matrix c(a.size(), std::vector<double>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b[0].size(); ++j)
      for (std::size_t k = 0; k < b.size(); ++k)
        c[i][j] += a[i][k] * b[k][j];
  return c;
}
static double made(double x) {
  Matrix a{{x, 1}, {2, x * x}}, c = multiply(multiply(a, a), a);
  return c[0][1] * c[1][0];
}
static double ragged(double x, int n) {
  Matrix rows;
  for (int i = 0; i < n; ++i) {
    std::vector<double> row;
    for (int j = 0; j <= i; ++j)
      row.push_back(j && j < i ? rows[i - 1][j - 1] + rows[i - 1][j] * x : x);
    rows.push_back(std::move(row));
  }
  double s = 0;
  for (double v : rows.back())
    s += v * v;
  return s;
}

int main() {
  Matrix m{{1, 2, 3}, {4}, {5, 6}}, d{{0, 0, 0}, {0}, {0, 0}}, t{{0, 0, 1}, {0}, {0, 0}};
  __enzyme_autodiff<void>((void *)given, enzyme_dup, &m, &d);
  for (std::size_t i = 0; i < m.size(); ++i)
    RG_GRADS(d[i], given(m), m[i], m[i].size());
  RG_NEAR(__enzyme_fwddiff<double>((void *)given, enzyme_dup, &m, &t), d[0][2]);
  double x = 0.75;
  RG_GRAD(__enzyme_autodiff<double>((void *)made, enzyme_out, x), made(x), x);
  RG_GRAD(__enzyme_fwddiff<double>((void *)made, enzyme_dup, x, 1.0), made(x), x);
  RG_GRAD(__enzyme_autodiff<double>((void *)ragged, enzyme_out, x, enzyme_const, 5),
          ragged(x, 5), x);
  RG_GRAD(__enzyme_fwddiff<double>((void *)ragged, enzyme_dup, x, 1.0, enzyme_const, 5),
          ragged(x, 5), x);
  return rgReport();
}
