// Leapfrog of gravitating bodies: an array of structs updated in place, a pair
// loop, energy at the end.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef struct { double x[3], v[3], mass; } Body;
#define N 4

static void kick(Body *b, int n, double h) {
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      double d[3], r2 = 0.5;
      for (int k = 0; k < 3; ++k) {
        d[k] = b[i].x[k] - b[j].x[k];
        r2 += d[k] * d[k];
      }
      double f = h / (r2 * sqrt(r2));
      for (int k = 0; k < 3; ++k) {
        b[i].v[k] -= d[k] * b[j].mass * f;
        b[j].v[k] += d[k] * b[i].mass * f;
      }
    }
}
static double simulate(const Body *in, int n, int steps) {
  Body b[N];
  for (int i = 0; i < n; ++i)
    b[i] = in[i];
  for (int t = 0; t < steps; ++t) {
    kick(b, n, 0.01);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k)
        b[i].x[k] += 0.01 * b[i].v[k];
  }
  double e = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k)
      e += 0.5 * b[i].mass * b[i].v[k] * b[i].v[k] + b[i].x[k] * (k + 1);
  return e;
}

int main(void) {
  Body b[N], d[N], v[N];
  memset(d, 0, sizeof d);
  memset(v, 0, sizeof v);
  for (int i = 0; i < N; ++i) {
    b[i].mass = 1 + 0.5 * i;
    for (int k = 0; k < 3; ++k) {
      b[i].x[k] = sin(3.0 * i + k);
      b[i].v[k] = 0.25 * cos(2.0 * i - k);
    }
  }
  __enzyme_autodiff((void *)simulate, b, d, N, 20);
  for (int i = 0; i < N; ++i) {
    RG_GRADS(d[i].x, simulate(b, N, 20), b[i].x, 3);
    RG_GRADS(d[i].v, simulate(b, N, 20), b[i].v, 3);
    RG_GRAD(d[i].mass, simulate(b, N, 20), b[i].mass);
  }
  v[1].x[2] = 1;
  RG_NEAR(__enzyme_fwddiff((void *)simulate, b, v, N, 20), d[1].x[2]);
  return rgReport();
}
