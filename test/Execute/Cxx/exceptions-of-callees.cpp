// Exceptions that virtual functions throw below active values, with texts made of
// strings: asking an exception for its text needs no derivative, since nothing has
// written numbers into it.
// RG-LEVELS: O0 O1 O2
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
using Values = std::map<std::string, double>;
struct Node {
  virtual double eval(const Values &) const = 0;
  virtual ~Node() = default;
};
struct Constant : Node {
  double value;
  explicit Constant(double value) : value(value) {}
  double eval(const Values &) const override { return value; }
};
struct Variable : Node {
  std::string name;
  explicit Variable(std::string name) : name(std::move(name)) {}
  double eval(const Values &of) const override {
    auto it = of.find(name);
    if (it == of.end())
      throw std::out_of_range("unbound " + name);
    return it->second;
  }
};
static double sum(double x) {
  double s = 0;
  for (const char *name : {"x", "y", "x"}) {
    try {
      std::unique_ptr<Node> e = std::make_unique<Variable>(name);
      s += e->eval({{"x", x * x}}) * x;
      e = std::make_unique<Constant>(x);
      s *= e->eval({});
    } catch (const std::exception &e) {
      s += x * std::string(e.what()).size();
    }
  }
  return s;
}
int main() {
  RG_UNARY(sum, .8);
  return rgReport();
}
