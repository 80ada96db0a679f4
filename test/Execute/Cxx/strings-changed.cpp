// Strings of the caller's, beside numbers, are assigned, moved, swapped, grown and cut, short ones and
// ones on the heap: the shadow's strings stay the caller's or become empty, and nothing is freed twice.
// RG-LEVELS: O0 O2 Os
// RG-FLAGS: -std=gnu++20
#include "rgmodels.h"
struct Model {
  std::string name, other;
  std::vector<double> w;
  std::vector<std::string> tags;
};
static double sq(const Model &m) {
  double s = 0;
  for (double x : m.w)
    s += x * x;
  return s;
}
static double movea(Model &m) {
  m.name = std::string("a new long name that does not fit in the object") + m.other;
  return sq(m) * m.name.size();
}
static double movec(Model &m) {
  std::string s = std::move(m.name);
  double r = sq(m) * (1 + s.size());
  m.other = std::move(s);
  return r;
}
static double swp(Model &m) {
  std::swap(m.name, m.other);
  m.name.swap(m.tags[0]);
  return sq(m) * m.name.size();
}
static double app(Model &m) {
  for (int i = 0; i < 10; ++i)
    m.name += "some text";
  m.name.push_back('c');
  m.other.append(m.name);
  return sq(m) * m.other.size();
}
static double cpy(Model &m) {
  Model n = m;
  n.w[0] *= 2;
  n.name += m.other + "x";
  return sq(n) * n.name.size();
}
static double grow(Model &m) {
  for (int i = 0; i < 5; ++i)
    m.tags.push_back(m.name + std::to_string(i));
  return sq(m) * m.tags.back().size();
}
static double shrink(Model &m) {
  m.tags.pop_back();
  m.tags.erase(m.tags.begin());
  m.tags.emplace_back("another long string that is on the heap");
  m.tags.clear();
  return sq(m);
}
static double sub(Model &m) {
  m.name = m.name.substr(1, 3);
  m.other.insert(1, m.name);
  m.other.erase(1);
  m.other.resize(30, 'x');
  return sq(m) * m.other.size();
}
static double ins(Model &m) {
  m.tags.insert(m.tags.begin(), m.name);
  m.tags.resize(9);
  std::sort(m.tags.begin(), m.tags.end());
  return sq(m) * m.tags.back().size();
}
static double loopc(Model &m) {
  double s = 0;
  for (char c : m.name)
    s += c * m.w[0];
  for (auto &c : m.name)
    c = 'x';
  for (unsigned i = 0; i < m.other.size(); ++i)
    if (m.other[i] == 'a')
      s += m.w[1] * m.w[1];
  return s + sq(m);
}
int main() {
  for (int k = 0; k < 2; ++k) {
    auto make = [&] {
      return Model{k ? "short" : "a name that is long enough for the heap",
                   k ? "a rather long other name, on the heap" : "o",
                   {1, 2, 3},
                   {"a", "b", "a long tag that lies on the heap by itself"}};
    };
    auto w = [](Model &m) {
      std::vector<double *> v;
      for (auto &x : m.w)
        v.push_back(&x);
      return v;
    };
#define C(f) check<Model>(f, make, w, #f)
    C(movea);
    C(movec);
    C(swp);
    C(app);
    C(cpy);
    C(grow);
    C(shrink);
    C(sub);
    C(ins);
    C(loopc);
  }
  return wrong;
}
