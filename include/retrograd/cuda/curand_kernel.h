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
rg_cuda_xorwow_skip(unsigned int *_RgV, unsigned long long Steps, int Scale);

//===-- XORWOW
//---------------------------------------------------------------------===//

RG_RANDOM unsigned int curand(curandStateXORWOW_t *_RgS) {
  unsigned _RgT = _RgS->v[0] ^ _RgS->v[0] >> 2;
  _RgS->v[0] = _RgS->v[1], _RgS->v[1] = _RgS->v[2], _RgS->v[2] = _RgS->v[3],
  _RgS->v[3] = _RgS->v[4];
  _RgS->v[4] = _RgS->v[4] ^ _RgS->v[4] << 4 ^ _RgT ^ _RgT << 1;
  _RgS->d += 362437;
  return _RgS->v[4] + _RgS->d;
}
RG_RANDOM void skipahead(unsigned long long _RgN, curandStateXORWOW_t *_RgS) {
  rg_cuda_xorwow_skip(_RgS->v, _RgN, 0);
  _RgS->d += 362437 * (unsigned)_RgN;
}
RG_RANDOM void skipahead_sequence(unsigned long long _RgN,
                                  curandStateXORWOW_t *_RgS) {
  rg_cuda_xorwow_skip(
      _RgS->v, _RgN,
      67); // the sum does not change: 2^67 is a multiple of its range
}
RG_RANDOM void curand_init(unsigned long long Seed, unsigned long long Sequence,
                           unsigned long long Offset,
                           curandStateXORWOW_t *_RgS) {
  unsigned Low = (unsigned)Seed ^ 0xaad26b49u,
           High = (unsigned)(Seed >> 32) ^ 0xf7dcefddu;
  unsigned _RgA = 1099087573u * Low, _RgB = 2591861531u * High;
  _RgS->d = 6615241u + _RgB + _RgA;
  _RgS->v[0] = 123456789u + _RgA;
  _RgS->v[1] = 362436069u ^ _RgA;
  _RgS->v[2] = 521288629u + _RgB;
  _RgS->v[3] = 88675123u ^ _RgB;
  _RgS->v[4] = 5783321u + _RgA;
  _RgS->boxmuller_flag = _RgS->boxmuller_flag_double = 0;
  _RgS->boxmuller_extra = 0;
  _RgS->boxmuller_extra_double = 0;
  skipahead_sequence(Sequence, _RgS);
  skipahead(Offset, _RgS);
}

//===-- Philox4x32-10
//--------------------------------------------------------------===//

