// A recurrent cell unrolled over a sequence: state in a struct of vectors,
// parameters in one flat block addressed by offsets.
#include "rgtest.h"
#include <cmath>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
struct State {
  std::vector<double> H, C;
};
static void cell(const double *w, int n, State &s, const double *x) {
  std::vector<double> gates(4 * n);
  for (int g = 0; g < 4; ++g)
    for (int i = 0; i < n; ++i) {
      double v = w[g * n + i];
      for (int j = 0; j < n; ++j)
        v += w[4 * n + (g * n + i) * n + j] * s.H[j];
      gates[g * n + i] = v + x[i];
    }
  for (int i = 0; i < n; ++i) {
    s.C[i] = sigmoid(gates[i]) * s.C[i] + sigmoid(gates[n + i]) * std::tanh(gates[2 * n + i]);
    s.H[i] = sigmoid(gates[3 * n + i]) * std::tanh(s.C[i]);
  }
}
static double loss(const double *w, int n, const double *sequence, int length) {
  State s{std::vector<double>(n), std::vector<double>(n, 0.1)};
  double total = 0;
  for (int t = 0; t + 1 < length; ++t) {
    cell(w, n, s, sequence + t * n);
    for (int i = 0; i < n; ++i) {
      double e = s.H[i] - sequence[(t + 1) * n + i];
      total += e * e;
    }
  }
  return total / length;
}

int main() {
  const int n = 2, weights = 4 * n + 4 * n * n;
  double w[weights], d[weights] = {}, t[weights] = {}, sequence[10];
  for (int i = 0; i < weights; ++i)
    w[i] = 0.5 * std::sin(2.0 * i + 1);
  for (int i = 0; i < 10; ++i)
    sequence[i] = std::cos(0.7 * i);
  __enzyme_autodiff((void *)loss, enzyme_dup, w, d, n, enzyme_const, sequence, 5);
  RG_GRADS(d, loss(w, n, sequence, 5), w, weights);
  t[9] = 1;
  RG_NEAR(__enzyme_fwddiff((void *)loss, enzyme_dup, w, t, n, enzyme_const, sequence, 5), d[9]);
  return rgReport();
}
