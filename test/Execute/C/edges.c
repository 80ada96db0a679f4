// Edges of the domains, and branches that are not taken: conventions of
// docs/user/Kinks.md, exactly, in both modes.
// RG-LEVELS: O0 O1 O2 O3
#define _GNU_SOURCE // fmaxmag
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static int same(double A, double B) {
  if (A != A || B != B)
    return A != A && B != B;
  return A == B || fabs(A - B) <= 1e-12 * fabs(B);
}
#define AT(F, X, WANT)                                                         \
  do {                                                                         \
    double RgX = (X);                                                          \
    RG_TRUE(same(__enzyme_autodiff((void *)F, RgX), WANT));                    \
    RG_TRUE(same(__enzyme_fwddiff((void *)F, RgX, 1.0), WANT));                \
  } while (0)
#define AT2(F, X, Y, DX, DY)                                                   \
  do {                                                                         \
    double RgX[2] = {X, Y}, RgD[2] = {0, 0}, E0[2] = {1, 0}, E1[2] = {0, 1};   \
    __enzyme_autodiff((void *)F, RgX, RgD);                                    \
    RG_TRUE(same(RgD[0], DX));                                                 \
    RG_TRUE(same(RgD[1], DY));                                                 \
    RG_TRUE(same(__enzyme_fwddiff((void *)F, RgX, E0), DX));                   \
    RG_TRUE(same(__enzyme_fwddiff((void *)F, RgX, E1), DY));                   \
  } while (0)
#define UNARY(NAME)                                                            \
  static double NAME##1(double X) { return NAME(X); }
#define BINARY(NAME)                                                           \
  static double NAME##2(double *X) { return NAME(X[0], X[1]); }
UNARY(fabs)
UNARY(sqrt)
UNARY(cbrt)
UNARY(log)
UNARY(exp)
UNARY(asin)
UNARY(acos)
UNARY(floor)
UNARY(round)
BINARY(fmax)
BINARY(fmin)
BINARY(fmaximum_mag)
BINARY(fminimum_mag)
BINARY(fmaxmag)
BINARY(fminmag)
BINARY(pow)
BINARY(atan2)
BINARY(hypot)
BINARY(fmod)
BINARY(remainder)
BINARY(fdim)
BINARY(copysign)

// What the untaken side would compute is infinite or no number.
static double guardedRoot(double X) { return X > 0 ? sqrt(X) : 0; }
static double guardedLog(double X) {
  double R = 0;
  if (X > 0)
    R = log(X) * X;
  return R;
}
static double guardedQuotient(double X) { return X != 0 ? sin(X) / X : 1; }
static double hoisted(double X) {
  double S = sqrt(X), Q = 1 / X;
  return X > 0 ? S * Q : X;
}
static double guardedSquare(double X) {
  double Y = X * X;
  return Y == 0 ? 0 : sqrt(Y);
}
static double entropy(double X) {
  double P[2] = {X, 1 - X}, S = 0;
  for (int I = 0; I < 2; ++I)
    S += P[I] > 0 ? P[I] * log(P[I]) : 0;
  return S;
}
static double safeNorm(double *X) {
  double N = hypot(X[0], X[1]);
  return N > 0 ? X[0] / N : 0;
}
static double unused(double X) {
  volatile int Never = 0;
  double S = sqrt(X), R = X * X;
  if (Never)
    R += S;
  return R;
}
static double clamp(double X) { return fmin(fmax(X, 0.0), 1.0); }
static double larger(double *X) { return X[0] > X[1] ? X[0] : X[1]; }
static double square(double X) { return pow(X, 2.0); }
static double zeroth(double X) { return pow(X, 0.0); }
static double first(double X) { return pow(X, 1.0); }
static double half(double X) { return pow(X, 0.5); }
static double cube(double X) { return pow(X, 3.0); }
static double power(double X, int N) { return pow(X, N); }