RG_RANDOM uint4 curand_Philox4x32_10(uint4 _RgC, uint2 _RgK) {
  for (int Round = 0; Round < 10; ++Round) {
    unsigned long long _RgA = 0xd2511f53ull * _RgC.x,
                       _RgB = 0xcd9e8d57ull * _RgC.z;
    _RgC = make_uint4((unsigned)(_RgB >> 32) ^ _RgC.y ^ _RgK.x, (unsigned)_RgB,
                      (unsigned)(_RgA >> 32) ^ _RgC.w ^ _RgK.y, (unsigned)_RgA);
    _RgK.x += 0x9e3779b9u;
    _RgK.y += 0xbb67ae85u;
  }
  return _RgC;
}
/// Adds to the counter's 128 bits, or to its upper half.
RG_RANDOM void __rg_count(uint4 &_RgC, unsigned long long _RgN) {
  unsigned long long Low = ((unsigned long long)_RgC.y << 32 | _RgC.x) + _RgN;
  bool Carry = Low < _RgN;
  _RgC.x = (unsigned)Low, _RgC.y = (unsigned)(Low >> 32);
  if (Carry && !++_RgC.z)
    ++_RgC.w;
}
RG_RANDOM unsigned __rg_word(uint4 _RgV, unsigned _RgI) {
  return _RgI == 0 ? _RgV.x : _RgI == 1 ? _RgV.y : _RgI == 2 ? _RgV.z : _RgV.w;
}
RG_RANDOM unsigned int curand(curandStatePhilox4_32_10_t *_RgS) {
  unsigned _RgR = __rg_word(_RgS->output, _RgS->STATE++);
  if (_RgS->STATE == 4) {
    __rg_count(_RgS->ctr, 1);
    _RgS->output = curand_Philox4x32_10(_RgS->ctr, _RgS->key);
    _RgS->STATE = 0;
  }
  return _RgR;
}
RG_RANDOM uint4 curand4(curandStatePhilox4_32_10_t *_RgS) {
  uint4 Before = _RgS->output;
  __rg_count(_RgS->ctr, 1);
  _RgS->output = curand_Philox4x32_10(_RgS->ctr, _RgS->key);
  unsigned _RgW[4];
  for (unsigned _RgI = 0; _RgI < 4; ++_RgI)
    _RgW[_RgI] = _RgS->STATE + _RgI < 4
                     ? __rg_word(Before, _RgS->STATE + _RgI)
                     : __rg_word(_RgS->output, _RgS->STATE + _RgI - 4);
  return make_uint4(_RgW[0], _RgW[1], _RgW[2], _RgW[3]);
}
RG_RANDOM void skipahead(unsigned long long _RgN,
                         curandStatePhilox4_32_10_t *_RgS) {
  _RgS->STATE += (unsigned)(_RgN & 3);
  _RgN /= 4;
  if (_RgS->STATE > 3) {
    ++_RgN;
    _RgS->STATE -= 4;
  }
  __rg_count(_RgS->ctr, _RgN);
  _RgS->output = curand_Philox4x32_10(_RgS->ctr, _RgS->key);
}
RG_RANDOM void skipahead_sequence(unsigned long long _RgN,
                                  curandStatePhilox4_32_10_t *_RgS) {
  unsigned long long High =
      ((unsigned long long)_RgS->ctr.w << 32 | _RgS->ctr.z) + _RgN;
  _RgS->ctr.z = (unsigned)High, _RgS->ctr.w = (unsigned)(High >> 32);
  _RgS->output = curand_Philox4x32_10(_RgS->ctr, _RgS->key);
}
RG_RANDOM void curand_init(unsigned long long Seed, unsigned long long Sequence,
                           unsigned long long Offset,
                           curandStatePhilox4_32_10_t *_RgS) {
  _RgS->ctr = make_uint4(0, 0, 0, 0);
  _RgS->key = make_uint2((unsigned)Seed, (unsigned)(Seed >> 32));
  _RgS->STATE = 0;
  _RgS->boxmuller_flag = _RgS->boxmuller_flag_double = 0;
  _RgS->boxmuller_extra = 0;
  _RgS->boxmuller_extra_double = 0;
  skipahead_sequence(Sequence, _RgS);
  skipahead(Offset, _RgS);
}

//===-- MRG32k3a
//-------------------------------------------------------------------===//

