// Pointers to member functions in a program where virtual functions have the
// same type. No pointer leads to one of them, so that a call through a pointer
// reads no table and adds nothing to `this`.
// RG-LEVELS: O0 O1 O2 O3 g
// RG-FLAGS: -std=c++17
#include "rgvector.hpp"
#include <vector>

struct Source {
  virtual ~Source() {}
  virtual double &at(int i) = 0;
};
struct Kept : Source {
  std::vector<double> Values;
  std::vector<int> Order;
  explicit Kept(int n) : Values(n), Order(n) {
    for (int i = 0; i < n; ++i)
      Order[i] = n - 1 - i;
  }
  double &at(int i) override { return Values[Order[i]]; }
};

struct Mesh {
  std::vector<double> X, E;
  std::vector<int> Nodes;
  int Count;
  explicit Mesh(int n) : X(n), E(n), Nodes(n), Count(n) {
    for (int i = 0; i < n; ++i)
      Nodes[i] = (i * 3) % n;
  }
  double &x(int i) { return X[i]; }
  double &e(int i) { return E[i]; }
};
typedef double &(Mesh::*Field)(int);
__attribute__((noinline)) static double sum(Mesh &m, Source &of, Field field) {
  double s = 0;
  for (int i = 0; i < m.Count; ++i)
    s += (m.*field)(m.Nodes[i]) * of.at(i) * (i + 1);
  return s;
}

static double run(const double *x, int n) {
  Mesh m(n);
  Kept kept(n);
  for (int i = 0; i < n; ++i) {
    m.x(i) = x[i], m.e(i) = x[i] * x[n - 1 - i];
    kept.at(i) = x[i] * x[i];
  }
  Field fields[2] = {&Mesh::x, &Mesh::e};
  double s = 0;
  for (Field f : fields)
    s = s * 0.5 + sum(m, kept, f);
  return s;
}

int main() {
  check(run);
  return rgReport();
}
