// Words that are a number or a long by turns, in vectors that grow: LLVM loads both as the number, ahead of the question
// what it is.
// RG-LEVELS: O0 O1 O2 O3
// RG-FLAGS: -std=c++17
#include "rgtest.h"
#include <algorithm>
#include <variant>
#include <vector>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern "C" int enzyme_dup, enzyme_const;

struct Message {
  int kind;
  union {
    double number;
    long count;
  };
};
static Message message(const double *x, int i) {
  Message m;
  m.kind = i % 2;
  if (m.kind)
    m.count = i;
  else
    m.number = x[i] * x[i];
  return m;
}
static double pushed(const double *x, int n) {
  std::vector<Message> all;
  for (int i = 0; i < n; ++i)
    all.push_back(message(x, i));
  double s = 0;
  for (auto m : all)
    if (m.kind)
      s += m.count * x[0];
    else
      s += m.number;
  return s;
}
static double reversed(const double *x, int n) {
  std::vector<Message> all;
  for (int i = 0; i < n; ++i)
    all.insert(all.begin() + i / 2, message(x, i));
  std::reverse(all.begin(), all.end());
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += all[i].kind ? x[all[i].count] * (all[i].count % 4 + 1) : all[i].number * x[i];
  return s;
}
static double variants(const double *x, int n) {
  std::vector<std::variant<double, long>> all;
  for (int i = 0; i < n; ++i)
    if (i % 2)
      all.push_back((long)i);
    else
      all.push_back(x[i] * x[i]);
  double s = 0;
  for (auto v : all)
    s += std::visit([&](auto a) -> double { return a * x[0]; }, v);
  return s;
}

static void check(double (*f)(const double *, int), double (&d)[6], double along) {
  double x[6], v[6], sum = 0;
  for (int i = 0; i < 6; ++i)
    x[i] = 0.5 + 0.3 * i, v[i] = 1 - 0.25 * i;
  for (int i = 0; i < 6; ++i) {
    RG_GRAD(d[i], f(x, 6), x[i]);
    sum += d[i] * v[i];
  }
  RG_NEAR(along, sum);
}

#define CHECK(F)                                                                                                       \
  do {                                                                                                                 \
    double d[6] = {0};                                                                                                 \
    __enzyme_autodiff((void *)F, enzyme_dup, x, d, enzyme_const, 6);                                                   \
    check(F, d, __enzyme_fwddiff((void *)F, enzyme_dup, x, v, enzyme_const, 6));                                       \
  } while (0)

int main() {
  double x[6], v[6];
  for (int i = 0; i < 6; ++i)
    x[i] = 0.5 + 0.3 * i, v[i] = 1 - 0.25 * i;
  CHECK(pushed);
  CHECK(reversed);
  CHECK(variants);
  return rgReport();
}
