//===- Curand.cpp - cuRAND's host interface on this machine ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One generator for all types, that of the C++ library, with its
// distributions. A seed and an offset give the same numbers in each run.
//
//===----------------------------------------------------------------------===//

#include "../Runtime.h"

#include "retrograd/cuda/curand.h"
#include <cmath>
#include <new>
#include <random>

struct curandGenerator_st {
  unsigned long long Seed, Offset;
  std::mt19937_64 Engine;
  cudaStream_t Stream;
  /// Starts again at the seed and the offset.
  void begin() {
    Engine.seed(Seed);
    Engine.discard(Offset);
  }
};

namespace {
curandStatus_t make(curandGenerator_t *To, curandRngType_t Type) {
  if (!To)
    return CURAND_STATUS_OUT_OF_RANGE;
  if (Type < CURAND_RNG_PSEUDO_DEFAULT ||
      Type > CURAND_RNG_PSEUDO_PHILOX4_32_10)
    return CURAND_STATUS_TYPE_ERROR;
  *To =
      new (std::nothrow) curandGenerator_st{0, 0, std::mt19937_64(0), nullptr};
  return *To ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}
template <class T, class F>
curandStatus_t fill(curandGenerator_t G, T *Out, size_t N, F Next) {
  rgcuda::mustNotCapture("cuRAND");
  if (!G)
    return CURAND_STATUS_NOT_INITIALIZED;
  if (!Out && N)
    return CURAND_STATUS_OUT_OF_RANGE;
  for (size_t I = 0; I < N; ++I)
    Out[I] = (T)Next(G->Engine);
  return CURAND_STATUS_SUCCESS;
}
/// As cuRAND has it: 1 may be drawn, and 0 not.
double uniform(std::mt19937_64 &E) { return ((E() >> 11) + 1) * 0x1p-53; }
float uniformFloat(std::mt19937_64 &E) { return ((E() >> 40) + 1) * 0x1p-24f; }
} // namespace

extern "C" {
curandStatus_t curandCreateGenerator(curandGenerator_t *generator,
                                     curandRngType_t rng_type) {
  return make(generator, rng_type);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator,
                                         curandRngType_t rng_type) {
  return make(generator, rng_type);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int *version) {
  return *version = 100400, CURAND_STATUS_SUCCESS;
}
#define GENERATOR                                                              \
  if (!generator)                                                              \
  return CURAND_STATUS_NOT_INITIALIZED
curandStatus_t curandSetStream(curandGenerator_t generator,
                               cudaStream_t stream) {
  GENERATOR;
  return generator->Stream = stream, CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) {
  GENERATOR;
  generator->Seed = seed;
  return generator->begin(), CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator,
                                        unsigned long long offset) {
  GENERATOR;
  generator->Offset = offset;
  return generator->begin(), CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator,
                                          curandOrdering_t) {
  GENERATOR;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  GENERATOR;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerate(curandGenerator_t generator,
                              unsigned int *outputPtr, size_t num) {
  return fill(generator, outputPtr, num, [](auto &E) { return E() >> 32; });
}
curandStatus_t curandGenerateLongLong(curandGenerator_t generator,
                                      unsigned long long *outputPtr,
                                      size_t num) {
  return fill(generator, outputPtr, num, [](auto &E) { return E(); });
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator,
                                     float *outputPtr, size_t num) {
  return fill(generator, outputPtr, num, uniformFloat);
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator,
                                           double *outputPtr, size_t num) {
  return fill(generator, outputPtr, num, uniform);
}
#define RG_NORMAL(Suffix, T)                                                   \
  curandStatus_t curandGenerateNormal##Suffix(                                 \
      curandGenerator_t generator, T *outputPtr, size_t n, T mean, T stddev) { \
    std::normal_distribution<double> D;                                        \
    return fill(generator, outputPtr, n,                                       \
                [&](auto &E) { return mean + stddev * D(E); });                \
  }                                                                            \
  curandStatus_t curandGenerateLogNormal##Suffix(                              \
      curandGenerator_t generator, T *outputPtr, size_t n, T mean, T stddev) { \
    std::normal_distribution<double> D;                                        \
    return fill(generator, outputPtr, n,                                       \
                [&](auto &E) { return std::exp(mean + stddev * D(E)); });      \
  }
RG_NORMAL(, float)
RG_NORMAL(Double, double)
curandStatus_t curandGeneratePoisson(curandGenerator_t generator,
                                     unsigned int *outputPtr, size_t n,
                                     double lambda) {
  if (!(lambda > 0))
    return CURAND_STATUS_OUT_OF_RANGE;
  std::poisson_distribution<unsigned> D(lambda);
  return fill(generator, outputPtr, n, D);
}
} // extern "C"
