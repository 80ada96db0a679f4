// Each wrong use of the typed API is one error, at the user's own line.
// RUN: not %rgcxx -std=c++17 -fsyntax-only -Wno-unused -ferror-limit=0 %s 2>&1 | FileCheck %s --implicit-check-not=" error: "
#include <retrograd/retrograd.hpp>
#include <string>
double twice(double x, double y) { return x * x * y; }
int counted(double x) { return x; }
void nothing(double x) {}
double memory(const double *p, int n);
double text(const std::string &);
void test(double *p, const double *cp) {
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: only a function, a lambda or an object with a call operator can be differentiated
  double a = rg::gradient(3.0)(1.0);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the function cannot be called with these arguments
  double b = rg::gradient(twice)(1.0);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the function cannot be called with these arguments
  double c = rg::gradient(twice)(1.0, 2.0, 3.0);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a pointer must be wrapped: rg::dup(p, dp) with its shadow, or rg::constant(p)
  rg::gradient(memory)(p, 3);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: an argument of this type cannot be differentiated
  rg::gradient(text)(std::string("x"));
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the function must return one floating-point number
  double d = rg::gradient(counted)(1.0);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the function must return one floating-point number
  rg::gradient(nothing)(1.0);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the shadow in rg::dup(p, dp) must not be const where the argument is not
  rg::gradient(memory)(rg::dup(p, cp), 3);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: reverse mode adds derivatives to the shadow in rg::dup(x, dx), so it must be a variable
  rg::gradient(twice)(rg::dup(1.0, 2.0), 3.0);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: rg::jvp needs a direction
  double e = rg::jvp(twice)(1.0, rg::dup(2.0, 1.0));
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the shadow in rg::dup(x, dx) must have the type of the argument
  rg::gradient(memory)(rg::dup(p, 1.0f), 3);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the seed of rg::vjp must have the type of the function's result
  rg::vjp(twice)(1.0, 2.0)("seed");
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the function must return a floating-point number, or a std::array
  rg::vjp(counted)(1.0)(1.0);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a Jacobian is taken by the first argument
  rg::jacobian(twice)(1.0, 2.0);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the first argument of a Jacobian must be a floating-point number
  rg::jacobian(memory)(p, rg::constant(2));
  double v = 1;
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: rg::hvp takes the arguments of the function and then a direction for each
  rg::hvp(twice)(1.0, 2.0, 3.0);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a direction of rg::hvp must have the type of its argument
  rg::hvp(twice)(1.0, 2.0, 1.0, 0);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the function cannot be called with these arguments
  rg::hvp(twice)(1.0, 1.0);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a pointer must be wrapped
  rg::hvp(memory)(p, 3, p);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: rg::hvp returns a product for each argument in rg::dup(x, v)
  rg::hvp(memory)(rg::dup(p, p), 3);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the function must return one floating-point number to have a Hessian
  rg::hvp(counted)(1.0, 1.0);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: an argument of this type cannot be differentiated
  rg::hvp(text)(std::string("x"), std::string("v"));
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a Hessian is taken by the first argument
  rg::hessian(twice)(1.0, v);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the first argument of a Hessian must be a floating-point number
  rg::hessian(memory)(p, 2);
  // CHECK: typed-api.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the function must return one floating-point number to have a Hessian
  rg::hessian(nothing)(1.0);
}
// CHECK: 25 errors generated
