/*===- device/libdevice.c - the functions of CUDA's device library -===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* Device code calls libdevice's names. Here they are the C library's functions where it
|* has them: at least as accurate as the device's, so the fast forms (__nv_fast_sinf) are
|* those, too. What the C library lacks is computed as noted.
\*===------------------------------------------------------------------------===*/
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t u32;
typedef uint64_t u64;
double exp10(double);
float exp10f(float);
void sincos(double, double *, double *);
void sincosf(float, float *, float *);

#define ONE(Name)                                                                                 \
  double __nv_##Name(double X) { return Name(X); }                                                \
  float __nv_##Name##f(float X) { return Name##f(X); }
#define TWO(Name)                                                                                 \
  double __nv_##Name(double X, double Y) { return Name(X, Y); }                                   \
  float __nv_##Name##f(float X, float Y) { return Name##f(X, Y); }
ONE(acos)
ONE(acosh)
ONE(asin)
ONE(asinh)
ONE(atan)
ONE(atanh)
ONE(cbrt)
ONE(ceil)
ONE(cos)
ONE(cosh)
ONE(erf)
ONE(erfc)
ONE(exp)
ONE(exp10)
ONE(exp2)
ONE(expm1)
ONE(fabs)
ONE(floor)
ONE(j0)
ONE(j1)
ONE(lgamma)
ONE(log)
ONE(log10)
ONE(log1p)
ONE(log2)
ONE(logb)
ONE(nearbyint)
ONE(rint)
ONE(round)
ONE(sin)
ONE(sinh)
ONE(sqrt)
ONE(tan)
ONE(tanh)
ONE(tgamma)
ONE(trunc)
ONE(y0)
ONE(y1)
TWO(atan2)
TWO(copysign)
TWO(fdim)
TWO(fmax)
TWO(fmin)
TWO(fmod)
TWO(hypot)
TWO(nextafter)
TWO(pow)
TWO(remainder)

double __nv_fma(double X, double Y, double Z) { return fma(X, Y, Z); }
float __nv_fmaf(float X, float Y, float Z) { return fmaf(X, Y, Z); }
int __nv_ilogb(double X) { return ilogb(X); }
int __nv_ilogbf(float X) { return ilogbf(X); }
double __nv_ldexp(double X, int N) { return ldexp(X, N); }
float __nv_ldexpf(float X, int N) { return ldexpf(X, N); }
double __nv_scalbn(double X, int N) { return scalbn(X, N); }
float __nv_scalbnf(float X, int N) { return scalbnf(X, N); }
double __nv_frexp(double X, int *N) { return frexp(X, N); }
float __nv_frexpf(float X, int *N) { return frexpf(X, N); }
double __nv_modf(double X, double *P) { return modf(X, P); }
float __nv_modff(float X, float *P) { return modff(X, P); }
double __nv_remquo(double X, double Y, int *Q) { return remquo(X, Y, Q); }
float __nv_remquof(float X, float Y, int *Q) { return remquof(X, Y, Q); }
long long __nv_llrint(double X) { return llrint(X); }
long long __nv_llrintf(float X) { return llrintf(X); }
long long __nv_llround(double X) { return llround(X); }
long long __nv_llroundf(float X) { return llroundf(X); }
double __nv_jn(int N, double X) { return jn(N, X); }
float __nv_jnf(int N, float X) { return jnf(N, X); }
double __nv_yn(int N, double X) { return yn(N, X); }
float __nv_ynf(int N, float X) { return ynf(N, X); }
double __nv_powi(double X, int N) { return pow(X, N); }
float __nv_powif(float X, int N) { return powf(X, (float)N); }
double __nv_nan(const signed char *T) { return nan(""); }
float __nv_nanf(const signed char *T) { return nanf(""); }
void __nv_sincos(double X, double *S, double *C) { *S = sin(X), *C = cos(X); }
void __nv_sincosf(float X, float *S, float *C) { *S = sinf(X), *C = cosf(X); }

float __nv_fast_sinf(float X) { return sinf(X); }
float __nv_fast_cosf(float X) { return cosf(X); }
float __nv_fast_tanf(float X) { return tanf(X); }
float __nv_fast_expf(float X) { return expf(X); }
float __nv_fast_exp10f(float X) { return exp10f(X); }
float __nv_fast_logf(float X) { return logf(X); }
float __nv_fast_log2f(float X) { return log2f(X); }
float __nv_fast_log10f(float X) { return log10f(X); }
float __nv_fast_powf(float X, float Y) { return powf(X, Y); }
float __nv_fast_fdividef(float X, float Y) { return X / Y; }
void __nv_fast_sincosf(float X, float *S, float *C) { *S = sinf(X), *C = cosf(X); }

