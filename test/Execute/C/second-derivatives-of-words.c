// Forward over reverse of words that are numbers or addresses by turns: where
// an adjoint is zero its tangent need not be. RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <string.h>
double __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

struct Word {
  long kind;
  union {
    double number;
    double *address;
  };
};
static double words(const double *x, int n) {
  struct Word a[4], b[4];
  double kept[4], s = 0;
  for (int i = 0; i < n; ++i) {
    a[i].kind = i % 2;
    if (i % 2) {
      a[i].number = x[i];
    } else {
      kept[i] = x[i];
      a[i].address = &kept[i];
    }
  }
  memcpy(b, a, (unsigned long)n * sizeof *a);
  for (int i = 0; i < n; ++i) {
    struct Word w = b[(i + 2) % n];
    s += w.kind ? w.number * w.number : *w.address * *w.address;
  }
  return s;
}
static void ofWords(const double *x, double *d) {
  __enzyme_autodiff((void *)words, enzyme_dup, x, d, enzyme_const, 4);
}
int main(void) {
  for (int k = 0; k < 4; ++k) {
    double x[4] = {0, 0, 1, 1}, d[4] = {0}, t[4] = {0}, td[4] = {0};
    t[k] = 1;
    __enzyme_fwddiff((void *)ofWords, enzyme_dup, x, t, enzyme_dup, d, td);
    for (int i = 0; i < 4; ++i)
      RG_NEAR(td[i], i == k ? 2 : 0);
  }
  return rgReport();
}
