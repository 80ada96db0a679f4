//===- curand_kernel.h - random numbers in kernels -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marsaglia's XORWOW ("Xorshift RNGs", 2003), Philox4x32-10 (Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", 2011) and L'Ecuyer's MRG32k3a
// (1999), with cuRAND's seeds, so that a program gets the numbers that it gets
// on a GPU: bits, uniform and normal ones (the latter up to the rounding of
// sines and logarithms). Poisson's distribution is drawn in a way of our own.
// Sobol's and MTGP32 numbers are not here.
//
#ifndef RETROGRAD_CUDA_CURAND_KERNEL_H
#define RETROGRAD_CUDA_CURAND_KERNEL_H

#include "cuda_runtime.h"

#define RG_RANDOM static __device__ __forceinline__

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;
typedef struct curandStateXORWOW curandState_t, curandState;

/// V after Steps times 2^Scale steps of XORWOW's shifts
/// (runtime/cuda/Random.cpp).
extern "C" __device__ void
rg_cuda_xorwow_skip(unsigned int *V, unsigned long long Steps, int Scale);

//===-- XORWOW
//---------------------------------------------------------------------===//

RG_RANDOM unsigned int curand(curandStateXORWOW_t *S) {
  unsigned T = S->v[0] ^ S->v[0] >> 2;
  S->v[0] = S->v[1], S->v[1] = S->v[2], S->v[2] = S->v[3], S->v[3] = S->v[4];
  S->v[4] = S->v[4] ^ S->v[4] << 4 ^ T ^ T << 1;
  S->d += 362437;
  return S->v[4] + S->d;
}
RG_RANDOM void skipahead(unsigned long long N, curandStateXORWOW_t *S) {
  rg_cuda_xorwow_skip(S->v, N, 0);
  S->d += 362437 * (unsigned)N;
}
RG_RANDOM void skipahead_sequence(unsigned long long N,
                                  curandStateXORWOW_t *S) {
  rg_cuda_xorwow_skip(
      S->v, N, 67); // the sum does not change: 2^67 is a multiple of its range
}
RG_RANDOM void curand_init(unsigned long long Seed, unsigned long long Sequence,
                           unsigned long long Offset, curandStateXORWOW_t *S) {
  unsigned Low = (unsigned)Seed ^ 0xaad26b49u,
           High = (unsigned)(Seed >> 32) ^ 0xf7dcefddu;
  unsigned A = 1099087573u * Low, B = 2591861531u * High;
  S->d = 6615241u + B + A;
  S->v[0] = 123456789u + A;
  S->v[1] = 362436069u ^ A;
  S->v[2] = 521288629u + B;
  S->v[3] = 88675123u ^ B;
  S->v[4] = 5783321u + A;
  S->boxmuller_flag = S->boxmuller_flag_double = 0;
  S->boxmuller_extra = 0;
  S->boxmuller_extra_double = 0;
  skipahead_sequence(Sequence, S);
  skipahead(Offset, S);
}

//===-- Philox4x32-10
//--------------------------------------------------------------===//

