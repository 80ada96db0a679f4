// Vectors of structs with mixed members and vectors inside structs.
#include "rgtest.h"
#include <cmath>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct Particle {
  int Kind;
  double X, V;
  float Charge;
};
struct Cell {
  std::vector<double> Values;
  double Total = 0;
  void add(double v) {
    Values.push_back(v);
    Total += v;
  }
  double variance() const {
    double s = 0;
    for (double v : Values)
      s += (v - Total / Values.size()) * (v - Total / Values.size());
    return s;
  }
};

static double simulate(const std::vector<Particle> &start, int steps) {
  std::vector<Particle> p = start;
  for (int t = 0; t < steps; ++t) {
    for (auto &a : p)
      for (const auto &b : p)
        if (a.Kind != b.Kind)
          a.V -= 0.1 * (a.X - b.X) / (1 + (a.X - b.X) * (a.X - b.X));
    for (auto &a : p)
      a.X += 0.1 * a.V * (1 + 0.5 * a.Kind);
  }
  double s = 0;
  for (const auto &a : p)
    s += a.X * a.X + a.V + a.Charge * a.Kind;
  return s;
}
static double cells(double x) {
  std::vector<Cell> c(3);
  for (int i = 0; i < 9; ++i)
    c[i * 2 % 3].add(std::sin(x * i));
  double s = 0;
  for (const Cell &one : c)
    s += one.variance() * one.Total;
  return s;
}

int main() {
  std::vector<Particle> p{{0, 1, 0.5, 1}, {1, -0.5, 0, 2}, {0, 0.25, -1, 3}};
  std::vector<Particle> d(3, Particle{0, 0, 0, 0}), t(3, Particle{0, 0, 0, 0});
  __enzyme_autodiff((void *)simulate, &p, &d, 5);
  for (int i = 0; i < 3; ++i) {
    RG_GRAD(d[i].X, simulate(p, 5), p[i].X);
    RG_GRAD(d[i].V, simulate(p, 5), p[i].V);
    RG_NEARF(d[i].Charge, p[i].Kind);
  }
  t[1].X = 1;
  RG_NEAR(__enzyme_fwddiff((void *)simulate, &p, &t, 5), d[1].X);
  RG_UNARY(cells, 0.6);
  return rgReport();
}
