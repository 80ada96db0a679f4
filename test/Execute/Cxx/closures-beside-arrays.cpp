// RG-LEVELS: O0 O1 O2 O3 Os
// Functions in a vector: some hold a reference to a local array, others own a
// vector and an index. Both kinds lead on from one word, so array and closure
// count as one object, in which the index takes the place of an element.
#include "rgtest.h"
#include <cmath>
#include <functional>
#include <vector>
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup;

struct Model {
  std::vector<double> at;
  int n;
};

double chainOf(double *x, int n) {
  double w[5];
  for (int i = 0; i < 5; ++i)
    w[i] = x[i];
  std::vector<std::function<double(double)>> all;
  for (int i = 0; i < n; ++i)
    if (i % 2 == 0) {
      all.push_back([&w, i](double a) { return a * 0.5 + w[i]; });
    } else {
      std::vector<double> v(w, w + 5);
      all.push_back([v, i](double a) { return v[i] * 0.5 + a; });
    }
  double a = 0;
  for (auto &f : all)
    a = std::tanh(f(a));
  return a;
}
double chain(Model *m) { return chainOf(m->at.data(), m->n); }

int main() {
  Model x{{-0.172, -0.579, -0.092, 0.079, -0.954}, 5};
  Model d{{0, 0, 0, 0, 0}, 5};
  __enzyme_autodiff((void *)chain, enzyme_dup, &x, &d);
  for (int i = 0; i < 5; ++i)
    RG_GRAD(d.at[i], chain(&x), x.at[i]);
  return rgReport();
}
