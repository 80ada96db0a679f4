// stable_sort, merges and rotations of deques: nodes found by `at >> 6`, runs copied piece by piece.
// RG-LEVELS: O0 O1 O2
#include "rgtest.h"
#include <algorithm>
#include <deque>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
double sorted(const double *x, int n) {
  std::deque<double> d;
  for (int i = 0; i < 30 * n; ++i)
    d.push_back(x[i % n] * (1 + i * 7 % 31) + 0.001 * i);
  std::stable_sort(d.begin(), d.end());
  std::rotate(d.begin(), d.begin() + 5, d.end());
  std::inplace_merge(d.begin() + 3, d.end() - 5, d.end());
  double r = 0;
  for (size_t i = 0; i < d.size(); ++i)
    r += d[i] * i;
  return r / d.size();
}
int main() {
  double x[] = {0.9, 0.3, 1.4, 0.55, 0.7321}, d[5] = {0}, v[5] = {0.3, -0.6, 1, 0.7, -0.2}, along = 0;
  __enzyme_autodiff((void *)sorted, enzyme_dup, x, d, enzyme_const, 5);
  for (int i = 0; i < 5; ++i) {
    const double h = 1e-7, old = x[i]; // ranks must not change
    x[i] = old + h;
    double up = sorted(x, 5);
    x[i] = old - h;
    double down = sorted(x, 5);
    x[i] = old;
    RG_WITHIN(d[i], (up - down) / (2 * h), 1e-5);
    along += v[i] * d[i];
  }
  RG_NEAR(__enzyme_fwddiff((void *)sorted, enzyme_dup, x, v, enzyme_const, 5), along);
  return rgReport();
}
int enzyme_dup, enzyme_const;
