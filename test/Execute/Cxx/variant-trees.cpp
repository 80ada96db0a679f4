// Variants of numbers, strings and containers of themselves, moved by vectors that grow and copied with their maps. Which
// alternative they hold is one character, which their class declares.
#include "rgvector.hpp"
#include <map>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

struct Value {
  std::variant<double, std::string, std::vector<Value>, std::map<std::string, Value>> v;
};
static double eval(const Value &value) {
  return std::visit(
      [](auto &a) -> double {
        using T = std::decay_t<decltype(a)>;
        if constexpr (std::is_same_v<T, double>) {
          return a * a;
        } else if constexpr (std::is_same_v<T, std::string>) {
          return a.size();
        } else if constexpr (std::is_same_v<T, std::vector<Value>>) {
          double s = 1;
          for (auto &e : a)
            s *= eval(e);
          return s;
        } else {
          double s = 0;
          for (auto &[k, e] : a)
            s += eval(e) * k.size();
          return s;
        }
      },
      value.v);
}
static double tree(const double *x, int) {
  Value j{std::map<std::string, Value>{
      {"a", Value{x[0]}}, {"bb", Value{std::vector<Value>{Value{x[1]}, Value{x[2] * x[3]}, Value{std::string("four")}}}}}};
  Value k = j;
  std::get<3>(k.v)["ccc"] = Value{x[4]};
  return eval(j) * eval(k);
}
static double nested(const double *x, int n) {
  std::vector<Value> m;
  for (int i = 0; i < n; ++i)
    m.push_back(Value{x[i]});
  Value j{m};
  return eval(Value{std::vector<Value>{j, Value{x[0]}}});
}
static double grown(const double *x, int) {
  std::vector<std::variant<double, std::string, std::vector<double>>> m;
  m.push_back(x[0]);
  m.push_back("text");
  m.push_back(std::vector<double>{x[1], x[2]});
  auto c = m;
  double s = 1;
  for (auto &e : c)
    if (auto *d = std::get_if<0>(&e))
      s *= *d;
    else if (auto *v = std::get_if<2>(&e))
      s *= (*v)[0] + (*v)[1];
    else
      s *= std::get<1>(e).size();
  return s;
}
static double inMaps(const double *x, int) {
  using Item = std::variant<int, double, std::string, std::map<std::string, double>>;
  std::map<std::string, Item> m;
  m["i"] = 3;
  m["d"] = x[0];
  m["m"] = std::map<std::string, double>{{"p", x[1]}, {"q", x[2] * x[3]}};
  m["s"] = "text";
  auto c = m;
  c["d"] = std::get<double>(c["d"]) * x[4];
  double s = 0;
  for (auto &[k, v] : c)
    if (auto *d = std::get_if<double>(&v))
      s += *d * *d;
    else if (auto *t = std::get_if<3>(&v))
      for (auto &[name, d] : *t)
        s += d * d * std::get<int>(c["i"]);
  return s;
}
int main() {
  check(inMaps);
  check(tree);
  check(nested);
  check(grown);
  return rgReport();
}
