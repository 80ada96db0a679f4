// What the standard library copies in bulk (a vector's elements) has the type of its template, whatever memory
// analyses take for one thing: tables of vectors copied, moved, on the heap, vectors beside owners of other kinds.
#include "rgvector.hpp"
#include <any>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

static double copied(const double *x, int n) {
  std::unordered_map<int, std::vector<double>> m;
  for (int i = 0; i < n; ++i)
    m[i % 3].push_back(x[i] * x[i]);
  auto c = m;
  double s = 0;
  for (int k = 0; k < 3; ++k)
    for (double v : c[k])
      s += v * std::sin(v);
  return s;
}
static double assigned(const double *x, int n) {
  std::unordered_map<int, std::vector<double>> m;
  for (int i = 0; i < n; ++i)
    m[i] = {x[i], x[(i + 1) % n] * 2};
  double s = 0;
  for (auto &[k, v] : m)
    s += v[0] * v[1];
  return s;
}
template <class T> static double products(const T &table) {
  double s = 0;
  for (auto &[k, v] : table) {
    double p = 1;
    for (double y : v)
      p *= y;
    s += p;
  }
  return s;
}
static double moved(const double *x, int n) {
  std::unordered_map<std::string, std::vector<double>> m;
  for (int i = 0; i < n; ++i)
    m["k" + std::to_string(i % 2)].push_back(x[i]);
  auto k = std::move(m);
  return products(k);
}
struct Holder {
  std::unordered_map<int, std::vector<double>> table;
  double factor;
};
static double onHeap(const double *x, int n) {
  auto h = std::make_unique<Holder>();
  h->factor = x[0];
  for (int i = 0; i < n; ++i)
    h->table[i % 3].push_back(x[i] * h->factor);
  return products(h->table);
}
static double byStrings(const double *x, int n) {
  std::map<std::string, std::vector<double>> m;
  for (int i = 0; i < n; ++i)
    m["key" + std::to_string(i % 2)].push_back(x[i]);
  auto c = m;
  return products(c);
}
struct Point {
  double x, y;
  int id;
};
static double ofStructs(const double *x, int n) {
  std::unordered_map<int, std::vector<Point>> m;
  for (int i = 0; i < n; ++i)
    m[i % 2].push_back({x[i], x[i] * x[0], i});
  auto c = m;
  c[0].insert(c[0].begin(), c[1].begin(), c[1].end());
  double s = 0;
  for (auto &[k, v] : c)
    for (auto &p : v)
      s += p.x * p.y * (p.id + 1);
  return s;
}
struct Both {
  std::map<std::string, std::vector<double>> a;
  std::unordered_map<int, std::vector<double>> b;
  double w;
};
static double members(const double *x, int n) {
  Both h;
  h.w = x[1];
  for (int i = 0; i < n; ++i) {
    h.a["k" + std::to_string(i % 2)].push_back(x[i]);
    h.b[i % 3] = {x[i], h.w};
  }
  Both c = h, d;
  d = c;
  h = std::move(d);
  return products(h.a) + products(c.b);
}
static double rehashed(const double *x, int n) {
  auto h = std::make_shared<std::unordered_map<std::string, std::vector<double>>>();
  for (int i = 0; i < 3 * n; ++i)
    (*h)["k" + std::to_string(i % 9)].push_back(x[i % n]);
  h->erase("k3");
  h->rehash(64);
  std::unordered_map<std::string, std::vector<double>> c;
  c = std::move(*h);
  c.insert({"new", std::vector<double>(x, x + 2)});
  c.insert_or_assign("k1", std::vector<double>{x[0] * x[1]});
  return products(c);
}
static double kinds(const double *x, int n) {
  std::unordered_map<int, std::vector<int>> m;
  std::unordered_map<int, std::vector<double>> d;
  std::unordered_map<int, std::vector<const double *>> p;
  for (int i = 0; i < n; ++i) {
    m[i % 2].push_back(i);
    m[i % 3] = {i, i + 1};
    d[i % 2].push_back(x[i]);
    p[i % 2].push_back(x + i);
  }
  auto c = m;
  auto e = d;
  auto f = p;
  double s = 0;
  for (auto &[k, v] : c)
    for (int j : v)
      s += x[j % n] * j * e[j % 2].back() * *f[k % 2][0];
  return s;
}
struct Shape {
  virtual ~Shape() = default;
  virtual double at(double) const = 0;
};
struct Line : Shape {
  double a;
  Line(double a) : a(a) {}
  double at(double y) const override { return a * y; }
};
struct Sum : Shape {
  std::vector<double> a;
  Sum(const double *x, int n) : a(x, x + n) {}
  double at(double y) const override {
    double s = 0;
    for (double b : a)
      s += std::sin(b * y);
    return s;
  }
};
static double owners(const double *x, int n) {
  std::vector<std::shared_ptr<Shape>> l;
  l.push_back(std::make_shared<Line>(x[0] * x[1]));
  l.push_back(std::make_shared<Sum>(x, n));
  auto v = std::make_shared<std::vector<double>>();
  for (int i = 0; i < n; ++i)
    v->push_back(x[i] * x[i]);
  auto other = v;
  double s = 0;
  for (auto &p : l)
    for (double y : *other)
      s += p->at(y);
  return s;
}
static double anything(const double *x, int n) {
  std::vector<std::any> l;
  l.push_back(x[0] * x[1]);
  l.push_back(std::vector<double>(x, x + n));
  l.push_back(std::string("a string which is on the heap"));
  l.push_back(3);
  double s = 0;
  for (auto &a : l) {
    if (auto *d = std::any_cast<double>(&a))
      s += *d * *d;
    else if (auto *v = std::any_cast<std::vector<double>>(&a))
      for (double y : *v)
        s += std::sin(y);
    else if (auto *i = std::any_cast<int>(&a))
      s *= *i;
  }
  return s;
}
int main() {
  check(copied);
  check(assigned);
  check(moved);
  check(onHeap);
  check(byStrings);
  check(ofStructs);
  check(members);
  check(rehashed);
  check(kinds);
  check(owners);
  check(anything);
  return rgReport();
}
