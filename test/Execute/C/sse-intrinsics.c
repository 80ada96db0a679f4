// SSE and SSE2 intrinsics: loads and stores aligned and not, arithmetic,
// shuffles, min and max, square roots, compare-and-mask, horizontal sums.
#include "rgtest.h"
#include <emmintrin.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double dot(const double *a, const double *b, int n) {
  __m128d sum = _mm_setzero_pd();
  for (int i = 0; i + 1 < n; i += 2)
    sum = _mm_add_pd(sum, _mm_mul_pd(_mm_loadu_pd(a + i), _mm_loadu_pd(b + i)));
  sum = _mm_add_sd(sum, _mm_unpackhi_pd(sum, sum));
  return _mm_cvtsd_f64(sum);
}
static void normalize(double *x) {
  __m128d v = _mm_loadu_pd(x), q = _mm_mul_pd(v, v);
  __m128d s = _mm_add_pd(q, _mm_shuffle_pd(q, q, 1));
  _mm_storeu_pd(x, _mm_div_pd(v, _mm_sqrt_pd(s)));
}
static double normalized(const double *x) {
  double y[2] = {x[0], x[1]};
  normalize(y);
  return y[0] * 2 + y[1];
}
static double clamped(double x) {
  __m128d v = _mm_set_pd(x * x, x);
  v = _mm_max_pd(_mm_min_pd(v, _mm_set1_pd(2.0)), _mm_set1_pd(-1.0));
  __m128d big = _mm_cmpgt_pd(v, _mm_set1_pd(0.5));
  v = _mm_or_pd(_mm_and_pd(big, _mm_mul_pd(v, v)), _mm_andnot_pd(big, v));
  double out[2];
  _mm_storeu_pd(out, v);
  return out[0] + 3 * out[1];
}
static float floats(const float *x) {
  __m128 v = _mm_loadu_ps(x);
  __m128 w = _mm_shuffle_ps(v, v, _MM_SHUFFLE(0, 1, 2, 3));
  __m128 p = _mm_sub_ps(_mm_mul_ps(v, w), _mm_set1_ps(1.0f));
  p = _mm_add_ps(p, _mm_movehl_ps(p, p));
  p = _mm_add_ss(p, _mm_shuffle_ps(p, p, 1));
  return _mm_cvtss_f32(p);
}

int main(void) {
  double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, da[4] = {0}, db[4] = {0};
  __enzyme_autodiff((void *)dot, a, da, b, db, 4);
  for (int i = 0; i < 4; ++i) {
    RG_NEAR(da[i], b[i]);
    RG_NEAR(db[i], a[i]);
  }
  double x[2] = {3, -2}, dx[2] = {0}, v[2] = {1, 0};
  __enzyme_autodiff((void *)normalized, x, dx);
  RG_GRADS(dx, normalized(x), x, 2);
  RG_NEAR(__enzyme_fwddiff((void *)normalized, x, v), dx[0]);
  RG_UNARY(clamped, 0.3);
  RG_UNARY(clamped, 1.2);
  RG_UNARY(clamped, 2.5);
  RG_UNARY(clamped, -1.6);
  float __enzyme_autodiff_f(void *, ...);
  float f[4] = {1, 2, 3, 5}, df[4] = {0};
  __enzyme_autodiff_f((void *)floats, f, df);
  for (int i = 0; i < 4; ++i)
    RG_NEARF(df[i], 2 * f[3 - i]);
  return rgReport();
}