/*===-- What the C library lacks ---------------------------------------------===*/

double __nv_rsqrt(double X) { return 1 / sqrt(X); }
float __nv_rsqrtf(float X) { return 1 / sqrtf(X); }
float __nv_frsqrt_rn(float X) { return (float)(1 / sqrt((double)X)); }
double __nv_rcbrt(double X) { return 1 / cbrt(X); }
float __nv_rcbrtf(float X) { return (float)(1 / cbrt((double)X)); }
double __nv_rhypot(double X, double Y) { return 1 / hypot(X, Y); }
float __nv_rhypotf(float X, float Y) { return 1 / hypotf(X, Y); }
double __nv_norm3d(double X, double Y, double Z) { return hypot(hypot(X, Y), Z); }
float __nv_norm3df(float X, float Y, float Z) { return (float)sqrt((double)X * X + (double)Y * Y + (double)Z * Z); }
double __nv_norm4d(double X, double Y, double Z, double W) { return hypot(hypot(X, Y), hypot(Z, W)); }
float __nv_norm4df(float X, float Y, float Z, float W) {
  return (float)sqrt((double)X * X + (double)Y * Y + (double)Z * Z + (double)W * W);
}
double __nv_rnorm3d(double X, double Y, double Z) { return 1 / __nv_norm3d(X, Y, Z); }
float __nv_rnorm3df(float X, float Y, float Z) { return 1 / __nv_norm3df(X, Y, Z); }
double __nv_rnorm4d(double X, double Y, double Z, double W) { return 1 / __nv_norm4d(X, Y, Z, W); }
float __nv_rnorm4df(float X, float Y, float Z, float W) { return 1 / __nv_norm4df(X, Y, Z, W); }
double __nv_norm(int N, const double *P) {
  double Norm = 0;
  for (int I = 0; I < N; ++I)
    Norm = hypot(Norm, P[I]);
  return Norm;
}
float __nv_normf(int N, const float *P) {
  double Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += (double)P[I] * P[I];
  return (float)sqrt(Sum);
}
double __nv_rnorm(int N, const double *P) { return 1 / __nv_norm(N, P); }
float __nv_rnormf(int N, const float *P) { return 1 / __nv_normf(N, P); }

/* Exact reduction to [-1/2, 1/2] before multiplying by pi. */
static const double Pi = 3.14159265358979323846;
double __nv_sinpi(double X) {
  double R = X - 2 * rint(X / 2);
  if (fabs(R) > 0.5)
    R = copysign(1, R) - R;
  return X == trunc(X) ? copysign(0.0, X) : sin(Pi * R);
}
double __nv_cospi(double X) {
  double R = fabs(X - 2 * rint(X / 2));
  return R == 0.5 ? 0 : R > 0.5 ? -cos(Pi * (1 - R)) : cos(Pi * R);
}
float __nv_sinpif(float X) { return (float)__nv_sinpi(X); }
float __nv_cospif(float X) { return (float)__nv_cospi(X); }
void __nv_sincospi(double X, double *S, double *C) { *S = __nv_sinpi(X), *C = __nv_cospi(X); }
void __nv_sincospif(float X, float *S, float *C) { *S = __nv_sinpif(X), *C = __nv_cospif(X); }

double __nv_normcdf(double X) { return 0.5 * erfc(-X * 0.70710678118654752440); }
float __nv_normcdff(float X) { return (float)__nv_normcdf(X); }

/* A root of erfc(Y) = P by Halley's method, from Winitzki's approximation; relative to
   P, so that small P keep their digits. */
