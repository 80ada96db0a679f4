// Random engines and distributions: constants, except for the parameters of a
// distribution.
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

#include <algorithm>
#include <random>
#include <vector>
static double f1(double x) {
  std::mt19937 g(42);
  std::uniform_real_distribution<double> u(0, 1);
  double s = 0;
  for (int i = 0; i < 10; ++i)
    s += std::sin(x * u(g));
  return s;
}
static double f2(double x) {
  std::mt19937_64 g(7);
  std::normal_distribution<double> n(0, 1);
  double s = 0;
  for (int i = 0; i < 10; ++i)
    s += std::exp(x * n(g));
  return s;
}
static double f3(double x) {
  std::minstd_rand g(3);
  std::uniform_int_distribution<int> d(0, 9);
  std::bernoulli_distribution b(.5);
  std::exponential_distribution<double> e(1.5);
  std::vector<double> v(10, x);
  double s = 0;
  for (int i = 0; i < 10; ++i)
    s += v[d(g)] * (b(g) ? x : 2) * e(g);
  std::shuffle(v.begin(), v.end(), g);
  return s * v[0];
}
static double f4(double x) {
  std::default_random_engine g(5);
  std::normal_distribution<double> n(x, x * x);
  double s = 0;
  for (int i = 0; i < 4; ++i)
    s += n(g);
  std::poisson_distribution<int> p(4);
  std::discrete_distribution<int> dd{1, 2, 3};
  return s * x + p(g) * x + dd(g) * x;
}
int main() {
  RG_UNARY(f1, .75);
  RG_UNARY(f2, .75);
  RG_UNARY(f3, .75);
  RG_UNARY(f4, .75);
  return rgReport();
}
