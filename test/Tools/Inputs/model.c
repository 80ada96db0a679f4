#include <math.h>
#include <stdio.h>

double energy(const double *x, int n, double k) {
  double e = 0;
  for (int i = 1; i < n; ++i)
    e += 0.5 * k * (x[i] - x[i - 1]) * (x[i] - x[i - 1]) + sin(x[i]);
  return e;
}

void relax(double *x, float *work, const int *order, int n) {
  for (int i = 0; i < n; ++i) {
    work[i] = (float)(x[order[i]] * 0.5);
    x[i] = x[i] * x[(i + 1) % n] + work[i];
  }
}

struct body {
  int id;
  double mass, at[2];
};
double moment(const struct body *b, int n) {
  double m = 0;
  for (int i = 0; i < n; ++i)
    m += b[i].mass * (b[i].at[0] * b[i].at[0] + b[i].at[1]) * (b[i].id + 1);
  return m;
}

double trace(const double *a, int n) {
  double t = 0;
  for (int i = 0; i < n; ++i)
    t += a[i * n + i] * a[i * n + i];
  return t;
}

double hinge(double x) { return fabs(x - 1); }
double logarithm(double x) { return log(x - 10); }
static double counter;
double counting(double x) { return x * ++counter; }
double deep(double **x) { return x[0][0]; }
int whole(double x) { return (int)x; }
double nothing(int n) { return n; }
void sink(double x) { (void)x; }
int main(void) {
  printf("the user's own main is not run\n");
  return 7;
}

/* Numbers of double precision outside, of float inside. */
double narrow(const double *x, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 0.7f + sinf((float)x[i]) * (float)x[i] + 0.1f * cosf(s);
  return s;
}
