// RG-LEVELS: O0 O1 O2 O3 Os fast g
// A small vector class with overloaded operators, returned by value and chained:
// a ray hits a sphere.
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct Vec {
  double X, Y, Z;
  Vec operator+(const Vec &o) const { return {X + o.X, Y + o.Y, Z + o.Z}; }
  Vec operator-(const Vec &o) const { return {X - o.X, Y - o.Y, Z - o.Z}; }
  Vec operator*(double s) const { return {X * s, Y * s, Z * s}; }
  friend Vec operator*(double s, const Vec &v) { return v * s; }
  Vec operator-() const { return {-X, -Y, -Z}; }
  Vec &operator+=(const Vec &o) { return *this = *this + o; }
  double dot(const Vec &o) const { return X * o.X + Y * o.Y + Z * o.Z; }
  Vec cross(const Vec &o) const {
    return {Y * o.Z - Z * o.Y, Z * o.X - X * o.Z, X * o.Y - Y * o.X};
  }
  double norm() const { return std::sqrt(dot(*this)); }
  Vec normalized() const { return *this * (1 / norm()); }
  double &operator[](int i) { return i == 0 ? X : i == 1 ? Y : Z; }
};

static double shade(const Vec *origin, const Vec *center, double radius) {
  Vec direction = Vec{0.1, 0.05, 1}.normalized(), to = *center - *origin;
  double along = to.dot(direction), d2 = to.dot(to) - along * along;
  if (d2 > radius * radius)
    return 0.1 * d2;
  Vec hit = *origin + (along - std::sqrt(radius * radius - d2)) * direction;
  Vec n = (hit - *center).normalized(), light = -Vec{1, -2, 1}.normalized();
  double s = n.dot(light);
  for (int i = 0; i < 3; ++i)
    s += 0.1 * n[i] * hit[2 - i];
  n += n.cross(light) * 0.5;
  return s * n.norm();
}

int main() {
  Vec o = {0.1, -0.2, 0}, c = {0.5, 0.3, 4}, dO = {0, 0, 0}, dC = {0, 0, 0};
  for (double radius = 1.5; radius > 0; radius -= 1.4) {
    dO = dC = {0, 0, 0};
    double dr = __enzyme_autodiff((void *)shade, &o, &dO, &c, &dC, radius);
    RG_GRAD(dr, shade(&o, &c, radius), radius);
    for (int i = 0; i < 3; ++i) {
      RG_GRAD(dO[i], shade(&o, &c, radius), o[i]);
      RG_GRAD(dC[i], shade(&o, &c, radius), c[i]);
    }
    Vec v = {0, 1, 0}, zero = {0, 0, 0};
    RG_NEAR(__enzyme_fwddiff((void *)shade, &o, &v, &c, &zero, radius, 0.0), dO.Y);
  }
  return rgReport();
}
