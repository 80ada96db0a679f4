// Eigen's tensors: convolution, contraction, chips, reductions, broadcasts.
// REQUIRES: eigen
// RG-FLAGS: -I%eigen
// RG-LEVELS: O1 O2
#include "rgtest.h"
#include <unsupported/Eigen/CXX11/Tensor>
double __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;
template <int N> using Tensor = Eigen::Tensor<double, N>;

static double convolved(const Tensor<3> &x, const Tensor<2> &kernel) {
  Eigen::array<ptrdiff_t, 2> dimensions{0, 1};
  Tensor<3> y = x.convolve(kernel, dimensions);
  double s = 0;
  for (long i = 0; i < y.size(); ++i)
    s += (i + 1) * y.data()[i] * y.data()[i];
  return s;
}
static double contracted(const Tensor<3> &x, const Tensor<2> &kernel) {
  Eigen::array<Eigen::IndexPair<int>, 1> pairs{Eigen::IndexPair<int>(1, 0)};
  Tensor<3> y = x.contract(kernel, pairs);
  Tensor<0> s = (y * y + y.tanh()).sum();
  return s(0);
}
static double mixed(const Tensor<3> &x, const Tensor<2> &kernel) {
  Tensor<2> a = x.chip(1, 2).slice(Eigen::array<long, 2>{0, 0}, Eigen::array<long, 2>{2, 2});
  Tensor<0> s = (a * kernel.exp() + a.shuffle(Eigen::array<int, 2>{1, 0})).square().sum();
  return s(0);
}

#define BOTH(F)                                                                                    \
  {                                                                                                \
    Tensor<3> x(4, 3, 2), dx(4, 3, 2);                                                             \
    Tensor<2> kernel(F == contracted ? 3 : 2, 2), dkernel(F == contracted ? 3 : 2, 2);             \
    for (long i = 0; i < x.size(); ++i)                                                            \
      x.data()[i] = 0.3 + 0.1 * ((i * 7) % 11);                                                    \
    for (long i = 0; i < kernel.size(); ++i)                                                       \
      kernel.data()[i] = 0.5 - 0.2 * i;                                                            \
    dx.setZero(), dkernel.setZero();                                                               \
    __enzyme_autodiff((void *)F, enzyme_dup, &x, &dx, enzyme_dup, &kernel, &dkernel);              \
    RG_GRADS(dx.data(), F(x, kernel), x.data(), x.size());                                         \
    RG_GRADS(dkernel.data(), F(x, kernel), kernel.data(), kernel.size());                          \
  }

int main() {
  BOTH(convolved)
  BOTH(contracted)
  BOTH(mixed)
  return rgReport();
}
