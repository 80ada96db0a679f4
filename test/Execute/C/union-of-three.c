// Values of three kinds in a union, which LLVM may load as a number and make the pointer from its bits.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <string.h>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef struct {
  enum { NUMBER, INTEGER, TEXT } kind;
  union {
    double d;
    int i;
    const char *s;
  } u;
} value;
static double evaluate(const double *x, int n) {
  value v[5] = {{NUMBER, {.d = x[0]}}, {INTEGER, {.i = 3}}, {TEXT, {.s = "abc"}}, {NUMBER, {.d = x[1] * x[2]}}, {INTEGER, {.i = 2}}};
  double s = 1;
  for (int i = 0; i < 5; i++) {
    value c = v[(i * 2) % 5];
    switch (c.kind) {
    case NUMBER:
      s = s * c.u.d + c.u.d;
      break;
    case INTEGER:
      s *= c.u.i;
      break;
    case TEXT:
      s += strlen(c.u.s);
    }
  }
  return s * n;
}
int main(void) {
  double x[] = {0.9, 0.3, 1.4}, d[3] = {0}, v[3] = {0.3, -0.6, 1};
  __enzyme_autodiff((void *)evaluate, enzyme_dup, x, d, enzyme_const, 3);
  RG_GRADS(d, evaluate(x, 3), x, 3);
  RG_NEAR(__enzyme_fwddiff((void *)evaluate, enzyme_dup, x, v, enzyme_const, 3), 0.3 * d[0] - 0.6 * d[1] + d[2]);
  return rgReport();
}
int enzyme_dup, enzyme_const;