#define RG_MRG_M1 4294967087ull
#define RG_MRG_M2 4294944443ull
RG_RANDOM unsigned __rg_mrg(curandStateMRG32k3a_t *_RgS) {
  unsigned long long _RgA =
      (1403580ull * _RgS->s1[1] + 810728ull * (RG_MRG_M1 - _RgS->s1[0])) %
      RG_MRG_M1;
  unsigned long long _RgB =
      (527612ull * _RgS->s2[2] + 1370589ull * (RG_MRG_M2 - _RgS->s2[0])) %
      RG_MRG_M2;
  _RgS->s1[0] = _RgS->s1[1], _RgS->s1[1] = _RgS->s1[2],
  _RgS->s1[2] = (unsigned)_RgA;
  _RgS->s2[0] = _RgS->s2[1], _RgS->s2[1] = _RgS->s2[2],
  _RgS->s2[2] = (unsigned)_RgB;
  return (unsigned)(_RgA > _RgB ? _RgA - _RgB
                                : _RgA + RG_MRG_M1 - _RgB); // 1 to M1
}
RG_RANDOM unsigned int curand(curandStateMRG32k3a_t *_RgS) {
  return (unsigned)(__rg_mrg(_RgS) * 1.000000048662);
}
/// V = (step)^(N 2^Scale) V modulo M, where a step makes z of A0 x + A1 y + A2
/// z.
RG_RANDOM void __rg_mrg_skip(unsigned *_RgV, unsigned long long A0,
                             unsigned long long A1, unsigned long long A2,
                             unsigned long long _RgM, unsigned long long _RgN,
                             int Scale) {
  unsigned long long _RgP[9] = {0, 1, 0, 0, 0, 1, A0, A1, A2}, _RgQ[9];
  auto Square = [&] {
    for (int _RgI = 0; _RgI < 9; ++_RgI) {
      unsigned long long Sum = 0;
      for (int _RgK = 0; _RgK < 3; ++_RgK)
        Sum = (Sum +
               _RgP[_RgI / 3 * 3 + _RgK] * _RgP[_RgK * 3 + _RgI % 3] % _RgM) %
              _RgM;
      _RgQ[_RgI] = Sum;
    }
    for (int _RgI = 0; _RgI < 9; ++_RgI)
      _RgP[_RgI] = _RgQ[_RgI];
  };
  for (int _RgI = 0; _RgI < Scale; ++_RgI)
    Square();
  for (; _RgN; _RgN >>= 1) {
    if (_RgN & 1) {
      unsigned long long _RgR[3];
      for (int _RgI = 0; _RgI < 3; ++_RgI)
        _RgR[_RgI] = (_RgP[3 * _RgI] * _RgV[0] % _RgM +
                      _RgP[3 * _RgI + 1] * _RgV[1] % _RgM +
                      _RgP[3 * _RgI + 2] * _RgV[2] % _RgM) %
                     _RgM;
      for (int _RgI = 0; _RgI < 3; ++_RgI)
        _RgV[_RgI] = (unsigned)_RgR[_RgI];
    }
    Square();
  }
}
RG_RANDOM void __rg_mrg_skip(curandStateMRG32k3a_t *_RgS,
                             unsigned long long _RgN, int Scale) {
  __rg_mrg_skip(_RgS->s1, RG_MRG_M1 - 810728, 1403580, 0, RG_MRG_M1, _RgN,
                Scale);
  __rg_mrg_skip(_RgS->s2, RG_MRG_M2 - 1370589, 0, 527612, RG_MRG_M2, _RgN,
                Scale);
}
RG_RANDOM void skipahead(unsigned long long _RgN, curandStateMRG32k3a_t *_RgS) {
  __rg_mrg_skip(_RgS, _RgN, 0);
}
RG_RANDOM void skipahead_subsequence(unsigned long long _RgN,
                                     curandStateMRG32k3a_t *_RgS) {
  __rg_mrg_skip(_RgS, _RgN, 76);
}
RG_RANDOM void skipahead_sequence(unsigned long long _RgN,
                                  curandStateMRG32k3a_t *_RgS) {
  __rg_mrg_skip(_RgS, _RgN, 127);
}
RG_RANDOM void curand_init(unsigned long long Seed,
                           unsigned long long Subsequence,
                           unsigned long long Offset,
                           curandStateMRG32k3a_t *_RgS) {
  for (int _RgI = 0; _RgI < 3; ++_RgI)
    _RgS->s1[_RgI] = _RgS->s2[_RgI] = 12345;
  if (Seed) {
    unsigned long long _RgA = (unsigned)Seed ^ 0x55555555u,
                       _RgB = (unsigned)(Seed >> 32) ^ 0xaaaaaaaau;
    _RgS->s1[0] = (unsigned)(_RgA * _RgS->s1[0] % RG_MRG_M1),
    _RgS->s1[1] = (unsigned)(_RgB * _RgS->s1[1] % RG_MRG_M1);
    _RgS->s1[2] = (unsigned)(_RgA * _RgS->s1[2] % RG_MRG_M1),
    _RgS->s2[0] = (unsigned)(_RgB * _RgS->s2[0] % RG_MRG_M2);
    _RgS->s2[1] = (unsigned)(_RgA * _RgS->s2[1] % RG_MRG_M2),
    _RgS->s2[2] = (unsigned)(_RgB * _RgS->s2[2] % RG_MRG_M2);
  }
  _RgS->boxmuller_flag = _RgS->boxmuller_flag_double = 0;
  _RgS->boxmuller_extra = 0;
  _RgS->boxmuller_extra_double = 0;
  skipahead_subsequence(Subsequence, _RgS);
  skipahead(Offset, _RgS);
}

