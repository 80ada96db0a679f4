// resize up and down, assign, clear, insert, erase and swap.
#include "rgtest.h"
#include <utility>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double sum(const std::vector<double> &v) {
  double s = 0, w = 1;
  for (double y : v)
    s += y * y * w++;
  return s;
}
static double resized(double x) {
  std::vector<double> v(2, x);
  v.resize(5, x * x);
  v[4] *= v[0];
  double s = sum(v);
  v.resize(3);
  v.resize(4);
  return s * sum(v);
}
static double assigned(double x) {
  std::vector<double> v{1, x, 2};
  v.assign(4, x * 3);
  v[2] = 1;
  double s = sum(v);
  v.clear();
  v.push_back(s);
  return sum(v);
}
static double edited(double x) {
  std::vector<double> v{x, 2, x * x, 4};
  v.insert(v.begin() + 1, x * 5);
  v.erase(v.begin());
  v.erase(v.begin() + 1, v.begin() + 3);
  v.insert(v.end(), 2, x);
  return sum(v);
}
static double swapped(double x) {
  std::vector<double> a{x, 1}, b{2, x * x, x};
  a.swap(b);
  std::swap(a[0], b[1]);
  std::swap(a, b);
  return sum(a) * sum(b);
}

int main() {
  RG_UNARY(resized, 0.8);
  RG_UNARY(assigned, 0.7);
  RG_UNARY(edited, 1.1);
  RG_UNARY(swapped, 0.9);
  return rgReport();
}
