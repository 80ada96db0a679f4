// Streams, strings, clocks and bit sets beside active values.
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

#include <bitset>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>
static double f1(double x) {
  std::ostringstream os;
  double s = 0;
  for (int i = 0; i < 3; ++i) {
    s += x * x * i;
    os << "s = " << std::setprecision(3) << s << ' ' << i << '\n';
  }
  std::string t = os.str();
  std::cerr << "" << std::flush;
  return s * t.size() * 0 + s;
}
static double f2(double x) {
  std::istringstream is("1.5 2.5 word 3");
  double a, b;
  std::string w;
  int n;
  is >> a >> b >> w >> n;
  return x * a + x * x * b * n + w.size() * x;
}
static double f3(double x) {
  char buf[64];
  std::snprintf(buf, sizeof buf, "%d:%g", 3, x);
  std::printf("%s", "");
  std::string s = buf;
  s += "tail";
  s = "head" + s.substr(0, 1) + std::to_string(7);
  auto pos = s.find("7");
  return x * x * (double)pos;
}
static double f4(double x) {
  auto t0 = std::chrono::steady_clock::now();
  double y = x * x;
  auto dt = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0)
                .count();
  std::bitset<8> b(37);
  b.set(1);
  b.flip(0);
  std::string_view sv = "hello world";
  sv.remove_prefix(6);
  return y * b.count() * sv.size() * (dt >= 0 ? 1 : 2);
}
static double f6(double x) {
  std::string s;
  for (int i = 0; i < 20; ++i)
    s.push_back('a' + i % 3);
  std::vector<double> w;
  for (char c : s)
    w.push_back(x * (c - 'a'));
  double r = 0;
  for (double d : w)
    r += d * d;
  return r + std::stoi("12") * x;
}
int main() {
  RG_UNARY(f1, .75);
  RG_UNARY(f2, .75);
  RG_UNARY(f3, .75);
  RG_UNARY(f4, .75);
  RG_UNARY(f6, .75);
  return rgReport();
}
