// RG-LEVELS: O0 O2 O3
// What else can be said of functions: inactive, like a known one, allocating.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

// Inactive: with a body, without, and one that writes.
double level(double x) { return x * x; }
double remote(double x);
__asm__(".globl remote\n.type remote,@function\nremote: addsd %xmm0, %xmm0\nret\n");
static double last;
static void note(double x) { last = x; }
void *__enzyme_inactivefn[] = {(void *)level, (void *)remote};
void *__enzyme_inactivefn_note = (void *)note;
double f1(double x) {
  note(x);
  return level(x) * x + remote(x) * x;
}

// Like a known function.
double mylog1p(double x);
__asm__(".globl mylog1p\n.set mylog1p, log1p\n");
double mypow(double x, double y) { return 0 * x * y; } // the body does not matter
void *__enzyme_function_like_mylog1p[] = {(void *)mylog1p, (void *)"log1p"};
static void *__enzyme_function_like_mypow[] = {(void *)mypow, (void *)"pow"};
double f2(double x) { return mylog1p(x) * mylog1p(2 * x); }
double f3(double x, double y) { return mypow(x, y); }

// An allocator of one's own.
static int live;
void *pool_alloc(int tag, size_t n) {
  ++live;
  double *p = malloc(n);
  for (size_t i = 0; i < n / 8; i++)
    p[i] = 1e300; // not zero
  return p;
}
void pool_free(void *p) {
  --live;
  free(p);
}
void *__enzyme_allocation_like_pool[] = {(void *)pool_alloc, (void *)1, (void *)"-1", (void *)pool_free};
void *__enzyme_nofree_level[] = {(void *)level};
void *__enzyme_shouldrecompute_level[] = {(void *)level};
double f4(double x, int n) {
  double *a = pool_alloc(7, n * sizeof *a), s = 0;
  for (int i = 0; i < n; i++)
    a[i] = x * i;
  for (int i = 0; i < n; i++)
    s += a[i] * a[n - 1 - i];
  pool_free(a);
  return s;
}

int main(void) {
  double x = 0.8, y = 1.4;
  RG_NEAR(__enzyme_autodiff((void *)f1, x), x * x + 2 * x);
  RG_NEAR(__enzyme_fwddiff((void *)f1, x, 1.0), x * x + 2 * x);
  RG_NEAR(last, x);
  RG_GRAD(__enzyme_autodiff((void *)f2, x), f2(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)f2, x, 1.0), f2(x), x);
  RG_NEAR(__enzyme_autodiff((void *)mylog1p, x), 1 / (1 + x));
  RG_NEAR(__enzyme_fwddiff((void *)f3, x, 1.0, y, 0.0), y * pow(x, y - 1));
  RG_GRAD(__enzyme_autodiff((void *)f4, x, 5), f4(x, 5), x);
  RG_GRAD(__enzyme_fwddiff((void *)f4, x, 1.0, 5), f4(x, 5), x);
  RG_TRUE(live == 0);
  return rgReport();
}
