// In split mode the program hands over the pointers that the frame of the first half keeps for the second: they are no frames, though the program's own calls are not
// written yet when empty tapes are looked for (lib/Polish/EmptyTapes.cpp). Blocks of the heap begin with rubbish.
// RG-LEVELS: O0 O1 O2 O3
// RG-SWITCHES: empty-tapes
#include "rgtest.h"
#include <malloc.h>
#include <math.h>
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
enum { N = 5 };
struct leaf {
  int tag;
  union {
    double d;
    long at;
  };
};
static double f(double *x, int n) {
  double w[N], s = 0;
  for (int i = 0; i < N; ++i)
    w[i] = x[i];
  struct leaf a[N], b[N];
  for (int i = 0; i < n; ++i) {
    a[i].tag = i % 2;
    if (a[i].tag)
      a[i].at = i + 1;
    else
      a[i].d = s * s * 0.5 + w[i];
    b[i] = a[i];
  }
  for (int i = 0; i < n; ++i) {
    struct leaf one = i % 3 ? a[i] : a[0];
    b[i] = one;
    a[i] = b[i];
  }
  for (int i = 0; i < n; ++i) {
    struct leaf q = a[i];
    s += 0.5 * tanh(q.tag ? (double)q.at * w[0] : q.d * (1.0 + i));
  }
  for (int i = 0; i < n; ++i)
    s += w[i] * w[i] * (i + 1);
  return s;
}
int main(void) {
  mallopt(M_PERTURB, 90);
  double x[N] = {-0.289, 0.515, -0.315, -0.839, 0.835}, d[N] = {0};
  void *tape = __enzyme_augmentfwd((void *)f, enzyme_dup, x, d, enzyme_const, N);
  __enzyme_reverse((void *)f, enzyme_dup, x, d, enzyme_const, N, 1.0, tape);
  for (int k = 0; k < N; ++k) {
    double t[N] = {0};
    t[k] = 1;
    RG_GRAD(d[k], f(x, N), x[k]);
    RG_NEAR(d[k], __enzyme_fwddiff((void *)f, enzyme_dup, x, t, enzyme_const, N));
  }
  return rgReport();
}