double __nv_erfcinv(double P) {
  if (!(P > 0 && P < 2))
    return P == 0 ? INFINITY : P == 2 ? -INFINITY : NAN;
  double Q = P > 1 ? 2 - P : P, L = log(Q) + log(2 - Q), A = 2 / (Pi * 0.147) + L / 2;
  double Y = sqrt(fmax(sqrt(A * A - L / 0.147) - A, 0));
  for (int I = 0; I < 4; ++I) {
    double Error = erfc(Y) - Q, Slope = 1.12837916709551257390 * exp(-Y * Y);
    if (Slope == 0)
      break;
    double Step = Error / Slope;
    Y += Step / (1 + Y * Step);
  }
  return P > 1 ? -Y : Y;
}
double __nv_erfinv(double X) {
  if (fabs(X) > 0.5)
    return X > 0 ? __nv_erfcinv(1 - X) : -__nv_erfcinv(1 + X);
  double Y = X * 0.88622692545275801365;
  for (int I = 0; I < 6; ++I) {
    double Step = (erf(Y) - X) / (1.12837916709551257390 * exp(-Y * Y));
    Y -= Step / (1 + Y * Step);
  }
  return Y;
}
float __nv_erfcinvf(float P) { return (float)__nv_erfcinv(P); }
float __nv_erfinvf(float X) { return (float)__nv_erfinv(X); }
double __nv_normcdfinv(double P) { return -1.41421356237309504880 * __nv_erfcinv(2 * P); }
float __nv_normcdfinvf(float P) { return (float)__nv_normcdfinv(P); }

/* exp(x^2) erfc(x): the product with the square's rounding error made good; from 8 on Laplace's
   continued fraction. */
double __nv_erfcx(double X) {
  if (X < 8) {
    double Square = X * X, Low = fma(X, X, -Square);
    return exp(Square) * (1 + Low) * erfc(X);
  }
  double F = X;
  for (int K = 60; K > 0; --K)
    F = X + K / 2.0 / F;
  return 0.56418958354775628695 / F;
}
float __nv_erfcxf(float X) { return (float)__nv_erfcx(X); }

/* I0, I1: the power series while its terms do not lose digits, then the asymptotic one. */
static double besselI(int N, double X) {
  double A = fabs(X), Term, Sum;
  if (A < 30) {
    Term = N ? A / 2 : 1, Sum = Term;
    for (int K = 1; K < 200 && Term > 1e-17 * Sum; ++K)
      Sum += Term *= A * A / 4 / K / (K + N);
  } else {
    Term = 1, Sum = 1;
    for (int K = 1; K < 30; ++K) {
      double Odd = 2 * K - 1, Next = -Term * (4.0 * N * N - Odd * Odd) / (8 * A * K);
      if (fabs(Next) >= fabs(Term))
        break;
      Sum += Term = Next;
    }
    Sum *= exp(A) / sqrt(2 * Pi * A);
  }
  return N && X < 0 ? -Sum : Sum;
}
double __nv_cyl_bessel_i0(double X) { return besselI(0, X); }
double __nv_cyl_bessel_i1(double X) { return besselI(1, X); }
float __nv_cyl_bessel_i0f(float X) { return (float)besselI(0, X); }
float __nv_cyl_bessel_i1f(float X) { return (float)besselI(1, X); }

/*===-- Directed rounding -----------------------------------------------------===*/

#define ROUNDED(Suffix, Mode)                                                                     \
  ROUNDED_TYPE(Suffix, Mode, double, d, , fma, sqrt)                                              \
  ROUNDED_TYPE(Suffix, Mode, float, f, f, fmaf, sqrtf)
#define ROUND(Mode, T, Expression)                                                                \
  int Old = fegetround();                                                                         \
  fesetround(Mode);                                                                               \
  volatile T R = Expression;                                                                      \
  fesetround(Old);                                                                                \
  return R;
#define ROUNDED_TYPE(Suffix, Mode, T, L, F, Fma, Sqrt)                                            \
  T __nv_##L##add_##Suffix(T A, T B) { volatile T X = A, Y = B; ROUND(Mode, T, X + Y) }           \
  T __nv_##L##sub_##Suffix(T A, T B) { volatile T X = A, Y = B; ROUND(Mode, T, X - Y) }           \
  T __nv_##L##mul_##Suffix(T A, T B) { volatile T X = A, Y = B; ROUND(Mode, T, X * Y) }           \
  T __nv_##L##div_##Suffix(T A, T B) { volatile T X = A, Y = B; ROUND(Mode, T, X / Y) }           \
  T __nv_##L##rcp_##Suffix(T A) { volatile T X = A, Y = 1; ROUND(Mode, T, Y / X) }                \
  T __nv_##L##sqrt_##Suffix(T A) { volatile T X = A; ROUND(Mode, T, Sqrt(X)) }                    \
  T __nv_fma##F##_##Suffix(T A, T B, T C) { volatile T X = A, Y = B, Z = C; ROUND(Mode, T, Fma(X, Y, Z)) }
