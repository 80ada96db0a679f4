// Handlers in threads of a team: what they catch lives until the reverse sweep has read it.
// RG-LEVELS: O0 O2
// RG-FLAGS: -fopenmp
#include "rgopenmp.h"
struct Number {
  double v, w;
};
__attribute__((noinline)) static double root(double v) {
  if (v < 0.775)
    throw Number{v * v, v};
  return sqrt(v);
}
static double loop(const double *x, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i)
    try {
      s += root(x[i]);
    } catch (const Number &e) {
      s += e.v * e.w;
    }
  return s;
}
int main() {
  POINT;
  CHECK(loop);
  return rgReport();
}
