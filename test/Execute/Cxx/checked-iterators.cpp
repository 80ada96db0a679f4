// Containers of libstdc++'s debug mode, which know their iterators.
// RG-LEVELS: O0 O1 O2
// RG-FLAGS: -std=c++17 -D_GLIBCXX_DEBUG
#include "rgvector.hpp"
#include <algorithm>
#include <list>
#include <map>
#include <numeric>
#include <unordered_map>
#include <vector>

static double sorted(const double *x, int n) {
  std::vector<double> v(x, x + n);
  std::sort(v.begin(), v.end());
  double s = 0;
  int k = 0;
  for (double a : v)
    s += ++k * a * a;
  return s;
}

static double mapped(const double *x, int n) {
  std::map<int, double> m;
  for (int i = 0; i < n; ++i)
    m[i * 5 % 4] += x[i] * x[i];
  double s = 0;
  for (auto it = m.begin(); it != m.end(); ++it)
    s += it->first * it->second;
  return s;
}

static double listed(const double *x, int n) {
  std::list<double> l;
  for (int i = 0; i < n; ++i)
    l.push_back(x[i] * x[i]);
  l.reverse();
  l.erase(std::next(l.begin()));
  double s = 0, w = 1;
  for (double a : l)
    s += a * (w += 1);
  return s;
}

static double inserted(const double *x, int n) {
  std::vector<double> v;
  for (int i = 0; i < n; ++i)
    v.insert(v.begin(), x[i] * x[i]);
  v.erase(v.begin() + 2);
  return std::accumulate(v.begin(), v.end(), 0.0) * std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
}

static double found(const double *x, int n) {
  std::unordered_map<int, double> m;
  for (int i = 0; i < n; ++i)
    m[i % 3] += x[i] * x[i];
  double s = 0;
  for (int i = 0; i < 3; ++i)
    if (auto it = m.find(i); it != m.end())
      s += it->second * (i + 1);
  return s;
}

int main() {
  check(sorted);
  check(mapped);
  check(listed);
  check(inserted);
  check(found);
  return rgReport();
}
