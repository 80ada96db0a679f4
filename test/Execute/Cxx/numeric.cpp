// RG-LEVELS: O0 O1 O2 Os fast g
// <numeric> and <algorithm>: accumulate, inner_product, transform, partial_sum,
// reduce, min_element, clamp, sort with a comparator.
#include "rgtest.h"
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
using Vec = std::vector<double>;

static double accumulated(const Vec &v) {
  double s = std::accumulate(v.begin(), v.end(), 0.0);
  double p = std::accumulate(v.begin(), v.end(), 1.0, std::multiplies<double>());
  double q = std::accumulate(v.begin(), v.end(), 0.0,
                             [](double a, double x) { return a * 0.5 + x * x; });
  return s * p + q;
}
static double products(const Vec &v) {
  Vec w(v.size());
  std::transform(v.begin(), v.end(), w.begin(), [](double x) { return x * x + 1; });
  Vec u(v.size());
  std::transform(v.begin(), v.end(), w.begin(), u.begin(), std::minus<double>());
  std::partial_sum(u.begin(), u.end(), u.begin());
  return std::inner_product(v.begin(), v.end(), w.begin(), 0.0) +
         std::inner_product(u.begin(), u.end(), v.begin(), 1.0);
}
static double extremes(const Vec &v) {
  double lo = *std::min_element(v.begin(), v.end());
  double hi = *std::max_element(v.begin(), v.end());
  return lo * hi + std::max(v[0], v[1]) * std::min(v[2], v[3]) +
         std::clamp(v[1], 0.0, 10.0) + std::clamp(v[2] * v[2], 0.0, 0.5);
}
static double sorted(const Vec &v) {
  Vec w = v;
  std::sort(w.begin(), w.end(), [](double a, double b) { return a > b; });
  double s = 0;
  for (std::size_t i = 0; i < w.size(); ++i)
    s += w[i] * w[i] * double(i + 1);
  return s;
}

int main() {
  Vec v{1.5, 0.5, -2, 0.25, 1.25};
  Vec d(5), t{0, 0, 1, 0, 0};
  __enzyme_autodiff((void *)accumulated, &v, &d);
  RG_GRADS(d, accumulated(v), v, 5);
  RG_NEAR(__enzyme_fwddiff((void *)accumulated, &v, &t), d[2]);
  d.assign(5, 0);
  __enzyme_autodiff((void *)products, &v, &d);
  RG_GRADS(d, products(v), v, 5);
  RG_NEAR(__enzyme_fwddiff((void *)products, &v, &t), d[2]);
  d.assign(5, 0);
  __enzyme_autodiff((void *)extremes, &v, &d);
  RG_GRADS(d, extremes(v), v, 5);
  RG_NEAR(__enzyme_fwddiff((void *)extremes, &v, &t), d[2]);
  d.assign(5, 0);
  __enzyme_autodiff((void *)sorted, &v, &d);
  RG_GRADS(d, sorted(v), v, 5);
  RG_NEAR(__enzyme_fwddiff((void *)sorted, &v, &t), d[2]);
  return rgReport();
}
