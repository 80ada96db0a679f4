// Vector intrinsics of x86, up to AVX and FMA: the gradient of a scalar made of
// them, in every lane of the operands.
//
// REQUIRES: avx
// RG-LEVELS: O0 O2
// RG-FLAGS: -mavx -mfma
#include "rgtest.h"
#include <immintrin.h>

void __enzyme_autodiff(void *, ...);

static double sum4(__m256d v) { return v[0] + 2 * v[1] - v[2] + 3 * v[3]; }
static float sum8(__m256 v) {
  float s = 0;
  for (int i = 0; i < 8; ++i)
    s += v[i] * (float)(i + 1);
  return s;
}
static double sum2(__m128d v) { return 2 * v[0] - 3 * v[1]; }
static float sum4f(__m128 v) { return v[0] + 2 * v[1] - v[2] + 3 * v[3]; }

static double packed(const double *p) {
  __m256d a = _mm256_loadu_pd(p), b = _mm256_loadu_pd(p + 4);
  __m256d m = _mm256_min_pd(a, b), n = _mm256_max_pd(a, b);
  __m256d h = _mm256_hadd_pd(_mm256_mul_pd(m, n), _mm256_sqrt_pd(n));
  __m256d g = _mm256_hsub_pd(h, a), s = _mm256_addsub_pd(g, b);
  __m256d f = _mm256_fmaddsub_pd(a, b, s);
  return sum4(_mm256_blendv_pd(f, _mm256_mul_pd(m, m),
                               _mm256_cmp_pd(a, b, _CMP_LT_OQ)));
}
/** Not known at compile time, or LLVM makes its own intrinsic of the loads. */
long long Kept[4] = {-1, 0, -1, 0};

static double halves(const double *p) {
  __m128d a = _mm_loadu_pd(p), b = _mm_loadu_pd(p + 2);
  __m128d c = _mm_mul_pd(_mm_min_sd(a, b), _mm_max_pd(a, b));
  c = _mm_add_pd(c, _mm_dp_pd(a, b, 0x31));
  c = _mm_hadd_pd(c, _mm_addsub_pd(a, c));
  __m256i mask = _mm256_loadu_si256((const __m256i *)Kept);
  __m256d kept = _mm256_maskload_pd(p + 4, mask);
  double stored[4] = {p[0], p[1] * p[1], 1, 2};
  _mm256_maskstore_pd(stored, mask, _mm256_mul_pd(kept, kept));
  __m128 narrow = _mm256_cvtpd_ps(kept);
  return sum2(c) + stored[0] * stored[1] * stored[2] + narrow[2] +
         _mm_movemask_pd(a);
}
static float floats(const float *p) {
  __m256 a = _mm256_loadu_ps(p), b = _mm256_loadu_ps(p + 8);
  __m256 d = _mm256_dp_ps(a, b, 0xf3);
  __m256 h = _mm256_hadd_ps(_mm256_rsqrt_ps(a), _mm256_rcp_ps(b));
  __m128 low =
      _mm_hsub_ps(_mm256_castps256_ps128(a), _mm256_castps256_ps128(b));
  return sum8(_mm256_mul_ps(d, h)) + sum4f(_mm_mul_ps(low, _mm_rcp_ss(low)));
}
/** floats() with exact reciprocals, whose difference is smooth. */
static float smooth(const float *p) {
  __m256 a = _mm256_loadu_ps(p), b = _mm256_loadu_ps(p + 8);
  __m256 one = _mm256_set1_ps(1);
  __m256 d = _mm256_dp_ps(a, b, 0xf3);
  __m256 h = _mm256_hadd_ps(_mm256_div_ps(one, _mm256_sqrt_ps(a)),
                            _mm256_div_ps(one, b));
  __m128 low =
      _mm_hsub_ps(_mm256_castps256_ps128(a), _mm256_castps256_ps128(b));
  __m128 r = low;
  r[0] = 1 / low[0];
  return sum8(_mm256_mul_ps(d, h)) + sum4f(_mm_mul_ps(low, r));
}

int main(void) {
  double p[8] = {1.1, 2.3, 0.7, 3.1, 1.9, 0.6, 1.2, 2.2}, d[8] = {0},
         e[8] = {0};
  __enzyme_autodiff((void *)packed, p, d);
  RG_GRADS(d, packed(p), p, 8);
  __enzyme_autodiff((void *)halves, p, e);
  for (int i = 0; i < 8; ++i) {
    // Part of the sum is rounded to float.
    double old = p[i], h = 1e-2, f[4];
    const int at[4] = {1, -1, 2, -2};
    for (int k = 0; k < 4; ++k) {
      p[i] = old + at[k] * h;
      f[k] = halves(p);
    }
    p[i] = old;
    RG_WITHIN(e[i], (8 * (f[0] - f[1]) - (f[2] - f[3])) / (12 * h), 1e-4);
  }
  float q[16], g[16] = {0};
  for (int i = 0; i < 16; ++i)
    q[i] = 1 + 0.07f * (float)((i * 7) % 16);
  __enzyme_autodiff((void *)floats, q, g);
  for (int i = 0; i < 16; ++i) {
    double old = q[i], want = RG_DIFF(smooth(q), q[i]);
    q[i] = (float)old;
    RG_WITHIN(g[i], want, 2e-2);
  }
  return rgReport();
}
