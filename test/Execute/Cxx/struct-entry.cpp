// The entry call's own argument and result types as C++ classes: a gradient class
// with methods, references in the target's signature, const objects.
#include "rgtest.h"
template <typename R, typename... T> R __enzyme_autodiff(void *, T...);
template <typename R, typename... T> R __enzyme_fwddiff(void *, T...);
int enzyme_dup, enzyme_const, enzyme_out;

struct Gradient {
  double X, Y, Z;
  double norm2() const { return X * X + Y * Y + Z * Z; }
};
struct FloatPair {
  float A, B;
};
struct Point {
  double X, Y;
  Point operator*(double s) const { return {X * s, Y * s}; }
};

static double volume(double x, double y, double z) { return x * y * z; }
static float blend(float a, float b, float t) { return a * (1 - t) + b * t; }
static double distance2(Point p, Point q) {
  return (p.X - q.X) * (p.X - q.X) + (p.Y - q.Y) * (p.Y - q.Y);
}
static Point moved(Point p, double by) { return p * by; }
static double byReference(const double &x, const Point &p) { return x * p.X + p.Y * p.Y; }

int main() {
  auto g = __enzyme_autodiff<Gradient>((void *)volume, 2.0, 3.0, 5.0);
  RG_NEAR(g.X, 15);
  RG_NEAR(g.Y, 10);
  RG_NEAR(g.Z, 6);
  RG_NEAR(g.norm2(), 225 + 100 + 36);
  auto f = __enzyme_autodiff<FloatPair>((void *)blend, enzyme_out, 2.0f, enzyme_out,
                                        3.0f, enzyme_const, 0.25f);
  RG_NEARF(f.A, 0.75);
  RG_NEARF(f.B, 0.25);
  Point p{1, 2}, q{4, 6}, t{1, 0};
  RG_NEAR(__enzyme_fwddiff<double>((void *)distance2, p, t, q, t), 0);
  RG_NEAR(__enzyme_fwddiff<double>((void *)distance2, enzyme_dup, p, t, enzyme_const, q), -6);
  Point m = __enzyme_fwddiff<Point>((void *)moved, p, t, 2.0, 1.0);
  RG_NEAR(m.X, 2 + 1);
  RG_NEAR(m.Y, 2);
  double x = 3, dx = 0;
  Point dp{0, 0};
  __enzyme_autodiff<void>((void *)byReference, enzyme_dup, &x, &dx, enzyme_dup, &p, &dp);
  RG_NEAR(dx, 1);
  RG_NEAR(dp.X, 3);
  RG_NEAR(dp.Y, 4);
  return rgReport();
}
