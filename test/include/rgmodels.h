// Checks of functions of one struct that has numbers, text and containers: reverse and forward mode
// against central differences.
#ifndef RGMODELS_H
#define RGMODELS_H
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup;

static int wrong = 0;
static void near(double a, double b, const char *what) {
  if (!(std::fabs(a - b) <= 1e-6 * (1 + std::fabs(b)))) {
    std::printf("%s: %.12g, should be %.12g\n", what, a, b);
    wrong = 1;
  }
}

// f may change its model. make() builds one; asked(m) are the addresses of the numbers whose derivatives are
// compared, and all(m) those of all numbers. Adjoints are read where the numbers were before the call.
template <class M, class Make, class Asked, class All>
void check(double (*f)(M &), Make make, Asked asked, All all, const char *name) {
  M m = make(), d = make();
  for (double *p : all(d))
    *p = 0;
  __enzyme_autodiff((void *)f, enzyme_dup, &m, &d);
  std::vector<double> gradient;
  for (double *p : asked(d))
    gradient.push_back(*p);
  for (unsigned i = 0; i < gradient.size(); ++i) {
    const double h = 1e-6;
    M up = make(), down = make(), at = make(), tangent = make();
    *asked(up)[i] += h, *asked(down)[i] -= h;
    for (double *p : all(tangent))
      *p = 0;
    *asked(tangent)[i] = 1;
    double expected = (f(up) - f(down)) / (2 * h);
    near(gradient[i], expected, name);
    near(__enzyme_fwddiff((void *)f, enzyme_dup, &at, &tangent), expected, name);
  }
}
template <class M, class Make, class Asked> void check(double (*f)(M &), Make make, Asked asked, const char *name) {
  check(f, make, asked, asked, name);
}

#endif
