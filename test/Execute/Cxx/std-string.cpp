// std::string beside active numbers: in structs, in containers, built, searched
// and copied where the numbers are.
// RG-LEVELS: O0 O2 O3
#include "rgvector.hpp"
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

struct Item {
  std::string name;
  double value;
};
static double items(const double *x, int n) {
  std::vector<Item> all;
  for (int i = 0; i < n; ++i)
    all.push_back({"an item with a name of some length " + std::to_string(i), x[i]});
  double s = 0;
  for (const Item &item : all)
    if (item.name.back() != '3')
      s += item.value * item.value;
  return s * all.back().value;
}
static double shortNames(const double *x, int n) {
  std::vector<Item> all;
  for (int i = 0; i < n; ++i)
    all.push_back({std::string(i + 1, 'a' + i), x[i] * x[i]});
  Item copy = all[2], other;
  other = copy;
  all.erase(all.begin());
  return copy.value * all[0].value + other.value * double(other.name.size());
}
static double text(const double *x, int) {
  double s = 0;
  std::string name = "abc";
  name += "def";
  for (char c : name)
    s += (c - 'a') * x[0];
  if (name == "abcdef")
    s *= x[1];
  name.append(30, 'x');
  std::string_view tail = std::string_view(name).substr(3);
  return s * double(name.find('x')) + double(tail.size()) * x[2];
}
static double parsed(const double *x, int) {
  const std::string source = "2.5*x0 + 0.5*x1";
  double s = 0;
  for (std::size_t at = 0; at < source.size();) {
    std::size_t star = source.find('*', at);
    double factor = std::stod(source.substr(at, star - at));
    int which = source[star + 2] - '0';
    s += factor * x[which] * x[which];
    at = star + 3;
    while (at < source.size() && (source[at] == ' ' || source[at] == '+'))
      ++at;
  }
  return s;
}

int main() {
  check(items);
  check(shortNames);
  check(text);
  check(parsed);
  return rgReport();
}
