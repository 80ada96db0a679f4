// enzyme_byref, size, address: numbers, structs in registers, structs in memory.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
extern int enzyme_const, enzyme_dup, enzyme_out, enzyme_byref;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
float __enzyme_autodiff_f(void *, ...);
struct pair {
  double u, v;
};
struct triple {
  double u, v, w;
};
struct pair __enzyme_autodiff_pair(void *, ...);
struct triple __enzyme_autodiff_triple(void *, ...);
static double scaled(double x, long n) { return x * x * n; }
static float single(float x) { return x * x; }
static double ofPair(struct pair p) { return p.u * p.u * p.v; }
static double ofTriple(struct triple t) { return t.u * t.v * t.w; }
static double ofPointer(const double *x, double y) { return *x * *x * y; }

int main(void) {
  double x = 3;
  long n = 2;
  float s = 3;
  RG_NEAR(__enzyme_autodiff((void *)scaled, enzyme_byref, sizeof x, &x, enzyme_byref, sizeof n, &n), 12);
  RG_NEAR(__enzyme_autodiff((void *)scaled, enzyme_out, enzyme_byref, sizeof x, &x, n), 12);
  RG_NEARF(__enzyme_autodiff_f((void *)single, enzyme_byref, sizeof s, &s), 6);
  double t = 10;
  RG_NEAR(__enzyme_fwddiff((void *)scaled, enzyme_dup, enzyme_byref, sizeof x, &x, &t, n), 120);
  struct pair p = {2, 5};
  struct pair dp = __enzyme_autodiff_pair((void *)ofPair, enzyme_byref, sizeof p, &p);
  RG_NEAR(dp.u, 20);
  RG_NEAR(dp.v, 4);
  struct triple r = {2, 3, 5};
  struct triple dr = __enzyme_autodiff_triple((void *)ofTriple, enzyme_byref, sizeof r, &r);
  RG_NEAR(dr.u, 15);
  RG_NEAR(dr.w, 6);
  // The pointer itself given by its address.
  double d = 0, *px = &x, *pd = &d;
  RG_NEAR(__enzyme_autodiff((void *)ofPointer, enzyme_dup, enzyme_byref, sizeof px, &px, &pd, 2.0), 9);
  RG_NEAR(d, 12);
  return rgReport();
}
