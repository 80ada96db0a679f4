// A vector of shared_ptr to objects of several classes that own vectors: the owner's virtual functions
// (dispose, destroy) are no candidates for a call of the object's, nor the other way round.
// RG-LEVELS: O0 O1 O2
#include "rgtest.h"
#include <cmath>
#include <memory>
#include <vector>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct Layer {
  virtual ~Layer() = default;
  virtual std::vector<double> forward(const std::vector<double> &in) const = 0;
  virtual int parameters() const { return 0; }
};
struct Dense : Layer {
  int in, out;
  std::vector<double> w, b;
  Dense(int i, int o, const double *&p) : in(i), out(o), w(p, p + i * o), b(p + i * o, p + i * o + o) {
    p += parameters();
  }
  std::vector<double> forward(const std::vector<double> &x) const override {
    std::vector<double> y(b);
    for (int i = 0; i < out; ++i)
      for (int j = 0; j < in; ++j)
        y[i] += w[i * in + j] * x[j];
    return y;
  }
  int parameters() const override { return in * out + out; }
};
struct Tanh : Layer {
  std::vector<double> forward(const std::vector<double> &x) const override {
    auto y = x;
    for (auto &v : y)
      v = std::tanh(v);
    return y;
  }
};
struct Scale : Layer {
  double s;
  explicit Scale(double s) : s(s) {}
  std::vector<double> forward(const std::vector<double> &x) const override {
    auto y = x;
    for (auto &v : y)
      v *= s;
    return y;
  }
};
double loss(const double *p, int n) {
  std::vector<std::shared_ptr<Layer>> layers;
  const double *q = p;
  layers.push_back(std::make_shared<Dense>(2, 3, q));
  layers.push_back(std::make_shared<Tanh>());
  layers.push_back(std::make_shared<Scale>(p[0] * 0.5));
  layers.push_back(std::make_shared<Dense>(3, 1, q));
  double weights = 0;
  int used = 0;
  for (auto &l : layers) {
    used += l->parameters();
    if (auto d = std::dynamic_pointer_cast<Dense>(l))
      for (double w : d->w)
        weights += w * w;
  }
  double sum = used > n ? -1 : 0;
  for (int s = 0; s < 4; ++s) {
    std::vector<double> h{0.3 * s, 1 - 0.2 * s};
    for (auto &l : layers)
      h = l->forward(h);
    sum += (h[0] - s) * (h[0] - s);
  }
  return sum + 0.01 * weights;
}
int main() {
  double p[13], d[13] = {0}, v[13], along = 0;
  for (int i = 0; i < 13; ++i) {
    p[i] = 0.1 * (i + 1) * (i % 2 ? 1 : -1);
    v[i] = 0.3 + 0.1 * i - i % 3;
  }
  __enzyme_autodiff((void *)loss, enzyme_dup, p, d, enzyme_const, 13);
  RG_GRADS(d, loss(p, 13), p, 13);
  for (int i = 0; i < 13; ++i)
    along += v[i] * d[i];
  RG_NEAR(__enzyme_fwddiff((void *)loss, enzyme_dup, p, v, enzyme_const, 13), along);
  return rgReport();
}
int enzyme_dup, enzyme_const;
