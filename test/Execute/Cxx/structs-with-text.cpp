// RG-LEVELS: O0 O1 O2
// RG-FLAGS: -std=c++20
// Structs of numbers, arrays and strings, with numbers turned to text beside them; and structs
// with arrays of structs, which calls pass and return by value, while the caller's own code reaches
// everywhere with one pointer.
#include "rgtest.h"
#include <algorithm>
#include <array>
#include <string>
#include <vector>
extern int enzyme_const, enzyme_dup;
double __enzyme_autodiff(void *, ...);

struct Material {
  float eps;
  std::array<double, 4> c;
  int kind;
};
struct Element {
  std::array<int, 3> node;
  Material mat;
  std::string tag;
  double area[2];
};
static double energy(const double *u, const double *p, int n) {
  std::vector<Element> all;
  for (int i = 0; i < n; ++i)
    all.push_back({{i % 5, (i + 2) % 5, (i * 3 + 1) % 5},
                   {0.5f, {p[0], p[1] * i, p[2], 1.0}, i},
                   "element number " + std::to_string(i),
                   {p[0] + i, p[1]}});
  std::sort(all.begin(), all.end(), [](const Element &a, const Element &b) { return a.area[0] > b.area[0]; });
  Element keep = all[1];
  all.erase(all.begin());
  all.insert(all.begin() + 1, std::move(keep));
  double sum = 0;
  for (const Element &e : all) {
    double s = 0;
    for (int i = 0; i < 3; ++i)
      s += e.mat.c[i] * u[e.node[i]];
    sum += s * s * e.area[e.mat.kind & 1] + 0.01 * e.tag.size();
  }
  return sum;
}

struct Body {
  int id;
  float mass;
  double at[3], v[3];
  short flags[2];
};
struct World {
  Body b[3];
  int n;
  double t;
};
static World step(World w, double h) {
  World next = w;
  for (int i = 0; i < w.n; ++i)
    for (int j = 0; j < w.n; ++j)
      for (int k = 0; k < 3; ++k)
        next.b[i].v[k] += h * w.b[j].mass * (w.b[j].at[k] - w.b[i].at[k]) * w.b[i].at[(k + 1) % 3];
  for (int i = 0; i < w.n; ++i)
    for (int k = 0; k < 3; ++k)
      next.b[i].at[k] += h * next.b[i].v[k];
  next.t += h;
  return next;
}
static double simulate(World *in, int steps) {
  std::vector<World> history(1, *in);
  for (int s = 0; s < steps; ++s)
    history.push_back(step(history[s], 0.1));
  double sum = 0;
  for (int i = 0; i < in->n; ++i)
    sum += (i + 1) * history[steps].b[i].at[i] * history[steps].b[i].mass + history[steps / 2].b[i].v[1];
  return sum;
}

int main() {
  double u[5] = {0.8, 0.9, 0.1, -0.7, -0.9}, p[3] = {1.1, 0.7, 1.9}, du[5] = {}, dp[3] = {};
  __enzyme_autodiff((void *)energy, enzyme_dup, u, du, enzyme_dup, p, dp, enzyme_const, 6);
  auto difference = [](double &x, auto f) {
    double at = x, up = (x = at + 1e-5, f()), down = (x = at - 1e-5, f());
    x = at;
    return (up - down) / 2e-5;
  };
  for (int i = 0; i < 5; ++i)
    RG_WITHIN(du[i], difference(u[i], [&] { return energy(u, p, 6); }), 1e-7);
  for (int i = 0; i < 3; ++i)
    RG_WITHIN(dp[i], difference(p[i], [&] { return energy(u, p, 6); }), 1e-7);

  World w = {}, d = {}, at;
  w.n = 3;
  for (int i = 0; i < 3; ++i) {
    w.b[i].id = i, w.b[i].mass = 1 + 0.5f * i;
    for (int k = 0; k < 3; ++k)
      w.b[i].at[k] = 0.3 * i - 0.2 * k + 0.1, w.b[i].v[k] = 0.1 * k - 0.2 * i;
  }
  __enzyme_autodiff((void *)simulate, enzyme_dup, &w, &d, enzyme_const, 4);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      for (int v = 0; v < 2; ++v) {
        at = w;
        double *x = v ? &at.b[i].v[k] : &at.b[i].at[k];
        RG_WITHIN(v ? d.b[i].v[k] : d.b[i].at[k], difference(*x, [&] { return simulate(&at, 4); }), 1e-7);
      }
  return rgReport();
}
