// AVX-512: minima and maxima, rounding with a mask, approximations, conversions with a mask.
// REQUIRES: avx512
// RG-FLAGS: -mavx512f -mavx512dq -mavx512vl
#include "rgtest.h"
#include <immintrin.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double weighted(__m512d v) {
  double out[8], sum = 0;
  _mm512_storeu_pd(out, v);
  for (int i = 0; i < 8; ++i)
    sum += (i + 1) * out[i];
  return sum;
}
static double clamped(const double *x) {
  __m512d v = _mm512_loadu_pd(x), w = _mm512_mul_pd(v, v);
  return weighted(_mm512_max_pd(_mm512_min_pd(w, _mm512_set1_pd(1.5)), v));
}
static double clampedSome(const double *x) {
  __m512d v = _mm512_loadu_pd(x), w = _mm512_mul_pd(v, v);
  return weighted(_mm512_mask_max_pd(w, 0x5a, v, _mm512_set1_pd(0.7)));
}
// Lanes that are not rounded keep their derivative.
static double rounded(const double *x) {
  __m512d v = _mm512_loadu_pd(x), w = _mm512_mul_pd(v, _mm512_set1_pd(2.3));
  w = _mm512_mask_roundscale_pd(v, 0x33, w, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  return weighted(_mm512_mul_pd(_mm512_add_pd(w, _mm512_roundscale_pd(v, 0)), v));
}
static double roundedByCondition(const double *x) {
  __m512d v = _mm512_loadu_pd(x);
  __mmask8 large = _mm512_cmp_pd_mask(v, _mm512_set1_pd(0.9), _CMP_GT_OQ);
  return weighted(_mm512_mul_pd(_mm512_mask_floor_pd(v, large, v), v));
}
static double rounded256(const double *x) {
  __m256d v = _mm256_loadu_pd(x);
  double out[4];
  _mm256_storeu_pd(out, _mm256_mask_roundscale_pd(_mm256_mul_pd(v, v), 5, v, 0));
  return out[0] + 2 * out[1] + 3 * out[2] + 4 * out[3];
}
static double approximated(const double *x) {
  __m512d v = _mm512_loadu_pd(x), r = _mm512_rsqrt14_pd(v), q = _mm512_mask_rcp14_pd(v, 0xf0, v);
  // Two steps of Newton's make them exact.
  for (int i = 0; i < 2; ++i) {
    r = _mm512_mul_pd(r, _mm512_sub_pd(_mm512_set1_pd(1.5), _mm512_mul_pd(_mm512_mul_pd(v, _mm512_set1_pd(0.5)), _mm512_mul_pd(r, r))));
    q = _mm512_mask_mul_pd(q, 0xf0, q, _mm512_sub_pd(_mm512_set1_pd(2), _mm512_mul_pd(v, q)));
  }
  return weighted(_mm512_add_pd(r, q));
}
static double narrowed(const double *x) {
  __m512d v = _mm512_loadu_pd(x);
  __m256 f = _mm512_mask_cvtpd_ps(_mm256_set1_ps(0.5f), 0x77, _mm512_mul_pd(v, v));
  __m256i n = _mm512_cvtpd_epi32(v);
  return weighted(_mm512_mul_pd(_mm512_cvtps_pd(f), _mm512_cvtepi32_pd(n)));
}

// Sixteen floats, whose masks have 16 bits; lanes that a mask clears.
static double floats(const double *x) {
  __m512 v = _mm512_castpd_ps(_mm512_setzero_pd());
  v = _mm512_insertf32x8(v, _mm512_cvtpd_ps(_mm512_loadu_pd(x)), 0);
  v = _mm512_insertf32x8(v, _mm512_cvtpd_ps(_mm512_mul_pd(_mm512_loadu_pd(x), _mm512_set1_pd(1.45))), 1);
  __m512 low = _mm512_min_ps(v, _mm512_set1_ps(1.2f)), high = _mm512_maskz_max_ps(0x7fee, v, _mm512_set1_ps(0.9f));
  __m512 r = _mm512_maskz_rsqrt14_ps(0x5dbb, v), q = _mm512_mask_rcp14_ps(low, 0x3afd, v);
  // A step of Newton's each.
  r = _mm512_mul_ps(r, _mm512_sub_ps(_mm512_set1_ps(1.5f), _mm512_mul_ps(_mm512_mul_ps(v, _mm512_set1_ps(0.5f)), _mm512_mul_ps(r, r))));
  q = _mm512_mask_mul_ps(q, 0x3afd, q, _mm512_sub_ps(_mm512_set1_ps(2), _mm512_mul_ps(v, q)));
  __m512 whole = _mm512_maskz_roundscale_ps(0x1248, v, 0);
  __m512 sum = _mm512_add_ps(_mm512_mul_ps(low, high), _mm512_add_ps(_mm512_mul_ps(r, q), _mm512_mul_ps(whole, v)));
  return weighted(_mm512_add_pd(_mm512_cvtps_pd(_mm512_extractf32x8_ps(sum, 0)), _mm512_cvtps_pd(_mm512_extractf32x8_ps(sum, 1))));
}
// A mask that is computed, and widened from floats by it.
static double widened(const double *x) {
  __m512d v = _mm512_loadu_pd(x);
  __mmask8 large = _mm512_cmp_pd_mask(v, _mm512_set1_pd(0.9), _CMP_GT_OQ);
  __m256 f = _mm512_maskz_cvtpd_ps(large, v);
  return weighted(_mm512_mul_pd(_mm512_mask_cvt_roundps_pd(v, (__mmask8)~large, _mm256_mul_ps(f, f), _MM_FROUND_NO_EXC), v));
}

static void check(double (*f)(const double *), double reverse, double forward, const double *x, const double *t, double h) {
  double there[2], y[8];
  for (int s = 0; s < 2; ++s) {
    for (int i = 0; i < 8; ++i)
      y[i] = x[i] + (s ? -h : h) * t[i];
    there[s] = f(y);
  }
  RG_WITHIN(forward, reverse, 1e-4 * h); // floats where h is large
  RG_WITHIN((there[0] - there[1]) / (2 * h), reverse, h);
}
#define CHECK(F, H)                                                                                                    \
  {                                                                                                                    \
    double d[8] = {0}, along = 0;                                                                                      \
    __enzyme_autodiff((void *)F, x, d);                                                                                \
    for (int i = 0; i < 8; ++i)                                                                                        \
      along += d[i] * t[i];                                                                                            \
    check(F, along, __enzyme_fwddiff((void *)F, x, t), x, t, H);                                                       \
  }

int main(void) {
  double x[8] = {0.3, 1.7, 0.8, 2.2, 1.1, 0.6, 1.3, 0.95}, t[8] = {1, 0.5, -1, 2, 0.3, -0.7, 1, 0.2};
  CHECK(clamped, 1e-6)
  CHECK(clampedSome, 1e-6)
  CHECK(rounded, 1e-6)
  CHECK(roundedByCondition, 1e-6)
  CHECK(rounded256, 1e-6)
  CHECK(approximated, 1e-4)
  CHECK(narrowed, 1e-2)
  CHECK(floats, 1e-2)
  CHECK(widened, 1e-2)
  return rgReport();
}
