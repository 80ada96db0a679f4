// Recursive member functions and templates, generic lambdas that call
// themselves, a tree of owned nodes built and folded.
#include "rgtest.h"
#include <cmath>
#include <memory>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct Expr {
  char Op;
  double Value = 0;
  std::unique_ptr<Expr> A, B;
  double eval(double x) const {
    switch (Op) {
    case 'x': return x;
    case 'c': return Value;
    case '+': return A->eval(x) + B->eval(x);
    case '*': return A->eval(x) * B->eval(x);
    default: return std::sin(A->eval(x));
    }
  }
};
static std::unique_ptr<Expr> parse(const char *&p, double c) {
  auto e = std::make_unique<Expr>();
  e->Op = *p++;
  if (e->Op == 'c')
    e->Value = c;
  if (e->Op == '+' || e->Op == '*' || e->Op == 's')
    e->A = parse(p, c * 0.5);
  if (e->Op == '+' || e->Op == '*')
    e->B = parse(p, c + 1);
  return e;
}
static double tree(double x) {
  const char *text = "+*sxc*x+xc";
  return parse(text, x)->eval(x);
}
template <int Depth> static double halve(double lo, double hi) {
  double mid = 0.5 * (lo + hi);
  if constexpr (Depth == 0)
    return mid * mid;
  else
    return halve<Depth - 1>(lo, mid) * 0.5 + halve<Depth - 1>(mid, hi) * lo;
}
static double templated(double x) { return halve<3>(x, x * x); }
static double generic(double x, int n) {
  auto ackermannLike = [x](auto self, int k) -> double {
    return k <= 0 ? x : self(self, k - 1) * x + self(self, k - 2);
  };
  return ackermannLike(ackermannLike, n);
}

int main() {
  RG_UNARY(tree, 0.6);
  RG_UNARY(templated, 0.7);
  double x = 0.9;
  for (int n = 0; n < 6; ++n) {
    RG_GRAD(__enzyme_autodiff((void *)generic, x, n), generic(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)generic, x, 1.0, n), generic(x, n), x);
  }
  return rgReport();
}
