//===- cuda_fp16.h - half precision -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// __half and __half2 over _Float16: arithmetic in half precision, rounded once, as on a
// device. Functions have CUDA's names.
//
#ifndef RETROGRAD_CUDA_FP16_H
#define RETROGRAD_CUDA_FP16_H

#include "cuda_runtime.h"

#define RG_HALF static __inline__ __host__ __device__

struct __half {
  _Float16 Value;
  __half() = default;
  __host__ __device__ constexpr __half(_Float16 V) : Value(V) {}
  __host__ __device__ constexpr __half(float V) : Value((_Float16)V) {}
  __host__ __device__ constexpr __half(double V) : Value((_Float16)V) {}
  __host__ __device__ constexpr __half(int V) : Value((_Float16)V) {}
  __host__ __device__ constexpr __half(unsigned V) : Value((_Float16)V) {}
  __host__ __device__ constexpr __half(long long V) : Value((_Float16)V) {}
  __host__ __device__ operator float() const { return (float)Value; }
  __host__ __device__ __half &operator=(float V) { return Value = (_Float16)V, *this; }
};
struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ constexpr __half2(__half X, __half Y) : x(X), y(Y) {}
};
typedef __half half;
typedef __half2 half2;

RG_HALF float __half2float(__half A) { return (float)A.Value; }
RG_HALF __half __float2half(float A) { return __half(A); }
RG_HALF __half __float2half_rn(float A) { return __half(A); }
RG_HALF __half __double2half(double A) { return __half(A); }
RG_HALF __half __int2half_rn(int A) { return __half(A); }
RG_HALF int __half2int_rz(__half A) { return (int)A.Value; }
RG_HALF unsigned short __half_as_ushort(__half A) {
  unsigned short R;
  __builtin_memcpy(&R, &A, 2);
  return R;
}
RG_HALF __half __ushort_as_half(unsigned short A) {
  __half R;
  __builtin_memcpy(&R, &A, 2);
  return R;
}
#define RG_HALF_OP(Op, Name)                                                              \
  RG_HALF __half operator Op(__half A, __half B) { return __half((_Float16)(A.Value Op B.Value)); }   \
  RG_HALF __half &operator Op##=(__half &A, __half B) { return A = A Op B; }              \
  RG_HALF __half Name(__half A, __half B) { return A Op B; }                              \
  RG_HALF __half2 operator Op(__half2 A, __half2 B) { return __half2(A.x Op B.x, A.y Op B.y); }       \
  RG_HALF __half2 Name##2(__half2 A, __half2 B) { return A Op B; }
RG_HALF_OP(+, __hadd)
RG_HALF_OP(-, __hsub)
RG_HALF_OP(*, __hmul)
#undef RG_HALF_OP
RG_HALF __half operator/(__half A, __half B) { return __half((_Float16)(A.Value / B.Value)); }
RG_HALF __half __hdiv(__half A, __half B) { return A / B; }
RG_HALF __half2 __h2div(__half2 A, __half2 B) { return __half2(A.x / B.x, A.y / B.y); }
RG_HALF __half operator-(__half A) { return __half((_Float16)-A.Value); }
RG_HALF __half __hneg(__half A) { return -A; }
RG_HALF __half __habs(__half A) { return A.Value < (_Float16)0 ? -A : A; }
RG_HALF __half __hfma(__half A, __half B, __half C) { return __half((_Float16)__builtin_fma((double)(float)A, (double)(float)B, (double)(float)C)); }
RG_HALF __half2 __hfma2(__half2 A, __half2 B, __half2 C) { return __half2(__hfma(A.x, B.x, C.x), __hfma(A.y, B.y, C.y)); }
#define RG_HALF_COMPARE(Op, Name)                                                         \
  RG_HALF bool operator Op(__half A, __half B) { return A.Value Op B.Value; }             \
  RG_HALF bool Name(__half A, __half B) { return A.Value Op B.Value; }
