// Largest and smallest elements: Eigen writes packet maxima as inline assembly.
// REQUIRES: eigen
// RG-FLAGS: -I%eigen
#include "rgtest.h"
#include <Eigen/Dense>
template <typename R, typename... T> R __enzyme_autodiff(void *, T...);

template <typename S> static S f(const S *x) {
  Eigen::Array<S, Eigen::Dynamic, 1> v(9);
  for (int i = 0; i < 9; i++)
    v(i) = x[i % 3] * S(i * 5 % 9 - 4);
  return v.maxCoeff() * v.minCoeff() + v.max(S(0.5)).sum() + v.min(v.reverse()).prod() * S(0.01);
}
int main() {
  double x[3] = {0.8, 1.7, 0.4}, d[3] = {};
  __enzyme_autodiff<void>((void *)f<double>, x, d);
  RG_GRADS(d, f(x), x, 3);
  float y[3] = {0.8f, 1.7f, 0.4f}, e[3] = {};
  __enzyme_autodiff<void>((void *)f<float>, y, e);
  for (int i = 0; i < 3; i++)
    RG_WITHIN(e[i], d[i], 1e-4);
  return rgReport();
}
