// The typed C++ interface.
//
// rg::gradient(f) is a function that returns derivatives with the types of the
// arguments: several as a tuple, a vector for a vector. Integers and
// rg::constant are not differentiated. A wrong use is an error at the line
// where it is.

#include <cmath>
#include <cstdio>
#include <retrograd/retrograd.hpp>

double product(double x, double y) { return x * x * y; }
double norm(const std::vector<double> &v) {
  double s = 0;
  for (double x : v)
    s += x * x;
  return std::sqrt(s);
}
std::array<double, 2> polar(const std::array<double, 2> &p) {
  return {p[0] * std::cos(p[1]), p[0] * std::sin(p[1])};
}

int main() {
  auto [dx, dy] = rg::gradient(product)(3.0, 2.0);
  std::printf("%g %g\n", dx, dy);
  std::printf("%g\n", rg::gradient(product)(3.0, rg::constant(2.0)));

  double scale = 10; // captured: constant
  std::printf("%g\n",
              rg::gradient([&](double x) { return scale * x * x; })(3.0));

  auto [value, d] = rg::value_and_gradient(norm)(std::vector<double>{3, 4});
  std::printf("%g: %g %g\n", value, d[0], d[1]);

  std::printf("%g\n", rg::jvp(product)(rg::dup(3.0, 1.0), rg::dup(2.0, 0.5)));

  auto J = rg::jacobian(polar)(std::array<double, 2>{2, 0});
  std::printf("%g %g / %g %g\n", J[0][0], J[0][1], J[1][0], J[1][1]);
}

// RUN: %rgcxx -O2 %s -o %t && %t | FileCheck %s --check-prefix=prints
// RUN: %rgcxx -O0 %s -o %t && %t | FileCheck %s --check-prefix=prints
// prints: 12 9
// prints: 12
// prints: 60
// prints: 5: 0.6 0.8
// prints: 16.5
// prints: 1 {{-?}}0 / 0 2