//===-- Distributions
//--------------------------------------------------------------===//

// Words as numbers above 0, up to 1.
RG_RANDOM float __rg_uniform(unsigned _RgX) {
  return _RgX * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
}
RG_RANDOM double __rg_uniform_double(unsigned _RgX, unsigned _RgY) {
  constexpr double Ulp = 1.1102230246251565e-16;
  return (_RgX ^ (unsigned long long)_RgY << 21) * Ulp + Ulp / 2.0;
}
template <class State> RG_RANDOM float curand_uniform(State *_RgS) {
  return __rg_uniform(curand(_RgS));
}
template <class State> RG_RANDOM double curand_uniform_double(State *_RgS) {
  unsigned _RgX = curand(_RgS), _RgY = curand(_RgS);
  return __rg_uniform_double(_RgX, _RgY);
}
RG_RANDOM float curand_uniform(curandStateMRG32k3a_t *_RgS) {
  return (float)(__rg_mrg(_RgS) * 2.3283065498378288e-10);
}
RG_RANDOM double curand_uniform_double(curandStateMRG32k3a_t *_RgS) {
  return __rg_mrg(_RgS) * 2.3283065498378288e-10;
}
RG_RANDOM double
curand_uniform_double(curandStatePhilox4_32_10_t *_RgS) { // of one word
  return curand(_RgS) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
RG_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10_t *_RgS) {
  uint4 _RgX = curand4(_RgS);
  return make_float4(__rg_uniform(_RgX.x), __rg_uniform(_RgX.y),
                     __rg_uniform(_RgX.z), __rg_uniform(_RgX.w));
}
RG_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10_t *_RgS) {
  uint4 _RgX = curand4(_RgS);
  return make_double2(__rg_uniform_double(_RgX.x, _RgX.y),
                      __rg_uniform_double(_RgX.z, _RgX.w));
}

