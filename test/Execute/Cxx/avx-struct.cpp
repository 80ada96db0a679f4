// With AVX an expression of Eigen, a struct of a float and a pointer, is loaded as
// one vector of floats, and the pointer is made from the bits of a lane.
// REQUIRES: eigen, avx
// RG-LEVELS: O2 O3
// RG-FLAGS: -I%eigen -mavx
#include "rgtest.h"
#include <Eigen/Core>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
static double f(const Eigen::ArrayXd &a) { return (a.square() / (1 + a.abs())).sum(); }
int main() {
  Eigen::ArrayXd a(9), d = Eigen::ArrayXd::Zero(9), t = Eigen::ArrayXd::Zero(9);
  for (int i = 0; i < 9; ++i)
    a[i] = 0.3 * i - 1;
  __enzyme_autodiff((void *)f, &a, &d);
  RG_GRADS(d.data(), f(a), a.data(), 9);
  t[4] = 1;
  RG_NEAR(__enzyme_fwddiff((void *)f, &a, &t), d[4]);
  return rgReport();
}
