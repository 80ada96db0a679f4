// Rows through double **, a pointer chain of three, pointer tables built inside,
// and pointers kept in a struct that is swapped.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

static double rows(double **a, int n, int m) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s += a[i][j] * a[j % n][i % m];
  return s;
}
static double chain(double ***p) {
  **p[0] = **p[0] * **p[0];
  return **p[0] * p[0][1][0];
}
static double table(double x, int n) {
  double store[6], *order[6];
  for (int i = 0; i < n; ++i) {
    store[i] = x * (i + 1);
    order[n - 1 - i] = &store[i];
  }
  for (int i = 1; i < n; ++i)
    *order[i] += *order[i - 1] * *order[0];
  return *order[n - 1];
}
struct buffers { double *now, *next; };
static double pingPong(const double *in, int n, int steps) {
  double a[8], b[8];
  struct buffers s = {a, b};
  for (int i = 0; i < n; ++i)
    a[i] = b[i] = in[i];
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i + 1 < n; ++i)
      s.next[i] = s.now[i - 1] * 0.25 + s.now[i] * s.now[i] + 0.5 * s.now[i + 1];
    double *swap = s.now;
    s.now = s.next;
    s.next = swap;
  }
  return s.now[n / 2] * s.now[1];
}

int main(void) {
  double r0[3] = {1, 2, 3}, r1[3] = {4, 5, 6}, d0[3] = {0}, d1[3] = {0};
  double *a[2] = {r0, r1}, *d[2] = {d0, d1};
  __enzyme_autodiff((void *)rows, a, d, 2, 3);
  RG_GRADS(d0, rows(a, 2, 3), r0, 3);
  RG_GRADS(d1, rows(a, 2, 3), r1, 3);
  double x = 3, y = 5, dx = 0, dy = 0;
  double *l[2] = {&x, &y}, *dl[2] = {&dx, &dy}, **p = l, **dp = dl;
  __enzyme_autodiff((void *)chain, &p, &dp);
  RG_NEAR(dx, 30);
  RG_NEAR(dy, 9);
  double z = 0.75;
  RG_GRAD(__enzyme_autodiff((void *)table, z, 6), table(z, 6), z);
  RG_GRAD(__enzyme_fwddiff((void *)table, z, 1.0, 6), table(z, 6), z);
  double in[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, din[6] = {0};
  for (int steps = 0; steps < 4; ++steps) {
    memset(din, 0, sizeof din);
    __enzyme_autodiff((void *)pingPong, in, din, 6, steps);
    RG_GRADS(din, pingPong(in, 6, steps), in, 6);
  }
  return rgReport();
}