ROUNDED(rd, FE_DOWNWARD)
ROUNDED(ru, FE_UPWARD)
ROUNDED(rz, FE_TOWARDZERO)
#define NEAREST(T, L, F, Fma, Sqrt)                                                               \
  T __nv_##L##add_rn(T A, T B) { return A + B; }                                                  \
  T __nv_##L##sub_rn(T A, T B) { return A - B; }                                                  \
  T __nv_##L##mul_rn(T A, T B) { return A * B; }                                                  \
  T __nv_##L##div_rn(T A, T B) { return A / B; }                                                  \
  T __nv_##L##rcp_rn(T A) { return 1 / A; }                                                       \
  T __nv_##L##sqrt_rn(T A) { return Sqrt(A); }                                                    \
  T __nv_fma##F##_rn(T A, T B, T C) { return Fma(A, B, C); }
NEAREST(double, d, , fma, sqrt)
NEAREST(float, f, f, fmaf, sqrtf)
/* Denormal numbers are what they are here. */
#define IEEE(Mode) \
  float __nv_fmaf_ieee_##Mode(float A, float B, float C) { return __nv_fmaf_##Mode(A, B, C); }
IEEE(rn) IEEE(rd) IEEE(ru) IEEE(rz)

/* Conversions saturate, and NaN is 0 (for 64 bits of float input: the most negative number). */
#define TO_INT(From, T, FT, Round, Min, Max, Low, High, Nan)                                      \
  T __nv_##From(FT A) {                                                                           \
    double X = Round((double)A);                                                                  \
    return X != X ? (T)Nan : X <= Low ? Min : X >= High ? Max : (T)X;                             \
  }
