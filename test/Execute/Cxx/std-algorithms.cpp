// Algorithms and numeric algorithms over active values.
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <vector>
static std::vector<double> mk(double x, int n = 9) {
  std::vector<double> v(n);
  for (int i = 0; i < n; ++i)
    v[i] = x * std::sin((i + 1) * 1.7) + x * x * 0.001 * i;
  return v;
}
static double wsum(const std::vector<double> &v) {
  double s = 0, w = 1;
  for (double d : v)
    s += d * d * w++;
  return s;
}
static double f1(double x) {
  auto v = mk(x);
  std::sort(v.begin(), v.end());
  return wsum(v);
}
static double f2(double x) {
  auto v = mk(x, 18);
  std::sort(v.begin(), v.end(), std::greater<double>());
  return wsum(v);
}
static double f3(double x) {
  auto v = mk(x, 18);
  std::stable_sort(v.begin(), v.end(), [](double a, double b) {
    return std::fabs(a) < std::fabs(b);
  });
  return wsum(v);
}
static double f4(double x) {
  auto v = mk(x, 21);
  std::nth_element(v.begin(), v.begin() + 10, v.end());
  return v[10] * v[10] * x;
}
static double f5(double x) {
  auto v = mk(x);
  double a = std::accumulate(v.begin(), v.end(), x),
         b = std::inner_product(v.begin(), v.end(), v.rbegin(), 0.0);
  std::vector<double> p(v.size());
  std::partial_sum(v.begin(), v.end(), p.begin());
  std::adjacent_difference(p.begin(), p.end(), v.begin());
  return a * b + wsum(p) + wsum(v);
}
static double f6(double x) {
  auto v = mk(x);
  std::vector<double> o;
  std::transform(v.begin(), v.end(), std::back_inserter(o),
                 [x](double d) { return d * x; });
  std::transform(v.begin(), v.end(), o.begin(), o.begin(), std::multiplies<>());
  std::for_each(o.begin(), o.end(), [&](double &d) { d += x; });
  return wsum(o);
}
static double f7(double x) {
  auto v = mk(x);
  double r = std::reduce(v.begin(), v.end()),
         t = std::transform_reduce(v.begin(), v.end(), v.begin(), 0.0);
  std::vector<double> s(v.size());
  std::inclusive_scan(v.begin(), v.end(), s.begin());
  std::exclusive_scan(s.begin(), s.end(), v.begin(), x);
  return r * t + wsum(s) + wsum(v);
}
static double f8(double x) {
  auto v = mk(x);
  std::reverse(v.begin(), v.end());
  std::rotate(v.begin(), v.begin() + 3, v.end());
  auto m = std::max_element(v.begin(), v.end());
  auto [lo, hi] = std::minmax_element(v.begin(), v.end());
  std::swap(v[0], v[4]);
  v.erase(std::remove_if(v.begin(), v.end(), [](double d) { return d < -.5; }),
          v.end());
  std::partial_sort(v.begin(), v.begin() + 3, v.end());
  return *m * *lo + *hi * wsum(v);
}
static double f9(double x) {
  auto v = mk(x), w = mk(x * 2);
  std::sort(v.begin(), v.end());
  std::sort(w.begin(), w.end());
  std::vector<double> o;
  std::merge(v.begin(), v.end(), w.begin(), w.end(), std::back_inserter(o));
  std::make_heap(v.begin(), v.end());
  std::pop_heap(v.begin(), v.end());
  auto it = std::lower_bound(w.begin(), w.end(), 0.1);
  std::fill(v.begin(), v.begin() + 2, x);
  std::copy_n(w.begin(), 2, v.begin() + 3);
  std::generate(w.begin(), w.begin() + 2,
                [x, k = 1.0]() mutable { return x * k++; });
  return wsum(o) + wsum(v) + *it * wsum(w);
}
static double g1(double x) {
  std::vector<std::pair<double, int>> v;
  for (int i = 0; i < 12; ++i)
    v.push_back({x * std::sin(i * 3.0) + x * x * i * 1e-3, i});
  std::sort(v.begin(), v.end());
  double s = 0;
  for (int i = 0; i < 12; ++i)
    s += v[i].first * v[i].second * i;
  return s;
}
static double g2(double x) {
  std::array<double, 5> a{x, x * x, 3 * x, 1, x / 2};
  std::sort(a.begin(), a.end());
  double s = 0, w = 1;
  for (double d : a)
    s += d * w++;
  std::vector<int> idx(5);
  std::iota(idx.begin(), idx.end(), 0);
  std::sort(idx.begin(), idx.end(), [&](int i, int j) { return a[i] > a[j]; });
  for (int i : idx)
    s += a[i] * i;
  return s + std::clamp(x, 0., 1.) * std::max({x, 2 * x, 0.5}) +
         std::midpoint(x, 2.0) + std::lerp(x, 1.0, x);
}
int main() {
  RG_UNARY(f1, .75);
  RG_UNARY(f2, .75);
  RG_UNARY(f3, .75);
  RG_UNARY(f4, .75);
  RG_UNARY(f5, .75);
  RG_UNARY(f6, .75);
  RG_UNARY(f7, .75);
  RG_UNARY(f8, .75);
  RG_UNARY(f9, .75);
  RG_UNARY(g1, .75);
  RG_UNARY(g2, .75);
  return rgReport();
}
