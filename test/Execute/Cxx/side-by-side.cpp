// Programs with function objects and shared objects of many kinds in one file: what one
// derivative may call is not what the others call.
#include "rgvector.hpp"
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

using Map = std::function<double(double)>;

// Functions that hold functions, and others.
static Map composed(Map f, Map g) {
  return [f, g](double t) { return f(g(t)); };
}
static double nested(const double *x, int) {
  double a = x[0];
  Map f = composed([](double t) { return std::sin(t); }, [a](double t) { return a * t; });
  f = composed(f, [](double t) { return t * t; });
  return f(x[1]) * x[2];
}
static double layers(const double *x, int n) {
  std::vector<Map> l;
  for (int i = 0; i < n; ++i)
    l.push_back([w = x[i]](double t) { return std::tanh(w * t); });
  double t = 1;
  for (Map &f : l)
    t = f(t);
  return t;
}
// Graphs of shared objects, and lists.
struct Node {
  double value = 0;
  std::vector<std::shared_ptr<Node>> of;
  char op = 0;
};
using Shared = std::shared_ptr<Node>;
static Shared leaf(double v) {
  auto p = std::make_shared<Node>();
  p->value = v;
  return p;
}
static Shared joined(char op, Shared a, Shared b) {
  auto p = std::make_shared<Node>();
  p->op = op;
  p->of = {a, b};
  return p;
}
static double evaluated(const Shared &p) {
  if (!p->op)
    return p->value;
  double a = evaluated(p->of[0]), b = evaluated(p->of[1]);
  return p->value = p->op == '+' ? a + b : a * b;
}
static double graph(const double *x, int) {
  Shared a = leaf(x[0]), b = leaf(x[1]), c = joined('*', a, b);
  return evaluated(joined('*', joined('+', c, leaf(x[2])), joined('+', c, a)));
}
struct Link {
  double v;
  std::shared_ptr<Link> next;
  std::weak_ptr<Link> back;
};
static double chain(const double *x, int n) {
  std::shared_ptr<Link> head;
  for (int i = 0; i < n; ++i) {
    auto p = std::make_shared<Link>();
    p->v = x[i] * x[i];
    p->next = head;
    if (head)
      head->back = p;
    head = p;
  }
  double s = 0;
  for (auto p = head; p; p = p->next)
    if (auto q = p->back.lock())
      s += q->v * p->v;
  return s;
}
int main() {
  check(nested);
  check(layers);
  check(graph);
  check(chain);
  return rgReport();
}