RG_RANDOM uint4 curand_Philox4x32_10(uint4 C, uint2 K) {
  for (int Round = 0; Round < 10; ++Round) {
    unsigned long long A = 0xd2511f53ull * C.x, B = 0xcd9e8d57ull * C.z;
    C = make_uint4((unsigned)(B >> 32) ^ C.y ^ K.x, (unsigned)B,
                   (unsigned)(A >> 32) ^ C.w ^ K.y, (unsigned)A);
    K.x += 0x9e3779b9u;
    K.y += 0xbb67ae85u;
  }
  return C;
}
/// Adds to the counter's 128 bits, or to its upper half.
RG_RANDOM void __rg_count(uint4 &C, unsigned long long N) {
  unsigned long long Low = ((unsigned long long)C.y << 32 | C.x) + N;
  bool Carry = Low < N;
  C.x = (unsigned)Low, C.y = (unsigned)(Low >> 32);
  if (Carry && !++C.z)
    ++C.w;
}
RG_RANDOM unsigned __rg_word(uint4 V, unsigned I) {
  return I == 0 ? V.x : I == 1 ? V.y : I == 2 ? V.z : V.w;
}
RG_RANDOM unsigned int curand(curandStatePhilox4_32_10_t *S) {
  unsigned R = __rg_word(S->output, S->STATE++);
  if (S->STATE == 4) {
    __rg_count(S->ctr, 1);
    S->output = curand_Philox4x32_10(S->ctr, S->key);
    S->STATE = 0;
  }
  return R;
}
RG_RANDOM uint4 curand4(curandStatePhilox4_32_10_t *S) {
  uint4 Before = S->output;
  __rg_count(S->ctr, 1);
  S->output = curand_Philox4x32_10(S->ctr, S->key);
  unsigned W[4];
  for (unsigned I = 0; I < 4; ++I)
    W[I] = S->STATE + I < 4 ? __rg_word(Before, S->STATE + I)
                            : __rg_word(S->output, S->STATE + I - 4);
  return make_uint4(W[0], W[1], W[2], W[3]);
}
RG_RANDOM void skipahead(unsigned long long N, curandStatePhilox4_32_10_t *S) {
  S->STATE += (unsigned)(N & 3);
  N /= 4;
  if (S->STATE > 3) {
    ++N;
    S->STATE -= 4;
  }
  __rg_count(S->ctr, N);
  S->output = curand_Philox4x32_10(S->ctr, S->key);
}
RG_RANDOM void skipahead_sequence(unsigned long long N,
                                  curandStatePhilox4_32_10_t *S) {
  unsigned long long High = ((unsigned long long)S->ctr.w << 32 | S->ctr.z) + N;
  S->ctr.z = (unsigned)High, S->ctr.w = (unsigned)(High >> 32);
  S->output = curand_Philox4x32_10(S->ctr, S->key);
}
RG_RANDOM void curand_init(unsigned long long Seed, unsigned long long Sequence,
                           unsigned long long Offset,
                           curandStatePhilox4_32_10_t *S) {
  S->ctr = make_uint4(0, 0, 0, 0);
  S->key = make_uint2((unsigned)Seed, (unsigned)(Seed >> 32));
  S->STATE = 0;
  S->boxmuller_flag = S->boxmuller_flag_double = 0;
  S->boxmuller_extra = 0;
  S->boxmuller_extra_double = 0;
  skipahead_sequence(Sequence, S);
  skipahead(Offset, S);
}

//===-- MRG32k3a
//-------------------------------------------------------------------===//

#define RG_MRG_M1 4294967087ull
#define RG_MRG_M2 4294944443ull
RG_RANDOM unsigned __rg_mrg(curandStateMRG32k3a_t *S) {
  unsigned long long A =
      (1403580ull * S->s1[1] + 810728ull * (RG_MRG_M1 - S->s1[0])) % RG_MRG_M1;
  unsigned long long B =
      (527612ull * S->s2[2] + 1370589ull * (RG_MRG_M2 - S->s2[0])) % RG_MRG_M2;
  S->s1[0] = S->s1[1], S->s1[1] = S->s1[2], S->s1[2] = (unsigned)A;
  S->s2[0] = S->s2[1], S->s2[1] = S->s2[2], S->s2[2] = (unsigned)B;
  return (unsigned)(A > B ? A - B : A + RG_MRG_M1 - B); // 1 to M1
}
RG_RANDOM unsigned int curand(curandStateMRG32k3a_t *S) {
  return (unsigned)(__rg_mrg(S) * 1.000000048662);
}
/// V = (step)^(N 2^Scale) V modulo M, where a step makes z of A0 x + A1 y + A2
/// z.
RG_RANDOM void __rg_mrg_skip(unsigned *V, unsigned long long A0,
                             unsigned long long A1, unsigned long long A2,
                             unsigned long long M, unsigned long long N,
                             int Scale) {
  unsigned long long P[9] = {0, 1, 0, 0, 0, 1, A0, A1, A2}, Q[9];
  auto Square = [&] {
    for (int I = 0; I < 9; ++I) {
      unsigned long long Sum = 0;
      for (int K = 0; K < 3; ++K)
        Sum = (Sum + P[I / 3 * 3 + K] * P[K * 3 + I % 3] % M) % M;
      Q[I] = Sum;
    }
    for (int I = 0; I < 9; ++I)
      P[I] = Q[I];
  };
  for (int I = 0; I < Scale; ++I)
    Square();
  for (; N; N >>= 1) {
    if (N & 1) {
      unsigned long long R[3];
      for (int I = 0; I < 3; ++I)
        R[I] = (P[3 * I] * V[0] % M + P[3 * I + 1] * V[1] % M +
                P[3 * I + 2] * V[2] % M) %
               M;
      for (int I = 0; I < 3; ++I)
        V[I] = (unsigned)R[I];
    }
    Square();
  }
}
RG_RANDOM void __rg_mrg_skip(curandStateMRG32k3a_t *S, unsigned long long N,
                             int Scale) {
  __rg_mrg_skip(S->s1, RG_MRG_M1 - 810728, 1403580, 0, RG_MRG_M1, N, Scale);
  __rg_mrg_skip(S->s2, RG_MRG_M2 - 1370589, 0, 527612, RG_MRG_M2, N, Scale);
}
RG_RANDOM void skipahead(unsigned long long N, curandStateMRG32k3a_t *S) {
  __rg_mrg_skip(S, N, 0);
}
RG_RANDOM void skipahead_subsequence(unsigned long long N,
                                     curandStateMRG32k3a_t *S) {
  __rg_mrg_skip(S, N, 76);
}
RG_RANDOM void skipahead_sequence(unsigned long long N,
                                  curandStateMRG32k3a_t *S) {
  __rg_mrg_skip(S, N, 127);
}
RG_RANDOM void curand_init(unsigned long long Seed,
                           unsigned long long Subsequence,
                           unsigned long long Offset,
                           curandStateMRG32k3a_t *S) {
  for (int I = 0; I < 3; ++I)
    S->s1[I] = S->s2[I] = 12345;
  if (Seed) {
    unsigned long long A = (unsigned)Seed ^ 0x55555555u,
                       B = (unsigned)(Seed >> 32) ^ 0xaaaaaaaau;
    S->s1[0] = (unsigned)(A * S->s1[0] % RG_MRG_M1),
    S->s1[1] = (unsigned)(B * S->s1[1] % RG_MRG_M1);
    S->s1[2] = (unsigned)(A * S->s1[2] % RG_MRG_M1),
    S->s2[0] = (unsigned)(B * S->s2[0] % RG_MRG_M2);
    S->s2[1] = (unsigned)(A * S->s2[1] % RG_MRG_M2),
    S->s2[2] = (unsigned)(B * S->s2[2] % RG_MRG_M2);
  }
  S->boxmuller_flag = S->boxmuller_flag_double = 0;
  S->boxmuller_extra = 0;
  S->boxmuller_extra_double = 0;
  skipahead_subsequence(Subsequence, S);
  skipahead(Offset, S);
}

