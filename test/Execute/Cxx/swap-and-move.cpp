// std::swap, std::move, std::exchange over numbers, arrays, vectors and structs,
// ping-pong buffers in vectors.
#include "rgtest.h"
#include <array>
#include <utility>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double numbers(double x) {
  double a = x, b = x * x;
  std::swap(a, b);
  double c = std::exchange(a, b * 3);
  std::array<double, 2> p{a, b}, q{c, x};
  p.swap(q);
  std::swap(p[0], q[1]);
  return p[0] * p[1] + q[0] * q[1] * a;
}
static double pingPong(const std::vector<double> &start, int steps) {
  std::vector<double> now = start, next(start.size());
  for (int t = 0; t < steps; ++t) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      double left = i ? now[i - 1] : 0, right = i + 1 < now.size() ? now[i + 1] : 0;
      next[i] = now[i] * now[i] * 0.5 + 0.25 * left * right + 0.1 * left;
    }
    std::swap(now, next);
  }
  double s = 0;
  for (double v : now)
    s += v;
  return s;
}
struct State {
  std::vector<double> Values;
  double Time;
};
static State advance(State s, double h) {
  for (double &v : s.Values)
    v += h * v * v;
  s.Time += h;
  return s;
}
static double states(double x) {
  State s{{x, 0.5, x * x}, 0};
  for (int i = 0; i < 4; ++i)
    s = advance(std::move(s), 0.1 * x);
  return s.Values[0] * s.Values[2] + s.Time * s.Values[1];
}

int main() {
  RG_UNARY(numbers, 0.8);
  std::vector<double> v{0.5, 1, 1.5, 0.75}, d(4), t{0, 1, 0, 0};
  for (int steps = 0; steps < 5; ++steps) {
    d.assign(4, 0);
    __enzyme_autodiff((void *)pingPong, &v, &d, steps);
    RG_GRADS(d, pingPong(v, steps), v, 4);
    t = {0, 1, 0, 0};
    RG_NEAR(__enzyme_fwddiff((void *)pingPong, &v, &t, steps), d[1]);
  }
  RG_UNARY(states, 0.6);
  return rgReport();
}
