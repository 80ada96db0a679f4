// RG-LEVELS: O0 O2
// Functions of the user's whose names are parts of names of the compiler's own: nothing takes their derivatives for
// helpers.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

#define F(Name)                                                                                                    \
  __attribute__((noinline)) double Name(double x, int n) { return n > 0 ? x * x * Name(x, n - 1) : x; }
F(constant) F(inactive) F(primal) F(precision) F(kernel) F(deposit) F(dispatch) F(fixed) F(disjoint) F(unseen)

#define T(Name)                                                                                                    \
  RG_NEAR(__enzyme_autodiff((void *)Name, 2.0, 1), 12);                                                            \
  RG_NEAR(__enzyme_fwddiff((void *)Name, 2.0, 1.0, 1), 12);
int main(void) {
  T(constant) T(inactive) T(primal) T(precision) T(kernel) T(deposit) T(dispatch) T(fixed) T(disjoint) T(unseen)
  return rgReport();
}