//===-- Distributions
//--------------------------------------------------------------===//

// Words as numbers above 0, up to 1.
RG_RANDOM float __rg_uniform(unsigned X) {
  return X * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
}
RG_RANDOM double __rg_uniform_double(unsigned X, unsigned Y) {
  constexpr double Ulp = 1.1102230246251565e-16;
  return (X ^ (unsigned long long)Y << 21) * Ulp + Ulp / 2.0;
}
template <class State> RG_RANDOM float curand_uniform(State *S) {
  return __rg_uniform(curand(S));
}
template <class State> RG_RANDOM double curand_uniform_double(State *S) {
  unsigned X = curand(S), Y = curand(S);
  return __rg_uniform_double(X, Y);
}
RG_RANDOM float curand_uniform(curandStateMRG32k3a_t *S) {
  return (float)(__rg_mrg(S) * 2.3283065498378288e-10);
}
RG_RANDOM double curand_uniform_double(curandStateMRG32k3a_t *S) {
  return __rg_mrg(S) * 2.3283065498378288e-10;
}
RG_RANDOM double
curand_uniform_double(curandStatePhilox4_32_10_t *S) { // of one word
  return curand(S) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
RG_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10_t *S) {
  uint4 X = curand4(S);
  return make_float4(__rg_uniform(X.x), __rg_uniform(X.y), __rg_uniform(X.z),
                     __rg_uniform(X.w));
}
RG_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10_t *S) {
  uint4 X = curand4(S);
  return make_double2(__rg_uniform_double(X.x, X.y),
                      __rg_uniform_double(X.z, X.w));
}

