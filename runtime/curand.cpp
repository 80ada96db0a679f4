/*===- curand.cpp - cuRAND's numbers as operations ------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Random numbers carry no derivative, but those with a mean
|* and a deviation that are active: with the number z that was
|* drawn
|*
|*   normal       mean + deviation z
|*   log-normal   exp(mean + deviation z)
|*
|* What was in the array before goes, and its adjoint with it. Integers are
|* inactive. See docs/HostDevice.md.
\*===------------------------------------------------------------------------===*/
#include "devicearrays.h"
#include <math.h>

using namespace rg;
using namespace rg::device;

extern "C" {
void *rg_gpu_keep(void *p, uint64_t bytes);
int cudaMemcpy(void *, const void *, size_t, int);

int curandGenerateUniform(void *, float *, size_t);
int curandGenerateNormal(void *, float *, size_t, float, float);
int curandGenerateLogNormal(void *, float *, size_t, float, float);
int curandGenerateUniformDouble(void *, double *, size_t);
int curandGenerateNormalDouble(void *, double *, size_t, double, double);
int curandGenerateLogNormalDouble(void *, double *, size_t, double, double);
int curandGenerate(void *, unsigned *, size_t);
int curandGenerateLongLong(void *, unsigned long long *, size_t);
int curandGeneratePoisson(void *, unsigned *, size_t, double);
}

namespace {
enum Kind { Uniform, Normal, LogNormal };

inline int draw(void *g, int Kind, double *Out, size_t n, double m, double s) {
  return Kind == Uniform  ? curandGenerateUniformDouble(g, Out, n)
         : Kind == Normal ? curandGenerateNormalDouble(g, Out, n, m, s)
                          : curandGenerateLogNormalDouble(g, Out, n, m, s);
}
inline int draw(void *g, int Kind, float *Out, size_t n, float m, float s) {
  return Kind == Uniform  ? curandGenerateUniform(g, Out, n)
         : Kind == Normal ? curandGenerateNormal(g, Out, n, m, s)
                          : curandGenerateLogNormal(g, Out, n, m, s);
}
const char *const Name = "curandGenerate";

/// Numbers on the host: those of a device, or of the host.
template <class T> class Numbers {
  T *P;

public:
  explicit Numbers(size_t n) : P(static_cast<T *>(calloc(n + 1, sizeof(T)))) {
    if (!P)
      rg_gpu_library_failed(Name, 102);
  }
  Numbers(const T *From, size_t n) : Numbers(n) {
    if (n)
      must(cudaMemcpy(P, From, n * sizeof(T), 4), Name);
  }
  Numbers(const Numbers &) = delete;
  ~Numbers() { free(P); }
  T &operator[](size_t I) { return P[I]; }
  void to(T *There, size_t n) const {
    if (n)
      must(cudaMemcpy(There, P, n * sizeof(T), 4), Name);
  }
};

template <class T> struct Drawn {
  void *g;
  int Kind;
  Dual<T> Out;
  size_t n;
  Scalar<T> Mean, Deviation;

  template <class F> void each(F f) {
    f(2, Out);
    f(4, Mean);
    f(5, Deviation);
  }
  int primal() const { return draw(g, Kind, Out.P, n, Mean.P, Deviation.P); }
  /// How the number depends on the mean, and on the deviation.
  void partials(T Value, T &OnMean, T &OnDeviation) const {
    OnMean = Kind == LogNormal ? Value : T(1);
    T At = Kind == LogNormal ? T(log(Value)) : Value;
    OnDeviation =
        Deviation.P == 0 ? T(0) : OnMean * (At - Mean.P) / Deviation.P;
  }
  bool depends() const {
    return Kind != Uniform && (Mean.Active || Deviation.Active);
  }
};

struct Kept {
  uint64_t Active;
  int Device, Status;
  void *Values;
};

template <class T>
inline void *augmentOn(rg_arena *Arena, uint64_t Active, Drawn<T> D) {
  activate(D, Active);
  auto *K = static_cast<Kept *>(rg_tape_zalloc(Arena, sizeof(Kept)));
  K->Active = Active;
  K->Device = rg_gpu_works();
  K->Status = D.primal();
  rg_gpu_set_library_status(K->Status);
  if (!K->Status && D.Out.Active && D.depends()) {
    rg_gpu_wait(Name);
    T *Values = static_cast<T *>(rg_tape_alloc(Arena, D.n * sizeof(T) + 1));
    if (D.n)
      must(cudaMemcpy(Values, D.Out.P, D.n * sizeof(T), 4), Name);
    K->Values = Values;
  }
  rg_gpu_hold();
  return K;
}
template <class T>
inline void reverseOn(uint64_t Lanes, void *Block, Drawn<T> D) {
  auto *K = static_cast<Kept *>(Block);
  if (!K->Status) {
    ReverseStep Step(K->Device, Name);
    activate(D, K->Active);
    for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
      selectLane(D, Lane);
      if (D.Out.active()) {
        if (K->Values) {
          Numbers<T> Adjoints(D.Out.D, D.n);
          for (size_t I = 0; I != D.n; ++I) {
            T OnMean, OnDeviation;
            D.partials(static_cast<T *>(K->Values)[I], OnMean, OnDeviation);
            D.Mean.D += Adjoints[I] * OnMean;
            D.Deviation.D += Adjoints[I] * OnDeviation;
          }
        }
        Numbers<T>(D.n).to(D.Out.D, D.n);
      }
      D.each([&](int, auto &Operand) { Operand.leave(Lane); });
    }
  }
  rg_gpu_let_go();
}
template <class T> inline void forwardOn(uint64_t Lanes, Drawn<T> D) {
  rg_gpu_works();
  int Status = D.primal();
  rg_gpu_set_library_status(Status);
  if (Status)
    return;
  rg_gpu_wait(Name);
  for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
    selectLane(D, Lane);
    if (!D.Out.active())
      continue;
    if (!D.depends()) {
      Numbers<T>(D.n).to(D.Out.D, D.n);
      continue;
    }
    Numbers<T> Values(D.Out.P, D.n);
    for (size_t I = 0; I != D.n; ++I) {
      T OnMean, OnDeviation;
      D.partials(Values[I], OnMean, OnDeviation);
      Values[I] = OnMean * D.Mean.D + OnDeviation * D.Deviation.D;
    }
    Values.to(D.Out.D, D.n);
  }
}
} // namespace

