// std::array by value, by reference, nested, as a result, with algorithms and
// structured bindings.
#include "rgtest.h"
#include <array>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
using Vec3 = std::array<double, 3>;
using Mat3 = std::array<Vec3, 3>;

static Vec3 multiply(const Mat3 &m, Vec3 v) {
  Vec3 r{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      r[i] += m[i][j] * v[j];
  return r;
}
static double f(const Mat3 &m, const Vec3 &v) {
  Vec3 a = multiply(m, multiply(m, v));
  auto [x, y, z] = a;
  std::array<Vec3, 2> both{a, v};
  double s = x * y - z;
  for (const auto &row : both)
    for (double w : row)
      s += w * w;
  return s * std::get<1>(both[1]);
}
static double local(double x) {
  std::array<double, 5> a;
  a.fill(x);
  a[2] = x * x;
  a.back() = a[2] * a.front();
  double s = 1;
  for (auto it = a.begin(); it != a.end(); ++it)
    s = s * *it + 1;
  return s;
}

int main() {
  Mat3 m{{{1, 2, 0.5}, {-1, 0.25, 2}, {0, 1, 3}}}, dm{};
  Vec3 v{1, -0.5, 2}, dv{};
  __enzyme_autodiff((void *)f, &m, &dm, &v, &dv);
  for (int i = 0; i < 3; ++i)
    RG_GRADS(dm[i], f(m, v), m[i], 3);
  RG_GRADS(dv, f(m, v), v, 3);
  Mat3 tm{};
  Vec3 tv{0, 1, 0};
  RG_NEAR(__enzyme_fwddiff((void *)f, &m, &tm, &v, &tv), dv[1]);
  RG_UNARY(local, 0.8);
  return rgReport();
}
