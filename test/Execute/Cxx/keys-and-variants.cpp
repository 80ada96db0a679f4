// Active numbers beside strings in the nodes of a map, beside integers in variants and in
// the elements of a heap.
// RG-LEVELS: O0 O1 O2
// RG-FLAGS: -std=c++17
#include "rgtest.h"
#include <map>
#include <queue>
#include <string>
#include <variant>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
static double table(const double *x, int n) {
  std::map<std::string, double> m;
  m["alpha"] = x[0];
  m["beta"] = x[1] * x[0];
  m["gamma"] = x[2] * x[1];
  double r = 0;
  for (auto &[key, value] : m)
    r += value * value * key.size();
  return r + m["alpha"];
}
static double cells(const double *x, int n) {
  using Cell = std::variant<int, double>;
  std::vector<Cell> row;
  for (int i = 0; i < n; ++i)
    if (i % 2)
      row.push_back(i);
    else
      row.push_back(x[i] * x[i]);
  double r = 0;
  for (auto &c : row)
    if (auto *d = std::get_if<double>(&c))
      r += *d * *d;
    else
      r += std::get<int>(c) * x[0];
  Cell a = x[1], b = a;
  a = 3;
  if (x[0] > 0)
    a = b;
  return r + std::get<double>(a);
}
static double heap(const double *x, int n) {
  std::priority_queue<std::pair<double, int>> q;
  for (int i = 0; i < n; ++i)
    q.push({x[i] * x[(i + 1) % n], i});
  double r = 0, w = 1;
  for (; !q.empty(); w *= 1.5) {
    auto [d, i] = q.top();
    q.pop();
    r += w * d * d * (i + 1);
  }
  return r;
}
int main() {
  double x[4] = {1, 2, 3, 4.5};
#define CHECK(F)                                                               \
  {                                                                            \
    double d[4] = {0}, t[4] = {0, 1, 0, 0};                                    \
    __enzyme_autodiff((void *)F, x, d, 4);                                     \
    RG_GRADS(d, F(x, 4), x, 4);                                                \
    RG_NEAR(__enzyme_fwddiff((void *)F, x, t, 4), d[1]);                       \
  }
  CHECK(table)
  CHECK(cells)
  CHECK(heap)
  return rgReport();
}
