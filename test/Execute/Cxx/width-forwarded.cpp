// RG-LEVELS: O0 O2 O3
// Lanes in calls that are declared as C++ likes: by value, by forwarding
// references, shadows after all values; among containers, exceptions and -O0's
// landing pads.
#include "rgtest.h"
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

extern int enzyme_const, enzyme_dup, enzyme_dupv, enzyme_width, enzyme_interleave;
extern int enzyme_vector, enzyme_scalar;
template <class R, class... A> R __enzyme_fwddiff(void *, A &&...);
template <class R, class... A> R __enzyme_autodiff_byvalue(void *, A...);
template <class R, class... A> R __enzyme_batch(void *, A &&...);

struct Two { double v[2]; };

static double weigh(const double *x, double w, int n) {
  std::vector<double> t(x, x + n);
  double s = 0;
  for (double Each : t) {
    if (Each > 100)
      throw std::out_of_range("too much");
    s += Each * Each * w + std::sin(s);
  }
  return s;
}
static double guarded(const double *x, double w, int n) {
  try {
    return weigh(x, w, n);
  } catch (const std::out_of_range &) {
    return -x[0];
  }
}
static void square(const double *x, double *out, int n) {
  for (int I = 0; I < n; ++I)
    out[I] = x[I] * x[I] * x[0];
}

int main() {
  std::vector<double> x{0.5, -1.25, 2}, dx{1, 0, 0, 0, 1, 1};
  double w = 1.5, dw0 = 0, dw1 = 1;
  int n = 3;
  Two r = __enzyme_fwddiff<Two>((void *)weigh, enzyme_width, 2, enzyme_dupv, 3 * sizeof(double),
                                x.data(), dx.data(), enzyme_dup, w, dw0, dw1, enzyme_const, n);
  double t = 0;
  auto at = [&](double D0, double D1, double D2, double W) {
    double y[3] = {x[0] + D0, x[1] + D1, x[2] + D2};
    return weigh(y, w + W, 3);
  };
  RG_GRAD(r.v[0], at(t, 0, 0, 0), t);
  RG_GRAD(r.v[1], at(0, t, t, t), t);
  // What is caught: 100 is too much.
  std::vector<double> big{3, 200, 1};
  Two g = __enzyme_fwddiff<Two>((void *)guarded, enzyme_width, 2, enzyme_dupv, 3 * sizeof(double),
                                big.data(), dx.data(), enzyme_dup, w, dw0, dw1, enzyme_const, n);
  RG_NEAR(g.v[0], -1);
  RG_NEAR(g.v[1], 0);
  g = __enzyme_fwddiff<Two>((void *)guarded, enzyme_width, 2, enzyme_dup, x.data(), enzyme_dup, w,
                            enzyme_const, n, enzyme_interleave, dx.data(), dx.data() + 3, dw0, dw1);
  RG_NEAR(g.v[0], r.v[0]);
  RG_NEAR(g.v[1], r.v[1]);

  std::array<double, 3> out{};
  std::vector<std::vector<double>> adjoints(2, std::vector<double>(3)), seeds{{1, 0, 0}, {0, 1, 2}};
  __enzyme_autodiff_byvalue<void>((void *)square, enzyme_width, 2, enzyme_dup, x.data(),
                                  adjoints[0].data(), adjoints[1].data(), enzyme_dup, out.data(),
                                  seeds[0].data(), seeds[1].data(), 3);
  RG_NEAR(adjoints[0][0], 3 * 0.25);
  RG_NEAR(adjoints[0][1], 0);
  RG_NEAR(adjoints[1][0], 1.25 * 1.25 + 2 * 4);
  RG_NEAR(adjoints[1][1], 2 * -1.25 * 0.5);
  RG_NEAR(adjoints[1][2], 2 * 2 * 2 * 0.5);

  double other = 2.5;
  Two b = __enzyme_batch<Two>((void *)weigh, enzyme_width, 2, enzyme_scalar, x.data(),
                              enzyme_vector, w, other, enzyme_scalar, n);
  RG_TRUE(b.v[0] == weigh(x.data(), w, 3) && b.v[1] == weigh(x.data(), 2.5, 3));
  return rgReport();
}
