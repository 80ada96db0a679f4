// std::function: targets in place and on the heap, with numbers by value and by
// reference, copied, moved, reassigned, in containers.
// RG-LEVELS: O0 O1 O2
#include "rgvector.hpp"
#include <cmath>
#include <functional>
#include <map>
#include <vector>

using Map = std::function<double(double)>;

static double byValue(const double *x, int) {
  double a = x[0], b = x[1];
  Map f = [a, b](double t) { return a * t + b * t * t; };
  Map g = f, h;
  h = g;
  return f(x[2]) * g(x[3]) + h(x[4]);
}
static double moved(const double *x, int) {
  double a = x[0];
  Map f = [a](double t) { return a * t * t; };
  Map g = std::move(f);
  return g(x[2]) + (f ? 1 : 2) * x[1];
}
static double table(const double *x, int n) {
  std::vector<Map> steps; // grows: targets are moved
  for (int i = 0; i < n; ++i) {
    double a = x[i];
    steps.push_back([a](double t) { return std::sin(a * t) + t; });
  }
  double s = 1;
  for (Map &step : steps)
    s = step(s);
  return s;
}
// One buffer holds numbers, addresses and pointers by turns.
static double square(double t) { return t * t; }
static double turns(const double *x, int n) {
  double s = 0.5, scale = x[1];
  Map f, last;
  for (int i = 0; i < n; ++i) {
    double a = x[i], b = x[(i + 1) % n], c = x[(i + 2) % n];
    switch (i % 4) {
    case 0:
      f = [a](double t) { return a * t; };
      break;
    case 1:
      f = [a, b, c](double t) { return a + b * t + c * t * t; }; // on the heap
      break;
    case 2:
      f = [&scale](double t) { return scale * t; };
      break;
    default:
      f = square;
    }
    s = f(s) + (last ? last(s) : 0.0);
    last = f;
  }
  return s;
}
static double named(const double *x, int n) {
  std::map<int, std::function<double(double, double)>> by;
  by[0] = [](double a, double b) { return a + b; };
  by[1] = [](double a, double b) { return a * b; };
  double e = x[5];
  by[2] = [e](double a, double b) { return std::exp(e * a) * b; };
  double s = 0.5;
  for (int i = 0; i < n; ++i)
    s = by[i % 3](s, x[i]);
  return s;
}
struct Layer {
  double weight;
  Map activation;
};
static double layers(const double *x, int n) {
  std::vector<Layer> net;
  double slope = x[0];
  for (int i = 0; i < n; ++i)
    net.push_back({x[i], i % 2 ? Map([](double t) { return std::tanh(t); })
                               : Map([slope](double t) { return t > 0 ? t : slope * t; })});
  double s = x[1];
  for (const Layer &l : net)
    s = l.activation(l.weight * s);
  return s;
}
int main() {
  check(byValue);
  check(moved);
  check(table);
  check(turns);
  check(named);
  check(layers);
  return rgReport();
}