// Two normal numbers of two uniform ones (Box and Muller, 1958).
RG_RANDOM float2 __rg_normal2(unsigned _RgX, unsigned _RgY) {
  float Angle = _RgY * 1.4629180792671596e-9f + 1.4629180792671596e-9f / 2.0f,
        Sine, Cosine;
  float Length = sqrtf(-2.0f * logf(__rg_uniform(_RgX)));
  sincosf(Angle, &Sine, &Cosine);
  return make_float2(Sine * Length, Cosine * Length);
}
RG_RANDOM double2 __rg_normal2_double(unsigned X0, unsigned X1, unsigned Y0,
                                      unsigned Y1) {
  double Sine, Cosine, Length = sqrt(-2.0 * log(__rg_uniform_double(X0, X1)));
  sincospi(2.0 * __rg_uniform_double(Y0, Y1), &Sine, &Cosine);
  return make_double2(Sine * Length, Cosine * Length);
}
template <class State> RG_RANDOM float2 curand_normal2(State *_RgS) {
  unsigned _RgX = curand(_RgS), _RgY = curand(_RgS);
  return __rg_normal2(_RgX, _RgY);
}
template <class State> RG_RANDOM double2 curand_normal2_double(State *_RgS) {
  unsigned _RgA = curand(_RgS), _RgB = curand(_RgS), _RgC = curand(_RgS),
           _RgD = curand(_RgS);
  return __rg_normal2_double(_RgA, _RgB, _RgC, _RgD);
}
RG_RANDOM double2 curand_normal2_double(curandStateMRG32k3a_t *_RgS) {
  double _RgX = curand_uniform_double(_RgS), _RgY = curand_uniform_double(_RgS),
         Sine, Cosine, Length = sqrt(-2.0 * log(_RgX));
  sincospi(2.0 * _RgY, &Sine, &Cosine);
  return make_double2(Sine * Length, Cosine * Length);
}
template <class State> RG_RANDOM float curand_normal(State *_RgS) {
  if (_RgS->boxmuller_flag) {
    _RgS->boxmuller_flag = 0;
    return _RgS->boxmuller_extra;
  }
  float2 _RgV = curand_normal2(_RgS);
  _RgS->boxmuller_extra = _RgV.y;
  _RgS->boxmuller_flag = 1;
  return _RgV.x;
}
template <class State> RG_RANDOM double curand_normal_double(State *_RgS) {
  if (_RgS->boxmuller_flag_double) {
    _RgS->boxmuller_flag_double = 0;
    return _RgS->boxmuller_extra_double;
  }
  double2 _RgV = curand_normal2_double(_RgS);
  _RgS->boxmuller_extra_double = _RgV.y;
  _RgS->boxmuller_flag_double = 1;
  return _RgV.x;
}
RG_RANDOM float4 curand_normal4(curandStatePhilox4_32_10_t *_RgS) {
  uint4 _RgX = curand4(_RgS);
  float2 _RgA = __rg_normal2(_RgX.x, _RgX.y),
         _RgB = __rg_normal2(_RgX.z, _RgX.w);
  return make_float4(_RgA.x, _RgA.y, _RgB.x, _RgB.y);
}
template <class State>
RG_RANDOM float curand_log_normal(State *_RgS, float Mean, float Deviation) {
  return expf(Mean + Deviation * curand_normal(_RgS));
}
template <class State>
RG_RANDOM double curand_log_normal_double(State *_RgS, double Mean,
                                          double Deviation) {
  return exp(Mean + Deviation * curand_normal_double(_RgS));
}
template <class State>
RG_RANDOM float2 curand_log_normal2(State *_RgS, float Mean, float Deviation) {
  float2 _RgV = curand_normal2(_RgS);
  return make_float2(expf(Mean + Deviation * _RgV.x),
                     expf(Mean + Deviation * _RgV.y));
}
RG_RANDOM float4 curand_log_normal4(curandStatePhilox4_32_10_t *_RgS,
                                    float Mean, float Deviation) {
  float4 _RgV = curand_normal4(_RgS);
  return make_float4(
      expf(Mean + Deviation * _RgV.x), expf(Mean + Deviation * _RgV.y),
      expf(Mean + Deviation * _RgV.z), expf(Mean + Deviation * _RgV.w));
}
/// Inversion by search for small means; rejection from the normal's
/// neighbourhood (Hoermann's PTRS, "The transformed rejection method for
/// generating Poisson random variables", 1993) for others.
template <class State>
RG_RANDOM unsigned int curand_poisson(State *_RgS, double Lambda) {
  if (Lambda < 10) {
    double _RgP = exp(-Lambda), _RgU = curand_uniform_double(_RgS);
    unsigned _RgK = 0;
    for (; _RgU > _RgP && _RgK < 1000; ++_RgK) {
      _RgU -= _RgP;
      _RgP *= Lambda / (_RgK + 1);
    }
    return _RgK;
  }
  double _RgB = 0.931 + 2.53 * sqrt(Lambda), _RgA = -0.059 + 0.02483 * _RgB,
         _RgR = 0.9277 - 3.6224 / (_RgB - 2);
  for (;;) {
    double _RgU = curand_uniform_double(_RgS) - 0.5,
           _RgV = curand_uniform_double(_RgS), Us = 0.5 - fabs(_RgU);
    double _RgK = floor((2 * _RgA / Us + _RgB) * _RgU + Lambda + 0.43);
    if (Us >= 0.07 && _RgV <= _RgR)
      return (unsigned)_RgK;
    if (_RgK < 0 || (Us < 0.013 && _RgV > Us))
      continue;
    if (log(_RgV) + log(1.1239 + 1.1328 / (_RgB - 3.4)) -
            log(_RgA / (Us * Us) + _RgB) <=
        -Lambda + _RgK * log(Lambda) - lgamma(_RgK + 1))
      return (unsigned)_RgK;
  }
}

#undef RG_MRG_M1
#undef RG_MRG_M2
#undef RG_RANDOM
#endif
