// std::list, std::map, std::set, std::unordered_map built inside: the routines that
// link their nodes are in libstdc++.so, and the shadows have to be linked as well.
#include "rgtest.h"
#include <list>
#include <map>
#include <set>
#include <unordered_map>
template <typename R, typename... T> R __enzyme_autodiff(void *, T...);
template <typename R, typename... T> R __enzyme_fwddiff(void *, T...);

static double lists(const double *x) {
  std::list<double> a, b;
  for (int i = 0; i < 6; i++) {
    a.push_back(x[i % 3] * i);
    b.push_front(x[0] * a.back());
  }
  a.reverse();
  a.splice(++a.begin(), b, b.begin(), ++(++b.begin()));
  a.sort();
  a.erase(a.begin());
  a.swap(b);
  double s = 0;
  for (double v : a)
    s = s * 0.7 + v * v;
  for (double v : b)
    s = s * 0.9 + v * x[1];
  return s;
}
static double maps(const double *x) {
  std::map<int, double> m;
  std::set<int> odd;
  std::unordered_map<int, double> h;
  for (int i = 0; i < 40; i++) {
    int k = i * 17 % 23;
    m[k] += x[i % 3] * i;
    h[k] -= x[(i + 1) % 3];
    if (k & 1)
      odd.insert(k);
    if (i % 3 == 2)
      m.erase(i * 5 % 23);
  }
  double s = 0;
  for (auto [k, v] : m)
    s = s * 0.9 + v * v * k;
  for (auto i = odd.rbegin(); i != odd.rend(); ++i)
    if (m.count(*i))
      s = s * 0.5 + m.lower_bound(*i)->second * h[*i];
  return s;
}
template <double (*F)(const double *)> static void check() {
  double x[3] = {0.8, 1.7, 0.4}, dx[3] = {};
  __enzyme_autodiff<void>((void *)F, x, dx);
  RG_GRADS(dx, F(x), x, 3);
  for (int i = 0; i < 3; i++) {
    double t[3] = {};
    t[i] = 1;
    RG_GRAD(__enzyme_fwddiff<double>((void *)F, x, t), F(x), x[i]);
  }
}
int main() {
  check<lists>();
  check<maps>();
  return rgReport();
}
