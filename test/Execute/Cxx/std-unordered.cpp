// Hash tables with active values.
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

#include <string>
#include <unordered_map>
#include <unordered_set>
static double f1(double x) {
  std::unordered_map<int, double> m;
  for (int i = 0; i < 40; ++i)
    m[i * 17] += x * i;
  m.erase(17);
  double s = 0;
  for (int i = 0; i < 40; ++i) {
    auto it = m.find(i * 17);
    if (it != m.end())
      s += it->second * it->second;
  }
  for (auto &p : m)
    s += p.second * p.first * x;
  return s;
}
static double f3(double x) {
  std::unordered_set<int> s{1, 5, 9};
  double r = 0;
  for (int k : s)
    r += x * k * x;
  if (s.count(5))
    r *= x;
  return r;
}
static double f4(double x) {
  std::unordered_multimap<int, double> m;
  for (int i = 0; i < 9; ++i)
    m.insert({i % 4, x * i});
  double s = 0;
  auto r = m.equal_range(1);
  for (auto it = r.first; it != r.second; ++it)
    s += it->second * it->second;
  m.clear();
  return s * (m.size() + 1);
}
int main() {
  RG_UNARY(f1, .75);
  RG_UNARY(f3, .75);
  RG_UNARY(f4, .75);
  return rgReport();
}
