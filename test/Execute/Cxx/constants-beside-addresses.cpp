// Words that are a constant float and an integer at one time, and an address at
// another: a std::function of a small closure and one of a large one, a union.
// Nothing active lies there, but what the addresses lead to is.
// RG-LEVELS: O0 O1 O2 O3
// RG-FLAGS: -std=c++17
#include "rgvector.hpp"
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

static double closures(const double *x, int n) {
  double w[6];
  for (int i = 0; i < n; ++i)
    w[i] = x[i];
  std::vector<std::function<double(double)>> all;
  for (int i = 0; i < n; ++i)
    if (i % 2) {
      double k = w[i], l = x[0];
      all.push_back([k, l, &w, i](double a) {
        w[i] = k * 0.5;
        return std::tanh(a) * l + w[(i + 1) % 6];
      });
    } else {
      float half = 0.5f;
      all.push_back(
          [half, i](double a) { return a * double(half) + double(i); });
    }
  std::swap(all[0], all[1]);
  double a = x[0];
  for (auto &f : all)
    a = std::tanh(f(a));
  return a;
}

struct Pair {
  float a;
  int b;
};
struct Either {
  int tag;
  union {
    const double *at;
    Pair pair;
  };
};

static Either made(const double *w, int i) {
  Either e;
  e.tag = i % 2;
  if (e.tag)
    e.at = &w[i];
  else
    e.pair = {0.5f, 40000 * i};
  return e;
}
static double value(const Either &e) {
  return e.tag ? *e.at : e.pair.a * e.pair.b;
}

static double assigned(const double *x, int n) {
  double w[6];
  for (int i = 0; i < n; ++i)
    w[i] = x[i] * x[i];
  Either a[6], b[6];
  for (int i = 0; i < n; ++i)
    a[i] = made(w, i);
  for (int i = 0; i < n; ++i)
    b[n - 1 - i] = a[i];
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (i + 1) * value(b[i]);
  return s;
}

static double grown(const double *x, int n) {
  double w[6];
  for (int i = 0; i < n; ++i)
    w[i] = x[i] * x[i];
  std::vector<Either> a;
  for (int i = 0; i < n; ++i)
    a.push_back(made(w, i));
  std::reverse(a.begin(), a.end());
  std::swap(a[0], a[3]);
  a.erase(a.begin() + 1);
  double s = 0;
  int k = 0;
  for (const Either &e : a)
    s += ++k * value(e);
  return s;
}

// Without optimisation, a word of which nobody wrote the type.
static double moved(const double *x, int n) {
  double w[6];
  for (int i = 0; i < n; ++i)
    w[i] = x[i] * x[i];
  Either a[6], b[6];
  for (int i = 0; i < n; ++i) {
    a[i].tag = i % 2;
    if (i % 2)
      a[i].at = &w[i];
    else
      a[i].pair = {0.5f, i};
  }
  for (int i = 0; i < n; ++i)
    b[n - 1 - i] = a[i];
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (i + 1) * value(b[i]);
  return s;
}

int main() {
  check(closures);
  check(moved);
  check(assigned);
  check(grown);
  return rgReport();
}
