// Containers in the nodes of a tree. The search for a key steps to one of two
// members (`less ? &node->left : &node->right`), and to nothing beyond them.
#include "rgvector.hpp"
#include <cmath>
#include <map>
#include <vector>

static double grouped(const double *x, int n) {
  std::map<int, std::vector<double>> groups;
  for (int i = 0; i < n; ++i)
    groups[i % 3].push_back(x[i] * x[(i + 1) % n]);
  double s = 0;
  for (auto &[key, values] : groups)
    for (double v : values)
      s += v * v * (1 + key);
  groups.erase(1);
  return s * groups[2].back();
}
struct Row {
  std::vector<double> weights;
  double bias = 0;
};
static double rows(const double *x, int n) {
  std::map<long, Row> table;
  for (int i = 0; i < n; ++i) {
    Row &r = table[(i * 7) % 4];
    r.weights.insert(r.weights.begin(), std::sin(x[i]));
    r.bias += x[i];
  }
  double s = 0;
  for (auto &entry : table)
    for (double w : entry.second.weights)
      s += w * entry.second.bias;
  auto found = table.find(3);
  return found == table.end() ? 0 : s * found->second.bias;
}
static double nested(const double *x, int n) {
  std::map<int, std::map<int, double>> m;
  for (int i = 0; i < n; ++i)
    m[i / 2][i % 2] = x[i] * x[i];
  double s = 1;
  for (auto &outer : m)
    for (auto &inner : outer.second)
      s = s * 0.5 + inner.second * (outer.first - inner.first + 0.25);
  return s;
}
// A Boolean as an index.
struct Pair {
  double *side[2];
};
static double chosen(const double *x, int n) {
  double a[8], b[8];
  Pair p = {{a, b}};
  for (int i = 0; i < n; ++i)
    p.side[x[i] > 0.7][i] = x[i] * x[i], p.side[!(x[i] > 0.7)][i] = 1;
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += p.side[i & 1][i] * (i + 1) * a[i];
  return s;
}

int main() {
  check(grouped);
  check(rows);
  check(nested);
  check(chosen);
  return rgReport();
}