extern "C" {
#define RG_DRAW(T, Name, Suffix)                                               \
  OPERATION void Name(void *g, int Kind, T *Out, size_t n, T m, T s) {         \
    rg_gpu_set_library_status(draw(g, Kind, Out, n, m, s));                    \
  }                                                                            \
  void *Name##_augment(rg_arena *Arena, uint64_t Active, uint64_t, void *g,    \
                       int Kind, T *Out, size_t n, T m, T s) {                 \
    return augmentOn(Arena, Active, Drawn<T>{g, Kind, Out, n, m, s});          \
  }                                                                            \
  void Name##_reverse(rg_arena *, uint64_t Lanes, void *Block, void *g,        \
                      int Kind, T *Out, T *const *Out_, size_t n, T m, T *m_,  \
                      T s, T *s_) {                                            \
    reverseOn(Lanes, Block,                                                    \
              Drawn<T>{g, Kind, {Out, Out_}, n, {m, m_}, {s, s_}});            \
  }                                                                            \
  void Name##_forward(uint64_t Lanes, void *g, int Kind, T *Out,               \
                      T *const *Out_, size_t n, T m, T *m_, T s, T *s_) {      \
    forwardOn(Lanes, Drawn<T>{g, Kind, {Out, Out_}, n, {m, m_}, {s, s_}});     \
  }                                                                            \
  int rg_expand_curandGenerateUniform##Suffix(void *g, T *Out, size_t n) {     \
    rg_gpu_keep(Out, n * sizeof(T));                                           \
    Name(g, Uniform, Out, n, 0, 0);                                            \
    return rg_gpu_library_status();                                            \
  }                                                                            \
  int rg_expand_curandGenerateNormal##Suffix(void *g, T *Out, size_t n, T m,   \
                                             T s) {                            \
    rg_gpu_keep(Out, n * sizeof(T));                                           \
    Name(g, Normal, Out, n, m, s);                                             \
    return rg_gpu_library_status();                                            \
  }                                                                            \
  int rg_expand_curandGenerateLogNormal##Suffix(void *g, T *Out, size_t n,     \
                                                T m, T s) {                    \
    rg_gpu_keep(Out, n * sizeof(T));                                           \
    Name(g, LogNormal, Out, n, m, s);                                          \
    return rg_gpu_library_status();                                            \
  }
RG_DRAW(double, rg_curand_d, Double)
RG_DRAW(float, rg_curand_s, )

/// Integers: 32 bits, 64 bits, of Poisson's distribution.
OPERATION int rg_curand_integers(void *g, int Kind, void *Out, size_t n,
                                 double lambda) {
  return Kind == 0   ? curandGenerate(g, (unsigned *)Out, n)
         : Kind == 1 ? curandGenerateLongLong(g, (unsigned long long *)Out, n)
                     : curandGeneratePoisson(g, (unsigned *)Out, n, lambda);
}
int rg_expand_curandGenerate(void *g, unsigned *Out, size_t n) {
  rg_gpu_keep(Out, n * sizeof(unsigned));
  return rg_curand_integers(g, 0, Out, n, 0);
}
int rg_expand_curandGenerateLongLong(void *g, unsigned long long *Out,
                                     size_t n) {
  rg_gpu_keep(Out, n * sizeof(unsigned long long));
  return rg_curand_integers(g, 1, Out, n, 0);
}
int rg_expand_curandGeneratePoisson(void *g, unsigned *Out, size_t n,
                                    double lambda) {
  rg_gpu_keep(Out, n * sizeof(unsigned));
  return rg_curand_integers(g, 2, Out, n, lambda);
}
} // extern "C"