#define TO_INTS(FT, Prefix)                                                                       \
  TO_MODES(Prefix##2int, int, FT, INT32_MIN, INT32_MAX, -0x1p31, 0x1p31, 0)                       \
  TO_MODES(Prefix##2uint, u32, FT, 0u, UINT32_MAX, 0.0, 0x1p32, 0)                                \
  TO_MODES(Prefix##2ll, long long, FT, INT64_MIN, INT64_MAX, -0x1p63, 0x1p63, INT64_MIN)          \
  TO_MODES(Prefix##2ull, unsigned long long, FT, 0ull, UINT64_MAX, 0.0, 0x1p64, 0x8000000000000000ull)
#define TO_MODES(Name, T, FT, Min, Max, Low, High, Nan)                                           \
  TO_INT(Name##_rn, T, FT, rint, Min, Max, Low, High, Nan)                                        \
  TO_INT(Name##_rd, T, FT, floor, Min, Max, Low, High, Nan)                                       \
  TO_INT(Name##_ru, T, FT, ceil, Min, Max, Low, High, Nan)                                        \
  TO_INT(Name##_rz, T, FT, trunc, Min, Max, Low, High, Nan)
TO_INTS(float, float)
TO_INTS(double, double)
#define FROM(Name, T, FT)                                                                         \
  T __nv_##Name##_rn(FT A) { return (T)A; }                                                       \
  T __nv_##Name##_rd(FT A) { volatile FT X = A; ROUND(FE_DOWNWARD, T, (T)X) }                     \
  T __nv_##Name##_ru(FT A) { volatile FT X = A; ROUND(FE_UPWARD, T, (T)X) }                       \
  T __nv_##Name##_rz(FT A) { volatile FT X = A; ROUND(FE_TOWARDZERO, T, (T)X) }
FROM(int2float, float, int)
FROM(uint2float, float, u32)
FROM(ll2float, float, long long)
FROM(ull2float, float, unsigned long long)
FROM(ll2double, double, long long)
FROM(ull2double, double, unsigned long long)
FROM(double2float, float, double)
double __nv_int2double_rn(int A) { return A; }
double __nv_uint2double_rn(u32 A) { return A; }

/*===-- Integers and bits -------------------------------------------------------===*/

#define BITS(Name, T, FT)                                                                         \
  T __nv_##Name(FT A) {                                                                           \
    T R;                                                                                          \
    memcpy(&R, &A, sizeof R);                                                                     \
    return R;                                                                                     \
  }
BITS(float_as_int, int, float)
BITS(float_as_uint, u32, float)
BITS(int_as_float, float, int)
BITS(uint_as_float, float, u32)
BITS(double_as_longlong, long long, double)
BITS(longlong_as_double, double, long long)
static u64 bitsOf(double A) { return (u64)__nv_double_as_longlong(A); }
int __nv_double2hiint(double A) { return (int)(bitsOf(A) >> 32); }
int __nv_double2loint(double A) { return (int)bitsOf(A); }
double __nv_hiloint2double(int H, int L) { return __nv_longlong_as_double((long long)((u64)(u32)H << 32 | (u32)L)); }
int __nv_abs(int A) { return A < 0 ? (int)-(u32)A : A; }
long long __nv_llabs(long long A) { return A < 0 ? (long long)-(u64)A : A; }
int __nv_min(int A, int B) { return A < B ? A : B; }
int __nv_max(int A, int B) { return A > B ? A : B; }
u32 __nv_umin(u32 A, u32 B) { return A < B ? A : B; }
u32 __nv_umax(u32 A, u32 B) { return A > B ? A : B; }
long long __nv_llmin(long long A, long long B) { return A < B ? A : B; }
long long __nv_llmax(long long A, long long B) { return A > B ? A : B; }
u64 __nv_ullmin(u64 A, u64 B) { return A < B ? A : B; }
u64 __nv_ullmax(u64 A, u64 B) { return A > B ? A : B; }
int __nv_mulhi(int A, int B) { return (int)((int64_t)A * B >> 32); }
u32 __nv_umulhi(u32 A, u32 B) { return (u32)((u64)A * B >> 32); }
long long __nv_mul64hi(long long A, long long B) { return (long long)((__int128)A * B >> 64); }
u64 __nv_umul64hi(u64 A, u64 B) { return (u64)((unsigned __int128)A * B >> 64); }
int __nv_mul24(int A, int B) { return (int)((u32)(A << 8 >> 8) * (u32)(B << 8 >> 8)); }
u32 __nv_umul24(u32 A, u32 B) { return (A & 0xffffff) * (B & 0xffffff); }
int __nv_sad(int A, int B, int C) { return (int)((A < B ? (u32)B - (u32)A : (u32)A - (u32)B) + (u32)C); }
u32 __nv_usad(u32 A, u32 B, u32 C) { return (A < B ? B - A : A - B) + C; }
int __nv_hadd(int A, int B) { return (int)(((int64_t)A + B) >> 1); }
int __nv_rhadd(int A, int B) { return (int)(((int64_t)A + B + 1) >> 1); }
u32 __nv_uhadd(u32 A, u32 B) { return (u32)(((u64)A + B) >> 1); }
u32 __nv_urhadd(u32 A, u32 B) { return (u32)(((u64)A + B + 1) >> 1); }
int __nv_popc(int A) { return __builtin_popcount((u32)A); }
int __nv_popcll(long long A) { return __builtin_popcountll((u64)A); }
int __nv_clz(int A) { return A ? __builtin_clz((u32)A) : 32; }
int __nv_clzll(long long A) { return A ? __builtin_clzll((u64)A) : 64; }
int __nv_ffs(int A) { return __builtin_ffs(A); }
int __nv_ffsll(long long A) { return __builtin_ffsll(A); }
int __nv_brev(int A) { return (int)__builtin_bitreverse32((u32)A); }
long long __nv_brevll(long long A) { return (long long)__builtin_bitreverse64((u64)A); }
int __nv_byte_perm(int A, int B, int S) {
  u64 Bytes = (u64)(u32)B << 32 | (u32)A;
  u32 R = 0;
  for (int I = 0; I < 4; ++I)
    R |= (u32)(Bytes >> 8 * ((u32)S >> 4 * I & 7) & 0xff) << 8 * I;
  return (int)R;
}
float __nv_saturatef(float A) { return A > 0 ? A < 1 ? A : 1 : 0; }
int __nv_signbitd(double A) { return __builtin_signbit(A) != 0; }
int __nv_signbitf(float A) { return __builtin_signbit(A) != 0; }
int __nv_isnand(double A) { return A != A; }
int __nv_isnanf(float A) { return A != A; }
int __nv_isinfd(double A) { return __builtin_isinf(A) != 0; }
int __nv_isinff(float A) { return __builtin_isinf(A) != 0; }
int __nv_isfinited(double A) { return __builtin_isfinite(A) != 0; }
int __nv_finitef(float A) { return __builtin_isfinite(A) != 0; }
float __nv_half2float(unsigned short H) {
  _Float16 X;
  memcpy(&X, &H, 2);
  return (float)X;
}
unsigned short __nv_float2half_rn(float F) {
  _Float16 X = (_Float16)F;
  unsigned short H;
  memcpy(&H, &X, 2);
  return H;
}

/*===-- NVVM's intrinsics ---------------------------------------------------------===*/

void rg_nvvm_membar_cta(void) {}
void rg_nvvm_membar_gl(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void rg_nvvm_membar_sys(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void rg_nvvm_nanosleep(u32 N) {}
u64 rg_nvvm_read_ptx_sreg_clock64(void) { return __builtin_readcyclecounter(); }
u32 rg_nvvm_read_ptx_sreg_clock(void) { return (u32)__builtin_readcyclecounter(); }
u64 rg_nvvm_read_ptx_sreg_globaltimer(void) { return __builtin_readcyclecounter(); }
float rg_nvvm_sqrt_rn_f(float X) { return sqrtf(X); }
float rg_nvvm_sqrt_approx_f(float X) { return sqrtf(X); }
double rg_nvvm_sqrt_rn_d(double X) { return sqrt(X); }
float rg_nvvm_rsqrt_approx_f(float X) { return 1 / sqrtf(X); }
double rg_nvvm_rsqrt_approx_d(double X) { return 1 / sqrt(X); }
float rg_nvvm_sin_approx_f(float X) { return sinf(X); }
float rg_nvvm_cos_approx_f(float X) { return cosf(X); }
float rg_nvvm_ex2_approx_f(float X) { return exp2f(X); }
float rg_nvvm_lg2_approx_f(float X) { return log2f(X); }
float rg_nvvm_sqrt_approx_ftz_f(float X) { return sqrtf(X); }
float rg_nvvm_rsqrt_approx_ftz_f(float X) { return 1 / sqrtf(X); }
float rg_nvvm_sin_approx_ftz_f(float X) { return sinf(X); }
float rg_nvvm_cos_approx_ftz_f(float X) { return cosf(X); }
float rg_nvvm_lg2_approx_ftz_f(float X) { return log2f(X); }
float rg_nvvm_ex2_approx_f32(float X) { return exp2f(X); }
float rg_nvvm_ex2_approx_ftz_f32(float X) { return exp2f(X); }
float rg_nvvm_tanh_approx_f(float X) { return tanhf(X); }
float rg_nvvm_rcp_rn_f(float X) { return 1 / X; }
float rg_nvvm_rcp_approx_ftz_f(float X) { return 1 / X; }
double rg_nvvm_rcp_rn_d(double X) { return 1 / X; }
float rg_nvvm_div_rn_f(float X, float Y) { return X / Y; }
float rg_nvvm_div_approx_f(float X, float Y) { return X / Y; }
double rg_nvvm_div_rn_d(double X, double Y) { return X / Y; }
float rg_nvvm_saturate_f(float X) { return X > 0 ? X < 1 ? X : 1 : 0; }
u32 rg_nvvm_prmt(u32 A, u32 B, u32 S) {
  u64 Bytes = (u64)B << 32 | A;
  u32 R = 0;
  for (int I = 0; I < 4; ++I) {
    u32 Byte = (u32)(Bytes >> 8 * (S >> 4 * I & 7) & 0xff);
    if (S >> (4 * I + 3) & 1)
      Byte = Byte & 0x80 ? 0xff : 0;
    R |= Byte << 8 * I;
  }
  return R;
}
u32 rg_nvvm_fns(u32 Mask, u32 Base, int Offset) {
  if (Offset == 0)
    return Mask >> (Base & 31) & 1 ? Base : ~0u;
  int Step = Offset > 0 ? 1 : -1, Left = Offset > 0 ? Offset : -Offset;
  for (int At = (int)Base; At >= 0 && At < 32; At += Step)
    if (Mask >> At & 1 && --Left == 0)
      return (u32)At;
  return ~0u;
}

/* Which memory a pointer leads to: the runtime knows what lies where. */
int rg_cuda_is_shared(const void *);
int rg_cuda_is_local(const void *);
_Bool rg_nvvm_isspacep_shared(const void *P) { return rg_cuda_is_shared(P); }
_Bool rg_nvvm_isspacep_local(const void *P) { return rg_cuda_is_local(P); }
_Bool rg_nvvm_isspacep_global(const void *P) { return !rg_cuda_is_shared(P) && !rg_cuda_is_local(P); }
_Bool rg_nvvm_isspacep_const(const void *P) { return 0; }
