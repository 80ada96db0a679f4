// Structs with a long double are copied with the six bytes behind its ten, which
// hold nothing.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
#include <string.h>

struct point {
  float mass;
  double at[2];
  long double energy;
};
struct point points[3];

static double f(double a, int n) {
  for (int i = 0; i < 3; ++i) {
    points[i].mass = (float)a;
    points[i].at[0] = a * i;
    points[i].at[1] = a * a;
    points[i].energy = sqrtl(1.0L + a + i);
  }
  double s = 0;
  for (int i = 0; i < 3; ++i) {
    struct point p = points[(i + n) % 3];
    s += p.at[0] * p.at[1] + (double)p.energy;
    points[i] = p;
  }
  struct point all[3], *q = all;
  memcpy(all, points, sizeof all);
  for (int i = 0; i < n; ++i)
    ++q;
  return s + (double)(q->energy * q->at[1]) * points[2].at[0];
}

static double g(double a) { return f(a, 1); }
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int main(void) {
  RG_UNARY(g, 1.25);
  RG_UNARY(g, 0.5);
  return rgReport();
}
