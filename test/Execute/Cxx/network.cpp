// A small multilayer perceptron with vectors and polymorphism by templates,
// trained a few steps with the gradient: the loss must go down as it should.
#include "rgtest.h"
#include <cmath>
#include <vector>
template <typename R, typename... T> R __enzyme_autodiff(void *, T...);
int enzyme_dup, enzyme_const;
using Vec = std::vector<double>;

struct Dense {
  int In, Out;
  Vec W, B;
  Dense(int in, int out) : In(in), Out(out), W(in * out), B(out) {}
  template <typename Activation> Vec apply(const Vec &x, Activation f) const {
    Vec y(B);
    for (int i = 0; i < Out; ++i) {
      for (int j = 0; j < In; ++j)
        y[i] += W[i * In + j] * x[j];
      y[i] = f(y[i]);
    }
    return y;
  }
};
struct Net {
  Dense First{2, 4}, Second{4, 1};
};

static double loss(const Net &net, const std::vector<Vec> &xs, const Vec &ys) {
  double s = 0;
  for (std::size_t k = 0; k < xs.size(); ++k) {
    Vec h = net.First.apply(xs[k], [](double v) { return std::tanh(v); });
    Vec o = net.Second.apply(h, [](double v) { return 1 / (1 + std::exp(-v)); });
    s += (o[0] - ys[k]) * (o[0] - ys[k]);
  }
  return s / xs.size();
}

int main() {
  Net net;
  for (int i = 0; i < 8; ++i)
    net.First.W[i] = std::sin(3.0 * i + 1);
  for (int i = 0; i < 4; ++i)
    net.Second.W[i] = std::cos(2.0 * i);
  std::vector<Vec> xs{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  Vec ys{0, 1, 1, 0};
  double before = loss(net, xs, ys);
  for (int step = 0; step < 20; ++step) {
    Net d;
    __enzyme_autodiff<void>((void *)loss, enzyme_dup, &net, &d, enzyme_const, &xs,
                            enzyme_const, &ys);
    if (step == 0) {
      RG_GRADS(d.First.W, loss(net, xs, ys), net.First.W, 8);
      RG_GRADS(d.First.B, loss(net, xs, ys), net.First.B, 4);
      RG_GRADS(d.Second.W, loss(net, xs, ys), net.Second.W, 4);
      RG_GRADS(d.Second.B, loss(net, xs, ys), net.Second.B, 1);
    }
    for (int i = 0; i < 8; ++i)
      net.First.W[i] -= d.First.W[i];
    for (int i = 0; i < 4; ++i) {
      net.First.B[i] -= d.First.B[i];
      net.Second.W[i] -= d.Second.W[i];
    }
    net.Second.B[0] -= d.Second.B[0];
  }
  RG_TRUE(loss(net, xs, ys) < before);
  return rgReport();
}
