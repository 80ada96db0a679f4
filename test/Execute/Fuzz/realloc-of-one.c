// Blocks end, for LLVM, where the program said, and not where malloc_usable_size
// says: a reallocation that copied what the allocator had rounded up to was
// undefined, and lost adjoints. (Seed camp1, programs 693, 892 and 1234.)
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

static double grown(const double *x, int n) {
  double *p = malloc(sizeof *p);
  p[0] = x[0] * x[1];
  p = realloc(p, 2 * sizeof *p);
  p[1] = x[0] * sin(x[1]);
  double r = p[0] * x[0] + p[n];
  free(p);
  return r;
}
static void gradient(const double *x, double *d, int n) {
  __enzyme_autodiff((void *)grown, enzyme_dup, x, d, n);
}

int main(void) {
  double x[2] = {1.25, 0.75};
  for (int n = 0; n < 2; ++n) {
    double t[2] = {0.5, -1}, d[2] = {0}, h[2] = {0};
    __enzyme_fwddiff((void *)gradient, enzyme_dup, x, t, enzyme_dup, d, h, n);
    for (int i = 0; i < 2; ++i) {
      RG_GRAD(d[i], grown(x, n), x[i]);
      double along = 0;
      for (int k = 0; k < 2; ++k) {
        double up[2] = {0};
        along += t[k] * RG_DIFF((up[0] = up[1] = 0, gradient(x, up, n), up[i]), x[k]);
      }
      RG_NEAR(h[i], along);
    }
  }
  return rgReport();
}
