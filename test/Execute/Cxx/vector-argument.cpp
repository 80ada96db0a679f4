// RG-LEVELS: O0 O1 O2 O3 Os fast g
// std::vector given by reference, with a shadow vector of the same length: read,
// written, iterated in every way.
#include "rgtest.h"
#include <vector>
template <typename R, typename... T> R __enzyme_autodiff(void *, T...);
template <typename R, typename... T> R __enzyme_fwddiff(void *, T...);
int enzyme_dup, enzyme_const;

static double sumOfSquares(const std::vector<double> &v) {
  double s = 0;
  for (double x : v)
    s += x * x;
  return s;
}
static double indexed(const std::vector<double> &v) {
  double s = 1;
  for (std::size_t i = 0; i < v.size(); ++i)
    s = s * 0.5 + v[i] * v[v.size() - 1 - i];
  return s * v.front() + v.back();
}
static void squareAll(std::vector<double> &v) {
  for (double &x : v)
    x *= x;
  v[0] += v.at(1);
}
static float floats(const std::vector<float> &v, const std::vector<int> &index) {
  float s = 0;
  for (int i : index)
    s += v[i] * v[i];
  return s;
}

int main() {
  std::vector<double> v{1.5, -0.5, 2, 0.25}, d(4), e(4), t{0, 1, 0, 0};
  __enzyme_autodiff<void>((void *)sumOfSquares, enzyme_dup, &v, &d);
  for (int i = 0; i < 4; ++i)
    RG_NEAR(d[i], 2 * v[i]);
  __enzyme_autodiff<void>((void *)indexed, enzyme_dup, &v, &e);
  RG_GRADS(e, indexed(v), v, 4);
  RG_NEAR(__enzyme_fwddiff<double>((void *)indexed, enzyme_dup, &v, &t), e[1]);
  std::vector<double> w{2, 3}, dw{5, 7};
  __enzyme_autodiff<void>((void *)squareAll, enzyme_dup, &w, &dw);
  RG_NEAR(w[0], 13);
  RG_NEAR(dw[0], 20);
  RG_NEAR(dw[1], (7 + 5) * 6.0);
  std::vector<float> f{1, 2, 3}, df(3);
  std::vector<int> index{2, 0, 2};
  __enzyme_autodiff<float>((void *)floats, enzyme_dup, &f, &df, enzyme_const, &index);
  RG_NEARF(df[0], 2);
  RG_NEARF(df[1], 0);
  RG_NEARF(df[2], 12);
  return rgReport();
}
