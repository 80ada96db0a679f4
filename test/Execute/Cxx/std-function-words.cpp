// One word of std::function's buffer is a number for one target and an address for another: what a function
// moves that sees one of them only is still both. In containers, swapped, copied into lists.
// RG-LEVELS: O0 O1 O2
#include "rgtest.h"
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

double swapped(const double *x, int) {
  double m = x[0], r = 0;
  std::map<int, std::function<double(double)>> f;
  f[0] = [k = x[3]](double a) { return k * a; };
  f[1] = [&](double a) { return a * x[4] * m; };
  std::swap(f[0], f[1]);
  for (auto &[k, g] : f)
    r += g(x[0]) * (1 + k);
  return r;
}
double registry(const double *x, int n) {
  double m = x[1], r = 0;
  std::map<std::string, std::function<double(double)>> f;
  f["sin"] = [](double a) { return std::sin(a); };
  f["scaled"] = [k = x[3]](double a) { return k * a; };
  f["both"] = [&](double a) { return a * x[4] * m; };
  for (auto &[name, g] : f)
    r += g(x[0]) * name.size();
  return r * n;
}
#ifdef __OPTIMIZE__ // at -O0 RG1103
double chain(const double *x, int) {
  std::map<std::string, std::function<double(double)>> f;
  f["sin"] = [](double a) { return std::sin(a); };
  f["scaled"] = [k = x[3]](double a) { return k * a; };
  std::vector<std::function<double(double)>> all{f["sin"], f["scaled"], [&](double a) { return f["sin"](a) + 1; }};
  double y = x[1];
  for (auto &g : all)
    y = g(y);
  return y * y;
}
#endif

#define CHECK(F)                                                                                   \
  do {                                                                                             \
    double d[5] = {0}, v[5] = {0.3, -0.6, 1, 0.7, -0.2}, along = 0;                                \
    __enzyme_autodiff((void *)F, enzyme_dup, x, d, enzyme_const, 5);                               \
    RG_GRADS(d, F(x, 5), x, 5);                                                                    \
    for (int i = 0; i < 5; ++i)                                                                    \
      along += v[i] * d[i];                                                                        \
    RG_NEAR(__enzyme_fwddiff((void *)F, enzyme_dup, x, v, enzyme_const, 5), along);                \
  } while (0)
int main() {
  double x[] = {0.9, 0.3, 1.4, 0.55, 0.72};
  CHECK(swapped);
  CHECK(registry);
#ifdef __OPTIMIZE__
  CHECK(chain);
#endif
  return rgReport();
}
int enzyme_dup, enzyme_const;
