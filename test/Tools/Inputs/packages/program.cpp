#include <cstdio>
#include <retrograd/retrograd.hpp>

static double cube(double x) { return x * x * x; }

int main() {
  double slope = rg::gradient(cube)(2.0);
  std::printf("slope = %g\n", slope);
  return slope != 12;
}
