// Where all functions of the file are too many to tell objects apart, calls through pointers
// lead to what the differentiated function refers to. An object of another class, made
// outside, ends the program.
// RUN: %rgcxx -O0 %s -o %t && %t 0
// RUN: not --crash %t 1 2>&1 | FileCheck %s
// RUN: %rgcxx -O2 %s -o %t && %t 0
// RUN: not --crash %t 1 2>&1 | FileCheck %s
// CHECK: retrograd: in {{.*}}a call through a pointer reached the function at {{.*}}, which has no derivative
// CHECK-NOT: number
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>
extern int enzyme_const;
template <class T, class... Args> T __enzyme_autodiff(void *, Args...);
struct Map {
  virtual ~Map() = default;
  virtual double of(double x) const = 0;
};
struct Square : Map {
  double of(double x) const override { return x * x; }
};
struct Triple : Map {
  double of(double x) const override { return 3 * x; }
};
struct Link {
  double v;
  std::shared_ptr<Link> next;
};
double chain(const double *x) {
  auto p = std::make_shared<Link>();
  p->next = std::make_shared<Link>();
  p->next->v = *x;
  return p->next->v;
}
struct Node {
  double v = 0;
  std::vector<std::shared_ptr<Node>> of;
};
Square mine;
double f(const Map *m, double x) {
  const Map *other = &mine;
  auto p = std::make_shared<Node>(), q = std::make_shared<Node>();
  q->v = m->of(x);
  p->of = {q, q};
  return p->of[0]->v + p->of[1]->v + other->of(x);
}
int main(int argc, char **argv) {
  Square s;
  Triple t;
  double x = 2, d = 0;
  __enzyme_autodiff<void>((void *)chain, &x, &d);
  const Map *m = argc > 1 && atoi(argv[1]) ? (const Map *)&t : &s;
  double g = __enzyme_autodiff<double>((void *)f, enzyme_const, m, x);
  std::printf("a number: %g\n", g);
  return g != 12 || d != 1;
}
