// Of a function of many numbers: reverse mode against forward mode along some directions, and, where
// numbers are exact enough, against central differences.
#ifndef RGDIRECTIONS_H
#define RGDIRECTIONS_H
#include "rgtest.h"
#include <cmath>
#include <vector>

extern int enzyme_dup, enzyme_const, enzyme_width;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

// f(x, n), of single or double precision.
template <class R> void rgCheckDirections(R (*f)(const R *, int), const std::vector<R> &x, int directions = 2) {
  int n = (int)x.size();
  bool exact = sizeof(R) == 8;
  std::vector<R> g(n), t(n), y(n);
  __enzyme_autodiff<R>((void *)f, enzyme_dup, x.data(), g.data(), enzyme_const, n);
  for (int direction = 0; direction < directions; ++direction) {
    double along = 0, h = 1e-4, at[2];
    for (int i = 0; i < n; ++i) {
      t[i] = R(0.01) * ((i * i * (direction + 3) + 7 * i) % 23) - R(0.1);
      along += t[i] * g[i];
    }
    R forward = __enzyme_fwddiff<R>((void *)f, enzyme_dup, x.data(), t.data(), enzyme_const, n);
    RG_WITHIN(forward, along, exact ? 1e-11 : 1e-4);
    if (!exact)
      continue;
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < n; ++i)
        y[i] = x[i] + (side ? -h : h) * t[i];
      at[side] = f(y.data(), n);
    }
    RG_WITHIN(along, (at[0] - at[1]) / (2 * h), 1e-6);
  }
}

struct rgTwoTangents {
  double of[2];
};
// f(x, setting), where n numbers vary: in forward mode in two lanes. Of what is not exact there are no differences.
template <class S>
void rgCheckLanes(double (*f)(const double *, const S *), const double *x, int n, const S *w, bool exact,
                  double tolerance) {
  std::vector<double> g(n), t[2] = {std::vector<double>(n), std::vector<double>(n)}, y(n);
  double along[2] = {}, h = 1e-5, at[2];
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x, g.data(), enzyme_const, w);
  for (int l = 0; l < 2; ++l)
    for (int i = 0; i < n; ++i)
      t[l][i] = cos(3.0 * i + l), along[l] += t[l][i] * g[i];
  for (int side = 0; exact && side < 2; ++side) {
    for (int i = 0; i < n; ++i)
      y[i] = x[i] + (side ? -h : h) * t[0][i];
    at[side] = f(y.data(), w);
  }
  if (exact)
    RG_WITHIN(along[0], (at[0] - at[1]) / (2 * h), 1e-6);
  rgTwoTangents v = __enzyme_fwddiff<rgTwoTangents>((void *)f, enzyme_width, 2, enzyme_dup, x, t[0].data(), t[1].data(),
                                                    enzyme_const, w);
  RG_WITHIN(v.of[0], along[0], tolerance);
  RG_WITHIN(v.of[1], along[1], tolerance);
}
#endif