int main(void) {
  const double Inf = INFINITY, NaN = NAN, Tiny = 0x1p-1074;
  AT(fabs1, 0.0, 0);
  AT(fabs1, -0.0, 0);
  AT(fabs1, -Inf, -1);
  AT(sqrt1, 0.0, Inf);
  AT(cbrt1, 0.0, Inf);
  AT(log1, 0.0, Inf);
  AT(asin1, 1.0, Inf);
  AT(acos1, 1.0, -Inf);
  AT(floor1, 1.0, 0);
  AT(round1, 0.5, 0);
  AT2(fmax2, 1, 1, 0.5, 0.5);
  AT2(fmin2, 1, 1, 0.5, 0.5);
  AT2(fmax2, NaN, 1, 0, 1);
  AT2(fmin2, 1, NaN, 1, 0);
  AT2(fmaximum_mag2, -2, -2, 0.5, 0.5);
  AT2(fmaximum_mag2, -2, 2, 0, 1);
  AT2(fminimum_mag2, -2, 2, 1, 0);
  AT2(fmaximum_mag2, NaN, 2, NaN, NaN);
  AT2(fmaxmag2, 2, -2, 1, 0);
  AT2(fmaxmag2, NaN, -2, 0, 1);
  AT2(fminmag2, 2, 2, 0.5, 0.5);
  AT2(larger, 1, 1, 0, 1);
  AT2(pow2, 0, 0, 0, 0);
  AT2(pow2, 0, 1, 1, 0);
  AT2(pow2, 0, 2, 0, 0);
  AT2(pow2, 0, 0.5, Inf, 0);
  AT2(pow2, 0, -1, -Inf, -Inf);
  AT2(pow2, 2, 0, 0, log(2));
  AT2(pow2, -2, 3, 12, NaN);
  AT2(atan22, 0, 0, 0, 0);
  AT2(atan22, 1, 0, 0, -1);
  AT2(atan22, 0, -1, -1, 0);
  AT2(hypot2, 0, 0, 0, 0);
  AT2(hypot2, 0, 2, 0, 1);
  AT2(fmod2, 6, 3, 1, -2);
  AT2(fmod2, -5, 3, 1, 1);
  AT2(remainder2, 5, 3, 1, -2);
  AT2(fdim2, 1, 1, 0, 0);
  AT2(copysign2, 0, 1, 0, 0);
  AT2(copysign2, -2, 1, -1, 0);
  AT(square, 0.0, 0);
  AT(zeroth, 0.0, 0);
  AT(first, 0.0, 1);
  AT(half, 0.0, Inf);
  AT(cube, 0.0, 0);
  AT(cube, -2.0, 12);
  double X = -2;
  RG_NEAR(__enzyme_autodiff((void *)power, X, 3), 12);
  X = 0;
  RG_NEAR(__enzyme_autodiff((void *)power, X, 1), 1);
  RG_NEAR(__enzyme_autodiff((void *)power, X, 0), 0);

  AT(guardedRoot, 0.0, 0);
  AT(guardedRoot, -1.0, 0);
  AT(guardedLog, 0.0, 0);
  AT(guardedLog, -1.0, 0);
  AT(guardedQuotient, 0.0, 0);
  AT(hoisted, 0.0, 1);
  AT(hoisted, -1.0, 1);
  AT(guardedSquare, 0.0, 0);
  AT(entropy, 0.0, -1);
  AT(entropy, 1.0, 1);
  AT2(safeNorm, 0, 0, 0, 0);
  AT(unused, 0.0, 0);
  AT(clamp, 0.0, 0.5);
  AT(clamp, 1.0, 0.5);
  AT(clamp, 2.0, 0);

  AT(sqrt1, Tiny, 0.5 / sqrt(Tiny));
  AT(sqrt1, Inf, 0);
  AT(log1, Inf, 0);
  AT(log1, 0x1p-1000, 0x1p1000);
  AT(exp1, 800.0, Inf);
  AT(exp1, -Inf, 0);
  AT2(hypot2, 1e300, 1e300, sqrt(0.5), sqrt(0.5));
  AT2(hypot2, 3e-320, 4e-320, 0.6, 0.8);
  AT2(atan22, 1e300, 1e300, 5e-301, -5e-301);
  return rgReport();
}
