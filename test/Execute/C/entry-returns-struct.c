// RG-LEVELS: O0 O1 O2 O3 Os fast g
// Several active scalars: their adjoints come back as a struct, of two and three
// doubles, two and four floats, and of mixed kinds.
#include "rgtest.h"
struct d2 { double a, b; };
struct d3 { double a, b, c; };
struct f2 { float a, b; };
struct f4 { float a, b, c, d; };
struct mixed { double a; float b; };
struct fd { float a; double b; float c; };
struct d2 __enzyme_autodiff_d2(void *, ...);
struct d3 __enzyme_autodiff_d3(void *, ...);
struct f2 __enzyme_autodiff_f2(float (*)(float, float), float, float);
struct f4 __enzyme_autodiff_f4(float (*)(float, float, float, float), float,
                               float, float, float);
struct mixed __enzyme_autodiff_mixed(double (*)(double, float), double, float);
struct fd __enzyme_autodiff_fd(double (*)(float, double, float), float, double,
                               float);
int enzyme_const, enzyme_out, enzyme_dup;

static double two(double a, double b) { return a * a * b; }
static double three(double a, double b, double c) { return a * b * c + a; }
static float twof(float a, float b) { return a * b + b; }
static float fourf(float a, float b, float c, float d) { return a * b + c * c * d; }
static double mix(double a, float b) { return a * a * b; }
static double mixThree(float a, double b, float c) { return a * b + b * c * c; }
static double among(double a, const double *p, double b, int n, double c) {
  return a * p[0] + b * b * n + c * p[1];
}

int main(void) {
  struct d2 g2 = __enzyme_autodiff_d2((void *)two, 3.0, 5.0);
  RG_NEAR(g2.a, 30);
  RG_NEAR(g2.b, 9);
  struct d3 g3 = __enzyme_autodiff_d3((void *)three, 2.0, 3.0, 4.0);
  RG_NEAR(g3.a, 13);
  RG_NEAR(g3.b, 8);
  RG_NEAR(g3.c, 6);
  struct f2 h2 = __enzyme_autodiff_f2(twof, 2.0f, 3.0f);
  RG_NEARF(h2.a, 3);
  RG_NEARF(h2.b, 3);
  struct f4 h4 = __enzyme_autodiff_f4(fourf, 2, 3, 4, 5);
  RG_NEARF(h4.a, 3);
  RG_NEARF(h4.b, 2);
  RG_NEARF(h4.c, 40);
  RG_NEARF(h4.d, 16);
  struct mixed m = __enzyme_autodiff_mixed(mix, 3.0, 2.0f);
  RG_NEAR(m.a, 12);
  RG_NEARF(m.b, 9);
  struct fd s = __enzyme_autodiff_fd(mixThree, 2.0f, 3.0, 4.0f);
  RG_NEARF(s.a, 3);
  RG_NEAR(s.b, 18);
  RG_NEARF(s.c, 24);
  double p[2] = {7, 11}, dp[2] = {0};
  struct d3 g = __enzyme_autodiff_d3((void *)among, enzyme_out, 1.0, enzyme_dup,
                                     p, dp, enzyme_out, 2.0, 3, enzyme_out, 4.0);
  RG_NEAR(g.a, 7);
  RG_NEAR(g.b, 12);
  RG_NEAR(g.c, 11);
  RG_NEAR(dp[1], 4);
  struct d2 part = __enzyme_autodiff_d2((void *)three, 2.0, enzyme_const, 3.0, 4.0);
  RG_NEAR(part.a, 13);
  RG_NEAR(part.b, 6);
  return rgReport();
}