RG_HALF_COMPARE(==, __heq)
RG_HALF_COMPARE(!=, __hne)
RG_HALF_COMPARE(<, __hlt)
RG_HALF_COMPARE(<=, __hle)
RG_HALF_COMPARE(>, __hgt)
RG_HALF_COMPARE(>=, __hge)
#undef RG_HALF_COMPARE
RG_HALF bool __hisnan(__half A) { return A.Value != A.Value; }
RG_HALF __half __hmax(__half A, __half B) { return __hisnan(A) || A < B ? B : A; }
RG_HALF __half __hmin(__half A, __half B) { return __hisnan(A) || B < A ? B : A; }
RG_HALF __half2 __floats2half2_rn(float A, float B) { return __half2(__half(A), __half(B)); }
RG_HALF __half2 __float2half2_rn(float A) { return __floats2half2_rn(A, A); }
RG_HALF __half2 __float22half2_rn(float2 A) { return __floats2half2_rn(A.x, A.y); }
RG_HALF float2 __half22float2(__half2 A) { return make_float2((float)A.x, (float)A.y); }
RG_HALF __half2 __half2half2(__half A) { return __half2(A, A); }
RG_HALF __half2 __halves2half2(__half A, __half B) { return __half2(A, B); }
RG_HALF __half2 make_half2(__half A, __half B) { return __half2(A, B); }
RG_HALF __half __low2half(__half2 A) { return A.x; }
RG_HALF __half __high2half(__half2 A) { return A.y; }
RG_HALF float __low2float(__half2 A) { return (float)A.x; }
RG_HALF float __high2float(__half2 A) { return (float)A.y; }
#define RG_HALF_MATH(Name, Single)                                                        \
  __RG_DEVICE__ __half h##Name(__half A) { return __half(Single((float)A)); }             \
  __RG_DEVICE__ __half2 h2##Name(__half2 A) { return __half2(h##Name(A.x), h##Name(A.y)); }
RG_HALF_MATH(sqrt, sqrtf)
RG_HALF_MATH(rsqrt, rsqrtf)
RG_HALF_MATH(exp, expf)
RG_HALF_MATH(exp2, exp2f)
RG_HALF_MATH(log, logf)
RG_HALF_MATH(log2, log2f)
RG_HALF_MATH(sin, sinf)
RG_HALF_MATH(cos, cosf)
RG_HALF_MATH(floor, floorf)
RG_HALF_MATH(ceil, ceilf)
RG_HALF_MATH(trunc, truncf)
RG_HALF_MATH(rint, rintf)
#undef RG_HALF_MATH
#define RG_HALF_EXCHANGE(T)                                                               \
  __RG_DEVICE__ T __shfl_sync(unsigned M, T V, int L, int W = warpSize) { unsigned B = 0; __builtin_memcpy(&B, &V, sizeof V); B = __shfl_sync(M, B, L, W); __builtin_memcpy(&V, &B, sizeof V); return V; } \
  __RG_DEVICE__ T __shfl_down_sync(unsigned M, T V, unsigned D, int W = warpSize) { unsigned B = 0; __builtin_memcpy(&B, &V, sizeof V); B = __shfl_down_sync(M, B, D, W); __builtin_memcpy(&V, &B, sizeof V); return V; } \
  __RG_DEVICE__ T __shfl_up_sync(unsigned M, T V, unsigned D, int W = warpSize) { unsigned B = 0; __builtin_memcpy(&B, &V, sizeof V); B = __shfl_up_sync(M, B, D, W); __builtin_memcpy(&V, &B, sizeof V); return V; } \
  __RG_DEVICE__ T __shfl_xor_sync(unsigned M, T V, int L, int W = warpSize) { unsigned B = 0; __builtin_memcpy(&B, &V, sizeof V); B = __shfl_xor_sync(M, B, L, W); __builtin_memcpy(&V, &B, sizeof V); return V; }
RG_HALF_EXCHANGE(__half)
RG_HALF_EXCHANGE(__half2)
#undef RG_HALF_EXCHANGE
/// A loop of compare and exchange over the word around.
__RG_DEVICE__ __half atomicAdd(__half *P, __half V) {
  unsigned short *At = (unsigned short *)P, Old = *At, Seen;
  do {
    Seen = Old;
    Old = atomicCAS(At, Seen, __half_as_ushort(__ushort_as_half(Seen) + V));
  } while (Old != Seen);
  return __ushort_as_half(Old);
}
__RG_DEVICE__ __half2 atomicAdd(__half2 *P, __half2 V) { return __half2(atomicAdd(&P->x, V.x), atomicAdd(&P->y, V.y)); }

#endif
