// Hash tables whose values hold memory: buckets, nodes and the table's own bucket are not one array.
#include "rgvector.hpp"
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

static double groups(const double *x, int n) {
  std::unordered_map<int, std::vector<double>> g;
  for (int i = 0; i < n; ++i)
    g[i % 3].push_back(x[i] * x[i]);
  double s = 0;
  for (auto &[k, v] : g) {
    double p = 1;
    for (double y : v)
      p *= y + k;
    s += std::sin(p);
  }
  auto it = g.find(1);
  return it == g.end() ? s : s + it->second[0] * x[0];
}
static std::unordered_map<int, std::vector<double>> made(const double *x, int n) {
  std::unordered_map<int, std::vector<double>> g;
  for (int i = 0; i < n; ++i)
    g.emplace(i, std::vector<double>(2, x[i]));
  return g;
}
static double returned(const double *x, int n) {
  auto g = made(x, n);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += g[i][0] * g[(i + 1) % n][1];
  return s;
}
struct Cache {
  std::unordered_map<int, std::vector<double>> known;
  const std::vector<double> &get(int k, const double *x) {
    auto it = known.find(k);
    if (it != known.end())
      return it->second;
    return known[k] = std::vector<double>{x[k], std::sin(x[k])};
  }
};
static double cached(const double *x, int n) {
  Cache c;
  double s = 0;
  for (int i = 0; i < 2 * n; ++i) {
    auto &v = c.get(i % n, x);
    s += v[0] * v[1];
  }
  return s;
}
static double named(const double *x, int n) {
  std::unordered_map<std::string, std::vector<double>> g;
  for (int i = 0; i < n; ++i)
    g[i % 2 ? "odd" : "even numbers have a long name"].push_back(x[i] * x[i]);
  double s = 0;
  for (auto &[k, v] : g) {
    double p = 1;
    for (double y : v)
      p *= y + k.size();
    s += p;
  }
  return s * g.at("odd")[0];
}
// More than one bucket, and rehashing.
static double many(const double *x, int n) {
  std::unordered_map<int, std::vector<double>> g;
  for (int i = 0; i < 40; ++i)
    g[7 * i].push_back(x[i % n] * i);
  double s = 0;
  for (auto &[k, v] : g)
    s += k * v[0] * v[0];
  return s;
}
int main() {
  check(groups);
  check(returned);
  check(cached);
  check(named);
  check(many);
  return rgReport();
}
