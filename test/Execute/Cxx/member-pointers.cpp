// Pointers to member functions that give references to fields: an array of them is
// walked, as codes that pack several fields into one message do. The object has arrays
// of integers, too, which an unknown adjustment of `this` would take for the numbers.
// RG-LEVELS: O0 O1 O2 g fast
#include "rgtest.h"
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;
struct Mesh {
  std::vector<double> X, E;
  std::vector<int> Nodes;
  double *Buffer;
  int *Sizes, Count;
  explicit Mesh(int n) : X(n), E(n), Nodes(n), Buffer(new double[2 * n]), Sizes(new int[n]), Count(n) {
    for (int i = 0; i < n; ++i)
      Nodes[i] = (i * 3) % n, Sizes[i] = i;
    for (int i = 0; i < 2 * n; ++i)
      Buffer[i] = 0;
  }
  ~Mesh() { delete[] Buffer, delete[] Sizes; }
  double &x(int i) { return X[i]; }
  double &e(int i) { return E[i]; }
};
typedef double &(Mesh::*Field)(int);
__attribute__((noinline)) static void pack(Mesh &m, const Field *fields, int n) {
  double *to = m.Buffer;
  for (int f = 0; f < n; ++f) {
    Field from = fields[f];
    for (int i = 0; i < m.Count; ++i)
      to[i] = (m.*from)(m.Nodes[i]);
    to += m.Count;
  }
}
__attribute__((noinline)) static void unpack(Mesh &m, const Field *fields, int n) {
  const double *from = m.Buffer;
  for (int f = 0; f < n; ++f, from += m.Count)
    for (int i = 0; i < m.Count; ++i)
      (m.*fields[f])(i) += from[i] * from[m.Sizes[i]];
}
static double run(const double *x, int n) {
  Mesh *m = new Mesh(n);
  for (int i = 0; i < n; ++i)
    m->x(i) = x[i], m->e(i) = x[i] * x[n - 1 - i];
  Field fields[2] = {&Mesh::x, &Mesh::e};
  pack(*m, fields, 2);
  unpack(*m, fields, 2);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += m->x(i) * m->e(m->Nodes[i]) * (i + 1);
  delete m;
  return s;
}

// What the compiler sees of virtual functions and of base classes keeps its way.
struct Shape {
  double side;
  virtual double size(double x) { return side * x; }
  double twice(double x) { return 2 * side * x; }
};
struct Tagged {
  double tag;
  double tagged(double x) { return tag * x * x; }
};
struct Square : Shape, Tagged {
  double size(double x) override { return side * side * x; }
};
static double chosen(double x, int which) {
  Square s;
  s.side = x, s.tag = x + 1;
  double (Square::*const methods[3])(double) = {&Square::size, &Square::twice, &Square::tagged};
  return (s.*methods[which])(x);
}
int main() {
  enum { N = 7 };
  double x[N], d[N] = {0}, t[N], p[N], m[N], along = 0;
  for (int i = 0; i < N; ++i)
    x[i] = .4 + .1 * i, t[i] = 1 - .2 * i, p[i] = x[i] + 1e-6 * t[i], m[i] = x[i] - 1e-6 * t[i];
  __enzyme_autodiff((void *)run, enzyme_dup, x, d, enzyme_const, N);
  for (int i = 0; i < N; ++i)
    along += d[i] * t[i];
  double by = (run(p, N) - run(m, N)) / 2e-6;
  RG_WITHIN(along, by, 1e-7);
  RG_NEAR(__enzyme_fwddiff((void *)run, enzyme_dup, x, t, enzyme_const, N), along);
  for (int w = 0; w < 3; ++w) {
    double y = 1.3;
    RG_GRAD(__enzyme_autodiff((void *)chosen, y, w), chosen(y, w), y);
    RG_GRAD(__enzyme_fwddiff((void *)chosen, y, 1.0, w), chosen(y, w), y);
  }
  return rgReport();
}
