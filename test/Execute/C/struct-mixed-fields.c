// RG-LEVELS: O0 O1 O2 O3 Os fast g
// A struct of int, char, float, double and pointers: only the floating fields
// have derivatives, whatever lies between them.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_dup;

struct body {
  int id;
  double mass;
  float charge;
  char name[3];
  double *position;
  short spin;
  long double width;
};

static double energy(const struct body *b, int n) {
  double e = 0;
  for (int i = 0; i < n; ++i) {
    double r2 = 0;
    for (int k = 0; k < 2; ++k)
      r2 += b[i].position[k] * b[i].position[k];
    e += b[i].mass * r2 * b[i].spin + b[i].charge * b[i].id;
    if (b[i].name[0] == 'w')
      e += (double)(b[i].width * b[i].mass);
  }
  return e;
}

int main(void) {
  double p[2][2] = {{1, 2}, {3, 4}}, dp[2][2] = {{0}};
  struct body b[2] = {{7, 1.5, 0.5f, "w1", p[0], 2, 3.0L},
                      {9, 2.5, -1.0f, "x2", p[1], -1, 4.0L}};
  struct body d[2] = {{0, 0, 0, "", dp[0], 0, 0}, {0, 0, 0, "", dp[1], 0, 0}};
  __enzyme_autodiff((void *)energy, enzyme_dup, b, d, enzyme_const, 2);
  for (int i = 0; i < 2; ++i) {
    RG_GRAD(d[i].mass, energy(b, 2), b[i].mass);
    RG_NEARF(d[i].charge, b[i].id);
    RG_GRAD((double)d[i].width, energy(b, 2), b[i].width);
    RG_GRADS(dp[i], energy(b, 2), p[i], 2);
    RG_TRUE(d[i].id == 0 && d[i].spin == 0 && d[i].position == dp[i]);
  }
  struct body v[2] = {{0, 1, 0, "", dp[0], 0, 0}, {0, 0, 0, "", dp[1], 0, 0}};
  memset(dp, 0, sizeof dp);
  RG_NEAR(__enzyme_fwddiff((void *)energy, b, v, 2), d[0].mass);
  return rgReport();
}
