// Small classes returned and passed by value between calls that are not inlined:
// pairs of floats, aggregates with padding, classes with constructors.
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#define NOINLINE __attribute__((noinline))

struct Uv {
  float U, V;
};
struct Hit {
  bool Valid;
  double T;
  Uv At;
};
class Angle {
  double Radians;

public:
  Angle(double r) : Radians(r) {}
  Angle(const Angle &o) : Radians(o.Radians) {} // not trivial: goes by pointer
  double sine() const { return std::sin(Radians); }
  NOINLINE Angle operator+(Angle o) const { return Angle(Radians + o.Radians); }
};

NOINLINE static Uv project(Uv a, double s) { return {float(a.U * s), a.V + a.U}; }
NOINLINE static Hit intersect(double x, Uv uv) {
  if (x < 0)
    return {false, 0, {0, 0}};
  return {true, x * x, project(uv, 2.0)};
}
static double hits(double x) {
  Hit h = intersect(x, {0.5f, 0.25f}), miss = intersect(-x, {1, 1});
  return (h.Valid ? h.T * x + h.At.U : 0) + (miss.Valid ? x : 2 * x) + miss.T;
}
static double angles(double x) {
  Angle a(x), b = a + a, c = b + Angle(x * x);
  return c.sine() * a.sine();
}
static double floats(double x) {
  Uv uv = project(project({float(x), 1.0f}, x), x); // U = x^3, V = 1 + x + x^2
  return double(uv.U) * uv.V;
}

int main() {
  RG_UNARY(hits, 0.75);
  RG_UNARY(hits, -0.75);
  RG_UNARY(angles, 0.75);
  double x = 0.75, want = 3 * x * x * (1 + x + x * x) + x * x * x * (1 + 2 * x);
  RG_WITHIN(__enzyme_autodiff((void *)floats, x), want, 1e-5);
  RG_WITHIN(__enzyme_fwddiff((void *)floats, x, 1.0), want, 1e-5);
  return rgReport();
}
