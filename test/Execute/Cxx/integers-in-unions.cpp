// Words that are a number or a long by turns, in vectors that grow: LLVM loads both as the number, ahead of the question
// what it is.
// RG-LEVELS: O0 O1 O2 O3
// RG-FLAGS: -std=c++17
#include "rgvector.hpp"
#include <algorithm>
#include <variant>
#include <vector>

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

int main() {
  const double at[6] = {0.5, 0.8, 1.1, 1.4, 1.7, 2};
  check(pushed, at);
  check(reversed, at);
  check(variants, at);
  return rgReport();
}
