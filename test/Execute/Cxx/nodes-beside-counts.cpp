// Trees, lists and syntax trees in unoptimised code: counts, characters and pointers of nodes
// lie where nodes of another kind have numbers.
// RG-LEVELS: O0 O1 O2
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <cctype>
#include <cmath>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
extern int enzyme_dup;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double sorted(double *x) {
  std::multiset<double> s(x, x + 4);
  double r = 0;
  for (double v : s)
    r = r * 0.7 + v;
  std::list<double> l(x, x + 4);
  l.sort();
  l.reverse();
  for (double v : l)
    r = r * 0.5 + v * v;
  return r;
}

using Values = std::map<std::string, double>;
struct Node {
  virtual ~Node() = default;
  virtual double eval(const Values &) const = 0;
};
using Tree = std::unique_ptr<Node>;
struct Number : Node {
  double v;
  explicit Number(double v) : v(v) {}
  double eval(const Values &) const override { return v; }
};
struct Variable : Node {
  std::string name;
  explicit Variable(std::string name) : name(std::move(name)) {}
  double eval(const Values &of) const override { return of.at(name); }
};
struct Binary : Node {
  char op; // where a Number has its value
  Tree a, b;
  Binary(char op, Tree a, Tree b) : op(op), a(std::move(a)), b(std::move(b)) {}
  double eval(const Values &of) const override {
    double p = a->eval(of), q = b->eval(of);
    return op == '+' ? p + q : op == '-' ? p - q : op == '*' ? p * q : p / q;
  }
};
struct Sine : Node {
  Tree a;
  explicit Sine(Tree a) : a(std::move(a)) {}
  double eval(const Values &of) const override { return std::sin(a->eval(of)); }
};
struct Parser {
  std::string text;
  size_t at = 0;
  char next() {
    while (at < text.size() && text[at] == ' ')
      ++at;
    return at < text.size() ? text[at] : 0;
  }
  Tree sum() {
    Tree left = product();
    for (char c = next(); c == '+' || c == '-'; c = next()) {
      ++at;
      left = std::make_unique<Binary>(c, std::move(left), product());
    }
    return left;
  }
  Tree product() {
    Tree left = factor();
    for (char c = next(); c == '*' || c == '/'; c = next()) {
      ++at;
      left = std::make_unique<Binary>(c, std::move(left), factor());
    }
    return left;
  }
  Tree factor() {
    char c = next();
    if (c == '(') {
      ++at;
      Tree inner = sum();
      next();
      ++at;
      return inner;
    }
    if (std::isdigit(c)) {
      size_t n = 0;
      double v = std::stod(text.substr(at), &n);
      at += n;
      return std::make_unique<Number>(v);
    }
    std::string name;
    while (at < text.size() && std::isalpha(text[at]))
      name += text[at++];
    if (name == "sin")
      return std::make_unique<Sine>(factor());
    return std::make_unique<Variable>(name);
  }
};
static double parsed(double *x) {
  Parser p{"sin(a*b)+ c*c/(2.5+d) - a"};
  Tree e = p.sum();
  Values of{{"a", x[0]}, {"b", x[1]}, {"c", x[2]}, {"d", x[3]}};
  double r = e->eval(of);
  of["a"] *= 2;
  return r * e->eval(of);
}

#define CHECK(F)                                                                           \
  do {                                                                                     \
    double x[4] = {0.3, 0.5, -0.7, 1.1}, d[4] = {0};                                       \
    __enzyme_autodiff((void *)F, enzyme_dup, x, d);                                        \
    for (int i = 0; i < 4; ++i) {                                                          \
      double e[4] = {0};                                                                   \
      e[i] = 1;                                                                            \
      double byDifferences = RG_DIFF(F(x), x[i]);                                          \
      RG_WITHIN(d[i], byDifferences, 1e-7);                                                \
      RG_WITHIN(__enzyme_fwddiff((void *)F, enzyme_dup, x, e), byDifferences, 1e-7);       \
    }                                                                                      \
  } while (0)

int main() {
  CHECK(sorted);
  CHECK(parsed);
  return rgReport();
}
