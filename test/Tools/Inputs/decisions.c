/* What has no derivative where a number decides: one function each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

double copied(double x, double y) {
  double s = 0;
  for (int i = 0; i < 4; ++i)
    s += copysign(x, sin(y * 1e5 + i)); /* line 9 */
  return s;
}

double bits(double x) {
  double t = sin(40000 * x) + 2, u = sin(40000 * x);
  long long b;
  memcpy(&b, &u, 8);
  if (b < 0) /* line 17: the sign, as an integer */
    return -2 * t;
  return 3 * t;
}

double divided(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * fmod(x[i], i == 2 ? 1e-4 : 7); /* line 25: the third time */
  return s;
}

double exponent(double x) {
  double s = 0;
  for (int i = 0; i < 2000; ++i) {
    int e;
    s += frexp(x * (1 + i * 1e-3), &e); /* line 33 */
  }
  return s;
}

static const double table[4] = {1, 2, 3, 4};
static double look(double t) {
  int k = (int)(t * 100000); /* line 40 */
  return table[k & 3];
}
double lookup(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += i == 2 ? look(x[i]) : x[i] * x[i];
  return s;
}

struct pair {
  double a, b;
};
static double pick(struct pair p) {
  switch ((int)(p.a * 3e5) % 3) { /* line 54, in a function with a struct by value */
  case 0:
    return p.b;
  case 1:
    return 2 * p.b;
  default:
    return p.a;
  }
}
double picked(double a, double b) {
  struct pair p = {a, b};
  return pick(p) + a;
}

double unwritten(const double *x, int n) {
  double *w = malloc((n + 1) * sizeof *w), s = 0; /* line 69: its last element is never written */
  for (int i = 0; i < n; ++i)
    w[i] = x[i] * x[i];
  for (int i = 0; i <= n; ++i)
    s += w[i];
  free(w);
  return s;
}
