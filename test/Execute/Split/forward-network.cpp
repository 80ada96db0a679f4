// Forward mode from a tape: shadows that are made later must not have addresses
// that the run's memory had. RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>
extern int enzyme_dup, enzyme_const;
double __enzyme_fwddiff(void *, ...);
class Layer {
public:
  virtual ~Layer() = default;
  virtual std::vector<double> forward(const std::vector<double> &) = 0;
};
class Dense : public Layer {
  std::vector<std::vector<double>> w;
  std::vector<double> b;

public:
  Dense(int in, int out, const double *x, int n) {
    int k = 0;
    for (int o = 0; o < out; o++) {
      w.emplace_back();
      for (int i = 0; i < in; i++)
        w.back().push_back(x[k % n] * (1 + .1 * k)), k++;
      b.push_back(x[k % n]);
    }
  }
  std::vector<double> forward(const std::vector<double> &v) override {
    std::vector<double> r(b);
    for (size_t o = 0; o < w.size(); o++)
      for (size_t i = 0; i < v.size(); i++)
        r[o] += w[o][i] * v[i];
    return r;
  }
};
class Tanh : public Layer {
public:
  std::vector<double> forward(const std::vector<double> &v) override {
    auto r = v;
    for (auto &e : r)
      e = std::tanh(e);
    return r;
  }
};
class Net {
  std::vector<std::unique_ptr<Layer>> l;
  std::string name;

public:
  Net(std::string n) : name(std::move(n)) {}
  void add(std::unique_ptr<Layer> p) { l.push_back(std::move(p)); }
  double loss(std::vector<double> v) {
    for (auto &p : l)
      v = p->forward(v);
    double s = 0;
    for (double e : v)
      s += e * e;
    return s * name.size();
  }
};
double f(const double *x, int n) {
  Net net("a network with a long name");
  net.add(std::make_unique<Dense>(3, 4, x, n));
  net.add(std::make_unique<Tanh>());
  net.add(std::make_unique<Dense>(4, 2, x, n));
  return net.loss({x[0], x[1], x[2]});
}
void *__enzyme_augmentfwd(void *, ...);
double __enzyme_fwdsplit(void *, ...);
extern int enzyme_nofree;
int main() {
  const int n = 6;
  double x[n], y[n];
  for (int i = 0; i < n; i++)
    x[i] = y[i] = .41 + .33 * i;
  void *t = __enzyme_augmentfwd((void *)f, enzyme_dup, y, (double *)nullptr,
                                enzyme_const, n);
  for (double &v : y)
    v = 1e200;
  for (int k = 0; k < n; k++) {
    double e[n] = {}, g[n] = {};
    e[k] = g[k] = 1;
    RG_NEAR(__enzyme_fwdsplit((void *)f, enzyme_nofree, enzyme_dup, y, g,
                              enzyme_const, n, t),
            __enzyme_fwddiff((void *)f, enzyme_dup, x, e, enzyme_const, n));
  }
  return rgReport();
}
int enzyme_dup, enzyme_const, enzyme_nofree;
