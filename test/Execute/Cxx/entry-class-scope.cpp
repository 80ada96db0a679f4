// Markers as inline and namespace-scope variables, entry calls from member
// functions, constructors, lambdas and templates of the caller.
#include "rgtest.h"
inline int enzyme_dup, enzyme_const, enzyme_out;
template <typename R, typename... T> R __enzyme_autodiff(void *, T...);

static double model(const double *p, int n, double x) {
  double r = 0;
  for (int i = n; i-- > 0;)
    r = r * x + p[i];
  return r;
}

template <int N> class Fit {
  double P[N];

public:
  double Slope0;
  Fit() {
    for (int i = 0; i < N; ++i)
      P[i] = 1.0 + i;
    Slope0 = slope(0.5);
  }
  double value(double x) const { return model(P, N, x); }
  double slope(double x) const {
    return __enzyme_autodiff<double>((void *)model, enzyme_const, P,
                                     enzyme_const, N, enzyme_out, x);
  }
  void gradient(double x, double *d) {
    auto add = [&](double *into) {
      __enzyme_autodiff<void>((void *)model, enzyme_dup, P, into, enzyme_const,
                              N, enzyme_const, x);
    };
    add(d);
    add(d);
  }
};

int main() {
  Fit<4> fit;
  RG_NEAR(fit.Slope0, 2 + 2 * 3 * 0.5 + 3 * 4 * 0.25);
  double x = 1.25, d[4] = {};
  RG_GRAD(fit.slope(x), fit.value(x), x);
  fit.gradient(2.0, d);
  for (int i = 0; i < 4; ++i)
    RG_NEAR(d[i], 2 * (1 << i));
  return rgReport();
}
