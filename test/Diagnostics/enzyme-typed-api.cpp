// What <enzyme/enzyme> does not take is a static assertion that says what to
// write instead.
//
// RUN: not %rgcxx -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s
#include <enzyme/enzyme>
#include <vector>
static double f(double x) { return x; }
static std::vector<double> g(double x) { return {x}; }
static double ofVector(std::vector<double> v) { return v[0]; }
using namespace enzyme;
// CHECK: error: static assertion failed{{.*}}enzyme::Active is a number or struct by value
double reference(double x) { return get<0>(get<0>(autodiff<Reverse>(f, Active<double &>{x}))); }
// CHECK: error: static assertion failed{{.*}}enzyme::Duplicated is a reference or a pointer in reverse mode
void byValue(double x) { autodiff<Reverse>(f, Duplicated<double>{x, x}); }
// CHECK: error: static assertion failed{{.*}}enzyme::Active is for reverse mode
void activeInForward(double x) { autodiff<Forward>(f, Active<double>{x}); }
// CHECK: error: static assertion failed{{.*}}an argument of enzyme::autodiff is enzyme::Active, Duplicated
void plain(double x) { autodiff<Reverse>(f, x); }
// CHECK: error: static assertion failed{{.*}}needs a function that returns one floating-point number
void vectorResult(double x) { autodiff<Reverse, Active<double>>(g, Active{x}); }
// CHECK: error: static assertion failed{{.*}}enzyme::Active is a number or a struct of numbers
void vectorActive(std::vector<double> v) { autodiff<Reverse>(ofVector, Active{v}); }
// CHECK: error: static assertion failed{{.*}}the mode of enzyme::autodiff is
void mode(double x) { autodiff<int>(f, Const{x}); }
