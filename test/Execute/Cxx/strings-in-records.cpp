// Records of a string and a number in containers that grow, are sorted, copied, passed by value.
// RG-LEVELS: O0 O2
// RG-FLAGS: -std=gnu++17
#include "rgmodels.h"
struct Rec {
  std::string name;
  double x;
};
struct Model {
  std::vector<Rec> r;
  std::map<std::string, double> m;
  std::unordered_map<std::string, double> u;
};
static double sq(const Model &m) {
  double s = 0;
  for (auto &r : m.r)
    s += r.x * r.x * (1 + r.name.size());
  for (auto &p : m.m)
    s += p.second * p.second * p.first.size();
  for (auto &p : m.u)
    s += std::sin(p.second) * p.first.size();
  return s;
}
static double rd(Model &m) { return sq(m); }
static double find(Model &m) {
  double s = 0;
  for (auto &r : m.r) {
    auto i = m.m.find(r.name);
    if (i != m.m.end())
      s += i->second * r.x;
  }
  return s + m.m["beta is a long key, longer than fifteen"] * m.u.at("b");
}
static double grow(Model &m) {
  double a = m.r[0].x;
  for (int i = 0; i < 4; ++i)
    m.r.push_back({"a new record with a long name that is long", a * i});
  return sq(m);
}
static double growl(Model &m) {
  std::vector<Rec> l;
  for (auto &r : m.r) {
    l.push_back(r);
    l.push_back({r.name + "2", r.x * r.x});
  }
  double s = 0;
  for (auto &r : l)
    s += r.x * r.name.size();
  std::swap(l[0], l[1]);
  std::reverse(l.begin(), l.end());
  return s + l[0].x * l[1].x;
}
static double sorted(Model &m) {
  std::vector<Rec> l = m.r;
  std::sort(l.begin(), l.end(), [](const Rec &a, const Rec &b) { return a.name < b.name; });
  double s = 0;
  for (unsigned i = 0; i < l.size(); ++i)
    s += l[i].x * l[i].x * (i + 1);
  return s;
}
static double mapl(Model &m) {
  std::map<std::string, double> l;
  for (auto &r : m.r)
    l[r.name] += r.x * r.x;
  l.emplace("new one with a long name for the heap", m.r[0].x);
  double s = 0;
  for (auto &p : l)
    s = s * 0.5 + p.second * p.first.size();
  return s;
}
static double umapl(Model &m) {
  std::unordered_map<std::string, double> l;
  for (auto &r : m.r)
    l[r.name] += r.x * r.x;
  l["new one with a long name for the heap"] = m.r[0].x;
  double s = 0;
  for (auto &p : l)
    s += p.second * p.first.size();
  return s;
}
static double ins(Model &m) {
  m.m["fresh"] = m.r[0].x;
  m.m.erase("alpha");
  m.u["fresh and long enough for the heap"] = m.r[1].x;
  return sq(m);
}
static double byval1(std::vector<Rec> v) {
  double s = 0;
  for (auto &r : v) {
    r.name += "x";
    s += r.x * r.name.size();
  }
  return s;
}
static double byval(Model &m) {
  return byval1(m.r) * byval1({{"one", m.r[0].x}, {"two is a longer one, really long one", 2}});
}
static Rec make1(const Rec &a, double y) { return {a.name + "-made of a long text", a.x * y}; }
static double ret(Model &m) {
  Rec r = make1(m.r[0], m.r[1].x);
  r = make1(r, m.r[2].x);
  std::pair<Rec, Rec> p{r, m.r[1]};
  std::swap(p.first, p.second);
  return r.x * r.name.size() + p.first.x;
}
static double era(Model &m) {
  m.r.erase(m.r.begin());
  m.r.insert(m.r.begin(), Rec{"front with a long name for the heap", m.r[0].x * 2});
  m.r.pop_back();
  return sq(m);
}
#define C(f) check<Model>(f, make, w, #f)
int main() {
  auto make = [&] {
    Model m;
    m.r = {{"zeta", 1}, {"alpha", 2}, {"beta is a long key, longer than fifteen", 3}};
    m.m = {{"alpha", 1.5}, {"beta is a long key, longer than fifteen", 2.5}};
    m.u = {{"b", 0.5}, {"another that is long, too, for the heap", 0.75}};
    return m;
  };
  auto w = [](Model &m) {
    std::vector<double *> v;
    for (auto &x : m.r)
      v.push_back(&x.x);
    for (auto &p : m.m)
      v.push_back(&p.second);
    v.push_back(&m.u["b"]);
    v.push_back(&m.u["another that is long, too, for the heap"]);
    return v;
  };

  C(rd);
  C(find);
  C(growl);
  C(sorted);
  C(mapl);
  C(umapl);
  C(byval);
  C(ret);
  auto wl = [](Model &m) {
    std::vector<double *> v;
    v.push_back(&m.m.find("beta is a long key, longer than fifteen")->second);
    return v;
  };
  check<Model>(era, make, wl, w, "era");
  check<Model>(grow, make, wl, w, "grow");
  check<Model>(ins, make, wl, w, "ins");
  return wrong;
}
