// Index types that wrap or are narrow, bounds that are loaded, steps that vary,
// counts that come from data.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
int enzyme_const, enzyme_dup;
struct range { unsigned char from, to; unsigned step; };

static double downwards(const double *x, unsigned n) {
  double s = 0;
  for (unsigned i = n; i-- > 0;)
    s = s * 0.5 + x[i] * x[i];
  return s;
}
static double ranges(const double *x, const struct range *r, int n) {
  double s = 1;
  for (const struct range *p = r; p < r + n; ++p)
    for (unsigned char i = p->from; i < p->to; i = (unsigned char)(i + p->step))
      s = s * 0.75 + x[i] * s;
  return s;
}
static double doubling(const double *x, int n) {
  double s = 0;
  for (int w = 1, i = 0; i < n; i += w, w <<= 1)
    s += x[i] * x[i] * w;
  for (long long i = n - 1; i >= 0; i -= 2)
    s *= x[i];
  return s;
}
static double counted(const double *x, const int *count, int n) {
  double s = 0.5;
  for (int i = 0; i < n; ++i) {
    int k = count[i];
    while (k --> 0)
      s = s * x[i] + 0.25;
  }
  return s;
}

int main(void) {
  double x[8] = {1.5, 0.5, -1, 0.75, 2, 1.25, 0.25, 1}, d[8] = {0}, e[8] = {0}, g[8] = {0}, h[8] = {0};
  struct range r[3] = {{0, 5, 2}, {3, 3, 1}, {1, 8, 3}};
  int count[4] = {3, 0, 1, 5};
  __enzyme_autodiff((void *)downwards, x, d, 8u);
  RG_GRADS(d, downwards(x, 8), x, 8);
  __enzyme_autodiff((void *)ranges, x, e, enzyme_const, r, 3);
  RG_GRADS(e, ranges(x, r, 3), x, 8);
  __enzyme_autodiff((void *)doubling, x, g, 8);
  RG_GRADS(g, doubling(x, 8), x, 8);
  __enzyme_autodiff((void *)counted, x, h, enzyme_const, count, 4);
  RG_GRADS(h, counted(x, count, 4), x, 8);
  return rgReport();
}