// Two normal numbers of two uniform ones (Box and Muller, 1958).
RG_RANDOM float2 __rg_normal2(unsigned X, unsigned Y) {
  float Angle = Y * 1.4629180792671596e-9f + 1.4629180792671596e-9f / 2.0f,
        Sine, Cosine;
  float Length = sqrtf(-2.0f * logf(__rg_uniform(X)));
  sincosf(Angle, &Sine, &Cosine);
  return make_float2(Sine * Length, Cosine * Length);
}
RG_RANDOM double2 __rg_normal2_double(unsigned X0, unsigned X1, unsigned Y0,
                                      unsigned Y1) {
  double Sine, Cosine, Length = sqrt(-2.0 * log(__rg_uniform_double(X0, X1)));
  sincospi(2.0 * __rg_uniform_double(Y0, Y1), &Sine, &Cosine);
  return make_double2(Sine * Length, Cosine * Length);
}
template <class State> RG_RANDOM float2 curand_normal2(State *S) {
  unsigned X = curand(S), Y = curand(S);
  return __rg_normal2(X, Y);
}
template <class State> RG_RANDOM double2 curand_normal2_double(State *S) {
  unsigned A = curand(S), B = curand(S), C = curand(S), D = curand(S);
  return __rg_normal2_double(A, B, C, D);
}
RG_RANDOM double2 curand_normal2_double(curandStateMRG32k3a_t *S) {
  double X = curand_uniform_double(S), Y = curand_uniform_double(S), Sine,
         Cosine, Length = sqrt(-2.0 * log(X));
  sincospi(2.0 * Y, &Sine, &Cosine);
  return make_double2(Sine * Length, Cosine * Length);
}
template <class State> RG_RANDOM float curand_normal(State *S) {
  if (S->boxmuller_flag) {
    S->boxmuller_flag = 0;
    return S->boxmuller_extra;
  }
  float2 V = curand_normal2(S);
  S->boxmuller_extra = V.y;
  S->boxmuller_flag = 1;
  return V.x;
}
template <class State> RG_RANDOM double curand_normal_double(State *S) {
  if (S->boxmuller_flag_double) {
    S->boxmuller_flag_double = 0;
    return S->boxmuller_extra_double;
  }
  double2 V = curand_normal2_double(S);
  S->boxmuller_extra_double = V.y;
  S->boxmuller_flag_double = 1;
  return V.x;
}
RG_RANDOM float4 curand_normal4(curandStatePhilox4_32_10_t *S) {
  uint4 X = curand4(S);
  float2 A = __rg_normal2(X.x, X.y), B = __rg_normal2(X.z, X.w);
  return make_float4(A.x, A.y, B.x, B.y);
}
template <class State>
RG_RANDOM float curand_log_normal(State *S, float Mean, float Deviation) {
  return expf(Mean + Deviation * curand_normal(S));
}
template <class State>
RG_RANDOM double curand_log_normal_double(State *S, double Mean,
                                          double Deviation) {
  return exp(Mean + Deviation * curand_normal_double(S));
}
template <class State>
RG_RANDOM float2 curand_log_normal2(State *S, float Mean, float Deviation) {
  float2 V = curand_normal2(S);
  return make_float2(expf(Mean + Deviation * V.x),
                     expf(Mean + Deviation * V.y));
}
RG_RANDOM float4 curand_log_normal4(curandStatePhilox4_32_10_t *S, float Mean,
                                    float Deviation) {
  float4 V = curand_normal4(S);
  return make_float4(expf(Mean + Deviation * V.x), expf(Mean + Deviation * V.y),
                     expf(Mean + Deviation * V.z),
                     expf(Mean + Deviation * V.w));
}
/// Inversion by search for small means; rejection from the normal's
/// neighbourhood (Hoermann's PTRS, "The transformed rejection method for
/// generating Poisson random variables", 1993) for others.
template <class State>
RG_RANDOM unsigned int curand_poisson(State *S, double Lambda) {
  if (Lambda < 10) {
    double P = exp(-Lambda), U = curand_uniform_double(S);
    unsigned K = 0;
    for (; U > P && K < 1000; ++K) {
      U -= P;
      P *= Lambda / (K + 1);
    }
    return K;
  }
  double B = 0.931 + 2.53 * sqrt(Lambda), A = -0.059 + 0.02483 * B,
         R = 0.9277 - 3.6224 / (B - 2);
  for (;;) {
    double U = curand_uniform_double(S) - 0.5, V = curand_uniform_double(S),
           Us = 0.5 - fabs(U);
    double K = floor((2 * A / Us + B) * U + Lambda + 0.43);
    if (Us >= 0.07 && V <= R)
      return (unsigned)K;
    if (K < 0 || (Us < 0.013 && V > Us))
      continue;
    if (log(V) + log(1.1239 + 1.1328 / (B - 3.4)) - log(A / (Us * Us) + B) <=
        -Lambda + K * log(Lambda) - lgamma(K + 1))
      return (unsigned)K;
  }
}

#undef RG_MRG_M1
#undef RG_MRG_M2
#undef RG_RANDOM
#endif
