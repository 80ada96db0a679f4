// Hooks that are not set, and that nothing in the program could be: calls that are made where the address is not null.
// RG-LEVELS: O0 O2
#include "rgtest.h"
extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct hooks {
  void (*say)(void *, const char *);
  void *context;
  int (*watch)(void *, const double *, double, int); // is told numbers
};
static double f(const double *x, int n, struct hooks *h) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += x[i] * x[i];
    if (h->say)
      h->say(h->context, "step");
    if (h->watch && h->watch(h->context, x, s, i))
      break;
  }
  return s;
}
int main(void) {
  double x[2] = {1, 2}, d[2] = {0}, t[2] = {3, 5};
  struct hooks h = {0, 0, 0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 2, enzyme_const, &h);
  RG_NEAR(d[0], 2);
  RG_NEAR(d[1], 4);
  RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_dup, x, t, enzyme_const, 2, enzyme_const, &h), 26);
  return rgReport();
}
