// Variants whose numbers are constants and whose pointers lead to active ones pass through a buffer that std::stable_sort
// merges from its end: a byte beside each of them, which may lie anywhere in the buffer as far as the types know, does not
// make integers of the words.
// RG-LEVELS: O0 O1 O2
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern "C" int enzyme_dup, enzyme_const;

using Word = std::variant<double, double *>;

static double sorted(double *x, int n) {
  double w[5], s = 0.0;
  for (int i = 0; i < 5; ++i)
    w[i] = x[i];
  std::vector<Word> all;
  for (int i = 0; i < n; ++i)
    if (i % 2 == 0)
      all.push_back(Word(0.5 + i));
    else
      all.push_back(Word(&w[(i + 1) % 5]));
  std::stable_sort(all.begin(), all.end(), [](const Word &p, const Word &q) { return p.index() > q.index(); });
  int place = 0;
  for (auto &v : all)
    s += ++place * std::tanh(std::visit(
                       [](auto &k) -> double {
                         if constexpr (std::is_same_v<std::decay_t<decltype(k)>, double>)
                           return k * k;
                         else
                           return *k * 0.5;
                       },
                       v));
  return s;
}

int main() {
  double x[5] = {0.579, 0.198, 0.988, -0.926, 0.886}, t[5] = {-0.874, 0.052, 0.794, -0.725, 0.276}, d[5] = {0}, sum = 0;
  __enzyme_autodiff((void *)sorted, enzyme_dup, x, d, enzyme_const, 5);
  for (int i = 0; i < 5; ++i) {
    RG_GRAD(d[i], sorted(x, 5), x[i]);
    sum += d[i] * t[i];
  }
  RG_NEAR(__enzyme_fwddiff((void *)sorted, enzyme_dup, x, t, enzyme_const, 5), sum);
  return rgReport();
}
