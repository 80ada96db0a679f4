// Strings in structs with active numbers that the library makes longer in place:
// their characters move, and the shadows of the structs follow.
// RG-LEVELS: O0 O2 O3
// RG-FLAGS: -std=c++17
#include "rgvector.hpp"
#include <string>
#include <vector>

struct Part {
  std::string name;
  double mass;
};
static double parts(const double *x, int n) {
  std::vector<Part> all;
  for (int i = 0; i < n; ++i)
    all.push_back({"p" + std::to_string(i), x[i] * x[0]});
  all[2].name += " and more than what fits into the string itself";
  double e = 0;
  for (const Part &p : all)
    e = e * p.mass + p.mass * p.name.size();
  return e;
}

struct Weighted {
  std::string name;
  double mass;
  std::vector<double> weights;
};
static double moved(const double *x, int) {
  Weighted q{"abc", x[0], {x[1], x[2]}};
  q.name += " and more than what fits into the string itself";
  Weighted r = q;
  r.mass *= 2;
  r.name.append(100, 'x');
  r.name.insert(0, "and ");
  r.name.resize(400);
  q = std::move(r);
  q.name.shrink_to_fit();
  q.name = "short";
  return q.mass * q.weights[0] * q.weights[1] * q.name.size();
}
static double loop(const double *x, int n) {
  Part p{"", 1};
  for (int i = 0; i < n; ++i) {
    p.name += "step ";
    p.mass *= x[i] + double(p.name.size());
    if (i % 2)
      p.name.clear();
    p.name.reserve(40 * i);
  }
  return p.mass;
}

int main() {
  check(parts);
  check(moved);
  check(loop);
  return rgReport();
}
