// Strings in memory of the caller, beside numbers: member functions without a body here leave the
// shadow's strings alone, which the caller made and destroys.
// RG-LEVELS: O0 O1 O2
// RG-FLAGS: -std=gnu++17
#include "rgtest.h"
#include <memory>
#include <string>
#include <vector>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

struct Model {
  std::string name;
  std::vector<double> w;
  std::vector<std::string> tags;
};

static double squares(const Model &m) {
  double s = 0;
  for (double x : m.w)
    s += x * x;
  return s;
}
// Shadows with other texts do where the function only reads.
static double asked(const Model &m) { return m.name == "linear" ? squares(m) : 2 * squares(m); }
static double grown(Model &m) {
  m.name.append(" and a text that does not fit into the object any more");
  return squares(m) * double(m.name.size());
}
static double replaced(Model &m) {
  m.name = "quadratic, with a long name for its parameters";
  m.name.resize(9);
  m.name.shrink_to_fit();
  return squares(m) * double(m.name.length());
}
static double copied(const Model &m) {
  std::string mine = m.name + ": a copy that the function owns itself";
  mine += mine;
  return squares(m) * double(mine.find("copy"));
}
static double listed(Model &m) {
  double s = 0;
  for (const std::string &t : m.tags)
    s += t.compare("b") < 0 ? m.w[0] * m.w[1] : m.w[0];
  return s;
}

template <typename F> static void check(F *f, const char *name) {
  Model m{name, {1, 2}, {"a", "b", "a long tag that lies on the heap by itself"}}, d = m, again = m;
  d.w = {0, 0};
  __enzyme_autodiff((void *)f, enzyme_dup, &m, &d);
  double h = 1e-6;
  for (int i = 0; i < 2; ++i) {
    Model up = again, down = again, at = again, t = again;
    t.w = {0, 0};
    up.w[i] += h;
    down.w[i] -= h;
    t.w[i] = 1;
    RG_WITHIN(d.w[i], (f(up) - f(down)) / (2 * h), 1e-6);
    RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_dup, &at, &t), d.w[i]);
  }
  RG_TRUE(d.tags[1] == "b");
  d.name = "the shadow's strings are still the caller's to use";
  d.tags.clear();
}

int main() {
  Model m{"linear", {1, 2}, {}}, d{"", {0, 0}, {}};
  __enzyme_autodiff((void *)asked, enzyme_dup, &m, &d);
  RG_NEAR(d.w[1], 4);
  RG_TRUE(d.name.empty());
  for (const char *name : {"linear", "a name that is too long to lie in the object"}) {
    check(asked, name);
    check(grown, name);
    check(replaced, name);
    check(copied, name);
    check(listed, name);
  }
  return rgReport();
}
