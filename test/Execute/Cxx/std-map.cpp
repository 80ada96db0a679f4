// std::map and multimap with active values, and with active keys.
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

#include <map>
#include <string>
static double f1(double x) {
  std::map<int, double> m;
  for (int i = 0; i < 6; ++i)
    m[(i * 7) % 5] += x * i;
  m.erase(2);
  double s = 0;
  for (auto &[k, v] : m)
    s += v * v * k;
  return s + m.at(3) * m.count(9);
}
static double f3(double x) {
  std::map<int, std::map<int, double>> m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      m[i][j] = x * i + j * x * x;
  double s = 0;
  for (auto &a : m)
    for (auto &b : a.second)
      s += b.second * b.second;
  return s;
}
static double f4(double x) {
  std::multimap<int, double> m;
  for (int i = 0; i < 6; ++i)
    m.emplace(i % 3, x * (i + 1));
  auto [a, b] = m.equal_range(1);
  double s = 0;
  for (auto it = a; it != b; ++it)
    s += it->second * it->second;
  return s;
}
static double f5(double x) {
  std::map<double, double> m;
  for (int i = 0; i < 5; ++i)
    m[x * ((i * 3) % 5)] = x * x * i;
  double s = 0, w = 1;
  for (auto it = m.rbegin(); it != m.rend(); ++it)
    s += (w += 1) * it->first * it->second;
  auto lb = m.lower_bound(x * 1.5);
  return s + lb->second;
}
int main() {
  RG_UNARY(f1, .75);
  RG_UNARY(f3, .75);
  RG_UNARY(f4, .75);
  RG_UNARY(f5, .75);
  return rgReport();
}
