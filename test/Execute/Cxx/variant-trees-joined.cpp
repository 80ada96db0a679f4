// A variant of numbers, strings and pointers, moved from tree to tree: where the source reads a pointer of the word
// that all of them share, LLVM may join it in one register with a pointer that it knows.
// RG-LEVELS: O0 O1 O2 O3
// RG-FLAGS: -std=c++17
#include "rgvector.hpp"
#include <memory>
#include <string>
#include <variant>
#include <vector>

struct Pair;
struct Call;
using Tree = std::variant<double, std::string, std::unique_ptr<Pair>, std::unique_ptr<Call>>;
struct Pair {
  char op;
  Tree left, right;
};
struct Call {
  std::vector<Tree> args;
};
static double value(const Tree &t, const double *x) {
  switch (t.index()) {
  case 0:
    return std::get<0>(t);
  case 1:
    return x[std::get<1>(t).size()];
  case 2: {
    const Pair &p = *std::get<2>(t);
    const double l = value(p.left, x), r = value(p.right, x);
    return p.op == '+' ? l + r : l * r;
  }
  }
  double s = 0;
  for (auto &a : std::get<3>(t)->args)
    s += value(a, x);
  return s * s;
}
static Tree pair(char op, Tree l, Tree r) { return std::make_unique<Pair>(Pair{op, std::move(l), std::move(r)}); }
static double inTrees(const double *x, int n) {
  auto call = std::make_unique<Call>();
  call->args.push_back(Tree(x[0]));
  call->args.push_back(pair('*', std::string("y"), x[n - 1]));
  return value(pair('+', pair('*', std::string("xy"), x[1]), std::move(call)), x);
}

int main() {
  check(inTrees);
  return rgReport();
}
