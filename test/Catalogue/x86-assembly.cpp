// RG-LEVELS: O0 O2
// REQUIRES: avx
// RG-FLAGS: -mavx -mfma
// Assembly that the catalogue knows as an intrinsic: minima, maxima and fused
// multiplication as Eigen spells them, and variables hidden from the optimiser.
#include "rgtest.h"
#include <immintrin.h>
double __enzyme_autodiff(void *, ...);
float __enzyme_autodifff(void *, ...);

template <class T> static T sseMin(T a, T b) {
  T r = b;
  if (sizeof(a[0]) == 8)
    asm("minpd %[a], %[r]" : [r] "+x"(r) : [a] "x"(a));
  else
    asm("minps %[a], %[r]" : [r] "+x"(r) : [a] "x"(a));
  return r;
}
static __m128d sseMax(__m128d a, __m128d b) {
  __m128d r = b;
  asm("maxpd %[a], %[r]" : [r] "+x"(r) : [a] "x"(a));
  return r;
}
static __m256d avxMax(__m256d a, __m256d b) {
  __m256d r;
  asm("vmaxpd %[a], %[b], %[r]" : [r] "=x"(r) : [a] "x"(a), [b] "x"(b));
  return r;
}
static __m128 avxMin(__m128 a, __m128 b) {
  __m128 r;
  asm("vminps %[a], %[b], %[r]" : [r] "=x"(r) : [a] "x"(a), [b] "x"(b));
  return r;
}
static __m256d fma(__m256d a, __m256d b, __m256d c) {
  asm("vfmadd231pd %[a], %[b], %[c]" : [c] "+x"(c) : [a] "x"(a), [b] "x"(b));
  return c;
}
template <class T> static void hide(T &x) { asm("" : "+m,x"(x)); }

static double doubles(const double *x) {
  __m128d r = sseMin(_mm_loadu_pd(x), _mm_loadu_pd(x + 2));
  __m128d s = sseMax(_mm_loadu_pd(x), _mm_loadu_pd(x + 2));
  hide(r);
  return 2 * r[0] + 3 * r[1] + 5 * s[0] + 7 * s[1];
}
static double wide(const double *x) {
  __m256d a = _mm256_loadu_pd(x), b = _mm256_set1_pd(2.5);
  __m256d m = fma(a, avxMax(a, b), b);
  return m[0] + m[1] * 2 + m[2] * 4 + m[3] * 8;
}
static float floats(const float *x) {
  __m128 a = _mm_loadu_ps(x), b = _mm_loadu_ps(x + 4);
  __m128 m = avxMin(a, b), n = sseMin(b, a);
  return m[0] + m[1] * 2 + m[2] * 4 + m[3] * 8 + 100 * (n[0] + n[3]);
}

int main() {
  // The second pair is a tie: the operand that is no destination is the result.
  double x[4] = {1, 4, 2, 4}, d[4] = {0};
  __enzyme_autodiff((void *)doubles, x, d);
  RG_NEAR(d[0], 2);
  RG_NEAR(d[2], 5);
  RG_NEAR(d[1], 3 + 7);
  RG_NEAR(d[3], 0);
  double y[4] = {1, 2, 3, 4}, e[4] = {0};
  __enzyme_autodiff((void *)wide, y, e);
  RG_GRADS(e, wide(y), y, 4);
  float f[8] = {1, 6, 3, 8, 5, 2, 7, 4}, g[8] = {0};
  __enzyme_autodifff((void *)floats, f, g);
  RG_NEARF(g[0], 101);
  RG_NEARF(g[5], 2);
  RG_NEARF(g[2], 4);
  RG_NEARF(g[7], 108);
  RG_NEARF(g[1] + g[3] + g[4] + g[6], 0);
  return rgReport();
}
