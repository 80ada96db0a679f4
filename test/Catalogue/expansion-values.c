// The routines that stand for library routines with several results compute what
// the library computes: the primal values of a program must not change because
// it is differentiated. Values only; derivatives are in the tests beside.
//
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
// RG-FLAGS: -I%root/runtime
#define _GNU_SOURCE
#include "expansions.c"
#include "rgtest.h"
#include <complex.h>
#undef I

#define SAME(GOT, WANT, TOL)                                                   \
  do {                                                                         \
    _Complex long double Got = (GOT), Want = (WANT);                           \
    if (__real__ Got != __real__ Want) /* may both be infinite */              \
      RG_WITHIN(__real__ Got, __real__ Want, TOL);                             \
    if (__imag__ Got != __imag__ Want)                                         \
      RG_WITHIN(__imag__ Got, __imag__ Want, TOL);                             \
  } while (0)

#define ONE(NAME)                                                              \
  SAME(rg_expand_##NAME(Z), NAME(Z), 1e-14);                                   \
  SAME(rg_expand_##NAME##f((float _Complex)Z), NAME##f((float _Complex)Z),     \
       3e-6);                                                                  \
  SAME(rg_expand_##NAME##l(Z), NAME##l(Z), 1e-14)

static void complexFunctions(double Re, double Im) {
  double _Complex Z = MAKE(Re, Im), W = MAKE(0.7, -1.2);
  ONE(creal);
  ONE(cimag);
  ONE(cabs);
  ONE(carg);
  ONE(conj);
  ONE(cproj);
  ONE(csqrt);
  ONE(cexp);
  ONE(csin);
  ONE(ccos);
  ONE(ctan);
  ONE(csinh);
  ONE(ccosh);
  ONE(ctanh);
  ONE(casin);
  ONE(cacos);
  ONE(casinh);
  ONE(cacosh);
  if (Re != 0 || Im != 0) {
    ONE(clog);
    ONE(clog10);
    ONE(catan);
    ONE(catanh);
    SAME(rg_expand_cpow(Z, W), cpow(Z, W), 1e-13);
    SAME(rg_expand_cpowf(Z, W), cpowf(Z, W), 1e-5);
    SAME(rg_expand_divdc3(0.3, -2, Re, Im), MAKE(0.3, -2.0) / Z, 1e-14);
    SAME(rg_expand_divsc3(0.3f, -2, Re, Im), MAKE(0.3f, -2.0f) / (float _Complex)Z,
         1e-5);
  }
  SAME(rg_expand_muldc3(0.3, -2, Re, Im), MAKE(0.3, -2.0) * Z, 1e-15);
  SAME(rg_expand_mulxc3(0.3L, -2, Re, Im), MAKE(0.3L, -2.0L) * Z, 1e-15);
}

static void pairs(double X) {
  double A, B, C;
  int I, J;
  rg_expand_sincos(X, &A, &B);
  RG_NEAR(A, sin(X));
  RG_NEAR(B, cos(X));
  RG_TRUE(rg_expand_modf(X, &A) == modf(X, &B) && A == B);
  RG_TRUE(rg_expand_frexp(X, &I) == frexp(X, &J) && I == J);
  C = lgamma_r(X, &J);
  RG_TRUE(rg_expand_lgamma_r(X, &I) == C && (I == J || C == INFINITY));
  const double Ys[] = {0.7, -3, 1e-3, 250};
  for (int K = 0; K < 4; ++K) {
    A = rg_expand_remquo(X, Ys[K], &I);
    B = remquo(X, Ys[K], &J);
    RG_TRUE(A == B && (I - J) % 8 == 0);
  }
}

int main(void) {
  const double Points[] = {0, 0.25, 1, -0.4, 2.5, -3.75, 0.999, -1, 12};
  for (int I = 0; I < 9; ++I)
    for (int J = 0; J < 9; ++J)
      complexFunctions(Points[I], Points[J]);
  const double Reals[] = {0.3, -0.3, 1, -2, 7.75, -12.5, 1e10, 3e-310};
  for (int I = 0; I < 8; ++I)
    pairs(Reals[I]);
  // Annex G at infinities, and no overflow on the way.
  SAME(rg_expand_csqrt(MAKE(1e308, 1e308)), csqrt(MAKE(1e308, 1e308)) , 1e-14);
  RG_TRUE(__builtin_isinf(creal(rg_expand_muldc3(INFINITY, 1, 1, 1))));
  RG_TRUE(rg_expand_divdc3(1, 1, INFINITY, 0) == 0);
  SAME(rg_expand_divdc3(1e300, 1e300, 2e300, 1e300), MAKE(0.6, 0.2), 1e-14);
  return rgReport();
}
