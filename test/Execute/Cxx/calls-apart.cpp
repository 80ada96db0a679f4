// A stepper calls its helper on a vector of its own, and on one in a block of
// vectors. One body for both calls would make the stepper, the block and the
// vectors one object, and its counters parts of numbers: each call gets a body.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <cmath>
#include <vector>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
template <typename... T> double __enzyme_fwddiff(void *, T...);

using Vector = std::vector<double>;
struct Wrapped {
  Vector v;
};

struct Stepper {
  unsigned order = 0;
  double factor = 0.5;
  Wrapped own, error;
  std::vector<unsigned long> cost;
  std::vector<Wrapped> table;
  std::vector<Vector> coefficients;

  explicit Stepper(int n) : cost(4), table(4), coefficients(4) {
    own.v.resize(n);
    error.v.resize(n);
    for (int k = 0; k < 4; ++k) {
      cost[k] = k ? cost[k - 1] + 2 * k : 1;
      table[k].v.resize(n);
      coefficients[k].resize(k);
      for (int j = 0; j < k; ++j)
        coefficients[k][j] = 1.0 / (1 + k + j);
    }
  }

  __attribute__((noinline)) void midpoint(const Vector &in, Vector &out,
                                          unsigned steps) {
    for (unsigned s = 0; s < steps; ++s)
      for (unsigned i = 0; i < in.size(); ++i)
        out[i] = std::sin(in[i]) * factor + (s ? out[i] : 0);
  }

  void step(const Vector &in) {
    for (unsigned k = 0; k < 4; ++k) {
      if (k == 0) {
        midpoint(in, own.v, cost[k]);
      } else {
        midpoint(in, table[k - 1].v, cost[k]);
        for (int j = k - 1; j > 0; --j)
          for (unsigned i = 0; i < in.size(); ++i)
            table[j - 1].v[i] +=
                coefficients[k][j] * (table[j].v[i] - table[j - 1].v[i]);
        order += cost[k];
      }
    }
    for (unsigned i = 0; i < in.size(); ++i)
      error.v[i] = own.v[i] * table[0].v[i];
  }
};

static double f(const double *x, int n) {
  Stepper stepper(n);
  Vector in(x, x + n);
  stepper.step(in);
  std::swap(stepper.own, stepper.error);
  double sum = stepper.order;
  for (double v : stepper.own.v)
    sum += v;
  return sum;
}

int main() {
  double x[3] = {0.3, 0.7, 1.1}, g[3] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, 3);
  for (int i = 0; i < 3; ++i) {
    double t[3] = {0};
    t[i] = 1;
    RG_GRAD(g[i], f(x, 3), x[i]);
    RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_dup, x, t, enzyme_const, 3),
            g[i]);
  }
  return rgReport();
}
