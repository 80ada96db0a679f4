// Single precision in containers and templates: vectors and arrays of float,
// complex<float>, mixed sums in double.
#include "rgtest.h"
#include <array>
#include <cmath>
#include <numeric>
#include <vector>
template <typename R, typename... T> R __enzyme_autodiff(void *, T...);
template <typename R, typename... T> R __enzyme_fwddiff(void *, T...);
int enzyme_dup, enzyme_const, enzyme_out;

static float dot(const std::vector<float> &a, const std::vector<float> &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0f);
}
static double wide(const std::vector<float> &a) {
  double s = 0;
  for (float v : a)
    s += std::exp(double(v)) * v;
  return s;
}
static float softened(const std::array<float, 4> &a) {
  std::array<float, 4> p;
  float total = 0;
  for (int i = 0; i < 4; ++i)
    total += p[i] = std::exp(a[i]);
  for (float &v : p)
    v /= total;
  return p[0] * p[0] + p[3];
}

int main() {
  std::vector<float> a{1, 2, 3}, b{4, 5, 6}, da(3), db(3), t{0, 1, 0};
  __enzyme_autodiff<void>((void *)dot, enzyme_dup, &a, &da, enzyme_dup, &b, &db);
  for (int i = 0; i < 3; ++i) {
    RG_NEARF(da[i], b[i]);
    RG_NEARF(db[i], a[i]);
  }
  RG_NEARF(__enzyme_fwddiff<float>((void *)dot, enzyme_dup, &a, &t, enzyme_const, &b), 5);
  std::vector<float> c{0.5f, -1}, dc(2);
  __enzyme_autodiff<void>((void *)wide, enzyme_dup, &c, &dc);
  RG_NEARF(dc[0], std::exp(0.5) * 1.5);
  RG_WITHIN(dc[1], 0, 1e-6);
  std::array<float, 4> s{0.1f, 0.4f, -0.2f, 0.3f}, ds{};
  __enzyme_autodiff<void>((void *)softened, enzyme_dup, &s, &ds);
  RG_GRADS(ds, softened(s), s, 4);
  return rgReport();
}
