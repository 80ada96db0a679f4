// Containers whose nodes the library links: the links of the shadow nodes follow.
#include "rgtest.h"
#include <list>
#include <map>

double __enzyme_autodiff(void *, ...);
void __enzyme_autodiff_void(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

static double lists(double x, int n) {
  std::list<double> l, m;
  for (int i = 0; i < n; ++i) {
    l.push_back(x * x * (i + 1));
    m.push_front(x * i);
  }
  m.reverse();
  l.splice(++l.begin(), m);
  l.pop_front();
  double s = 0, k = 1;
  for (double v : l)
    s += v * v * k++;
  return s;
}

static double maps(double x, int n) {
  std::map<int, double> m;
  for (int i = 0; i < n; ++i)
    m[i * 7 % 13] += x * x * (i + 1);
  double s = 0;
  for (auto &v : m)
    s += v.second * v.second * v.first;
  for (auto v = m.rbegin(); v != m.rend(); ++v)
    s = s * 0.5 + v->second;
  return s;
}

static double given(const std::map<int, double> &m) {
  double s = 0;
  for (auto &v : m)
    s += v.second * v.second * v.first;
  return s;
}

int main() {
  double x = 1.5;
  RG_GRAD(__enzyme_autodiff((void *)lists, x, enzyme_const, 5), lists(x, 5), x);
  RG_GRAD(__enzyme_fwddiff((void *)lists, enzyme_dup, x, 1.0, enzyme_const, 5), lists(x, 5), x);
  RG_GRAD(__enzyme_autodiff((void *)maps, x, enzyme_const, 20), maps(x, 20), x);
  RG_GRAD(__enzyme_fwddiff((void *)maps, enzyme_dup, x, 1.0, enzyme_const, 20), maps(x, 20), x);

  std::map<int, double> m, d;
  for (int i = 1; i < 9; ++i)
    m[i] = i + 0.5, d[i] = 0;
  __enzyme_autodiff_void((void *)given, enzyme_dup, &m, &d);
  for (int i = 1; i < 9; ++i)
    RG_NEAR(d[i], 2 * m[i] * i);
  return rgReport();
}
