// -fno-strict-aliasing: containers and variants have the types that they have without it, and what is copied by words, which is
// allowed then, keeps its derivative.
// RG-LEVELS: O0 O1 O2 O3
// RG-FLAGS: -std=c++17 -fno-strict-aliasing
#include "rgvector.hpp"
#include <list>
#include <map>
#include <string>
#include <variant>
#include <vector>

static double mapped(const double *x, int n) {
  std::map<int, double> m;
  for (int i = 0; i < n; ++i)
    m[i * 3 % 4] += x[i] * x[i];
  double s = 0;
  for (auto &[key, value] : m)
    s += (key + 1) * value;
  return s;
}

static double sorted(const double *x, int n) {
  std::list<double> l(x, x + n);
  l.sort();
  double s = 0;
  int k = 0;
  for (double v : l)
    s += ++k * v * v;
  return s;
}

static double chosen(const double *x, int n) {
  std::vector<std::variant<double, int, std::string>> v;
  for (int i = 0; i < n; ++i)
    if (i % 3 == 0)
      v.push_back(x[i] * x[i]);
    else if (i % 3 == 1)
      v.push_back(i);
    else
      v.push_back("a string that is longer than a small one");
  double s = 0;
  for (auto &e : v)
    s += e.index() == 0 ? std::get<double>(e) : e.index() == 1 ? std::get<int>(e) * x[1] : x[2];
  return s;
}

// Memory is copied as integers, whatever it holds.
static double words(const double *x, int n) {
  double y[6];
  for (int i = 0; i < n; ++i)
    ((long *)y)[i] = ((const long *)x)[n - 1 - i];
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (i + 1) * y[i] * y[i];
  return s;
}

struct Pair {
  double at;
  int count;
};

// Records are changed by numbers of another type.
static double punned(const double *x, int n) {
  Pair p[6];
  for (int i = 0; i < n; ++i)
    p[i] = {x[i] * x[i], i};
  double s = 0;
  for (int i = 0; i < n; ++i) {
    *(long *)&p[i].at = *(long *)&p[n - 1 - i].at;
    s += p[i].at * p[i].count;
  }
  return s;
}

int main() {
  check(mapped);
  check(sorted);
  check(chosen);
  check(words);
  check(punned);
  return rgReport();
}
