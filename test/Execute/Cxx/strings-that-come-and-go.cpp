// Strings in optionals, variants and pairs.
// RG-LEVELS: O0 O2
// RG-FLAGS: -std=gnu++20
#include "rgmodels.h"
#include <optional>
#include <variant>
struct Model {
  std::optional<std::string> o;
  std::variant<double, std::string> v;
  std::vector<double> w;
  std::pair<std::string, double> p;
};
static double sq(const Model &m) {
  double s = 0;
  for (double x : m.w)
    s += x * x;
  return s;
}
static double opt(Model &m) {
  double s = sq(m);
  if (m.o)
    s *= m.o->size();
  m.o = "set to a text that is long enough for the heap";
  s += m.w[0] * m.o->size();
  m.o.reset();
  m.o.emplace(20, 'x');
  return s;
}
static double optl(Model &m) {
  std::optional<std::string> o;
  for (double x : m.w)
    if (x > 1.5)
      o = "a text that is long enough for the heap" + m.p.first;
    else
      o = std::nullopt;
  return o ? sq(m) * o->size() : sq(m);
}
static double var(Model &m) {
  m.v = m.w[0] * m.w[1];
  double s = std::get<double>(m.v) * m.w[2];
  m.v = std::string("a text that is long enough for the heap");
  if (auto *t = std::get_if<std::string>(&m.v))
    s *= t->size();
  return s;
}
static double varl(Model &m) {
  std::vector<std::variant<double, std::string>> l;
  for (double x : m.w) {
    l.push_back(x * x);
    l.push_back("text long enough for the heap, it is" + m.p.first);
  }
  double s = 0;
  for (auto &v : l)
    if (v.index() == 0)
      s += std::get<0>(v);
    else
      s += m.w[0] * std::get<1>(v).size();
  return s;
}
static double pr(Model &m) {
  auto p = m.p;
  p.first += "longer and longer and longer";
  p.second *= m.w[0];
  std::swap(p, m.p);
  return m.p.second * m.w[1] * p.first.size() + sq(m);
}
#define C(f) check<Model>(f, make, w, #f)
int main() {
  auto make = [&] {
    return Model{std::string("a text that is long enough for the heap"),
                 2.0,
                 {1, 2, 3},
                 {"pair with a long text on the heap", 2}};
  };
  auto w = [](Model &m) {
    std::vector<double *> v;
    for (auto &x : m.w)
      v.push_back(&x);
    v.push_back(&m.p.second);
    return v;
  };
  C(opt);
  C(optl);
  C(var);
  C(varl);
  C(pr);
  return wrong;
}
