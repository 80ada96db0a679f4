// Strings that are built, moved and sorted together with numbers, and as keys of numbers and
// of functions: characters one by one, lengths where short strings have characters.
#include "rgvector.hpp"
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

struct Record {
  std::string name;
  double weight;
  std::vector<double> values;
};
static double records(const double *x, int n) {
  std::vector<Record> r;
  for (int i = 0; i < n; ++i)
    r.push_back(Record{"number " + std::to_string(i), x[i], {x[i] * x[i], 1.0}});
  std::sort(r.begin(), r.end(),
            [](const Record &a, const Record &b) { return a.weight < b.weight; });
  r.erase(r.begin());
  r.insert(r.begin() + 1, Record{"new", x[0] * x[1], {x[2]}});
  r.shrink_to_fit();
  double s = 0, k = 1;
  for (auto &e : r) {
    s += k * e.weight * e.values[0];
    k += e.name.size();
  }
  return s;
}
static double keys(const double *x, int n) {
  std::map<std::string, double> m;
  for (int i = 0; i < n; ++i)
    m["key" + std::to_string(i)] = x[i] * x[i];
  std::vector<std::pair<std::string, double>> v(m.begin(), m.end());
  std::sort(v.begin(), v.end(), [](auto &a, auto &b) { return a.second > b.second; });
  return v[0].second * v[1].second + v[2].first.size() * v[2].second;
}
static double tokens(const double *x, int) {
  std::map<std::string, double> variables{{"alpha", x[0]}, {"beta", x[1]}, {"gamma", x[2]}};
  std::string text = "alpha*beta+gamma*alpha", token;
  double sum = 0, product = 1;
  for (char c : text + "+")
    if (c == '*') {
      product *= variables[token];
      token.clear();
    } else if (c == '+') {
      sum += product * variables[token];
      product = 1;
      token.clear();
    } else
      token += c;
  return sum;
}
static double named(const double *x, int) {
  using Map = std::function<double(double)>;
  std::map<std::string, Map> ops{{"sin", [](double t) { return std::sin(t); }},
                                 {"square", [](double t) { return t * t; }}};
  return ops["sin"](x[0]) * ops.at("square")(x[1]);
}
int main() {
  check(records);
  check(keys);
  check(tokens);
  check(named);
  return rgReport();
}
