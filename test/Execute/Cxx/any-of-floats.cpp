// Words that hold a float at first, and an address later: half of an address is
// any float, and no adjoint.
// RG-LEVELS: O0 O1 O2 O3
// RG-FLAGS: -std=c++17
#include "rgvector.hpp"
#include <any>
#include <vector>

static double value(const std::any &a, const double *x) {
  if (auto p = std::any_cast<const double *>(&a))
    return **p * 0.5;
  return *std::any_cast<float>(&a) * x[1];
}

static double erased(const double *x, int n) {
  std::vector<std::any> a;
  for (int i = 0; i < n; ++i)
    if (i % 2)
      a.push_back(std::any(&x[2]));
    else
      a.push_back(std::any(float(x[i])));
  a.erase(a.begin() + 1);
  double s = 0;
  for (auto &v : a)
    s = s * 0.5 + value(v, x);
  return s;
}

struct Either {
  int tag;
  union {
    float f;
    const double *at;
  };
};
// The same places hold one in this round, and the other in the next.
static double inTurns(const double *x, int n) {
  Either a[6];
  double s = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < n; ++i) {
      a[i].tag = (i + round) % 2;
      if (a[i].tag)
        a[i].at = &x[(i + 1) % n];
      else
        a[i].f = float(x[i]) * float(round + 1);
    }
    for (int i = 0; i < n; ++i)
      s += 0.25 * (i + 1) * (a[i].tag ? *a[i].at : double(a[i].f) * x[0]);
  }
  return s;
}

int main() {
  check(erased);
  check(inTurns);
  return rgReport();
}
