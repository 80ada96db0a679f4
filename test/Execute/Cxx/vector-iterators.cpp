// Iterators: forward, reverse, pointers from data(), ranges copied by algorithms,
// iterator arithmetic.
#include "rgtest.h"
#include <algorithm>
#include <iterator>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double iterate(const std::vector<double> &v) {
  double s = 1;
  for (auto it = v.begin(); it != v.end(); ++it)
    s = s * 0.5 + *it * *it;
  for (auto it = v.rbegin(); it != v.rend(); ++it)
    s = s * *it + 1;
  const double *p = v.data(), *end = p + v.size();
  while (p < end)
    s += *p++ * s * 0.1;
  return s + *(v.begin() + 1) * v.end()[-1];
}
static double algorithms(const std::vector<double> &v) {
  std::vector<double> a(v.size()), b(v.size());
  std::copy(v.begin(), v.end(), a.begin());
  std::copy(v.rbegin(), v.rend(), b.begin());
  std::fill(a.begin(), a.begin() + 1, 2.0);
  std::reverse(a.begin() + 1, a.end());
  std::rotate(b.begin(), b.begin() + 1, b.end());
  std::for_each(b.begin(), b.end(), [](double &x) { x *= x; });
  double s = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    s += a[i] * b[i] * double(i + 1);
  return s;
}

int main() {
  std::vector<double> v{0.5, 1.5, -1, 0.75, 2}, d(5), e(5), t{0, 0, 1, 0, 0};
  __enzyme_autodiff((void *)iterate, &v, &d);
  RG_GRADS(d, iterate(v), v, 5);
  RG_NEAR(__enzyme_fwddiff((void *)iterate, &v, &t), d[2]);
  __enzyme_autodiff((void *)algorithms, &v, &e);
  RG_GRADS(e, algorithms(v), v, 5);
  RG_NEAR(__enzyme_fwddiff((void *)algorithms, &v, &t), e[2]);
  return rgReport();
}
