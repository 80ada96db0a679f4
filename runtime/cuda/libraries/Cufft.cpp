//===- Cufft.cpp - cuFFT on FFTW ------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is memory of the host here, and a call has done its work when
// it returns. A plan of cuFFT learns at its execution whether it works in place
// and in which direction, so plans of FFTW are made then, and kept. Where a
// transform from complex to real may use its input as it likes, ours leaves it
// as it is.
//
//===----------------------------------------------------------------------===//

#include "../Runtime.h"

#include "retrograd/cuda/cufftXt.h"
#include <climits>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

// FFTW's interface, of which only the library is needed.
extern "C" {
typedef struct fftw_plan_s *fftw_plan;
typedef struct fftwf_plan_s *fftwf_plan;
#define RG_FFTW(P, T)                                                          \
  P##_plan P##_plan_many_dft(int, const int *, int, T(*)[2], const int *, int, \
                             int, T(*)[2], const int *, int, int, int,         \
                             unsigned);                                        \
  P##_plan P##_plan_many_dft_r2c(int, const int *, int, T *, const int *, int, \
                                 int, T(*)[2], const int *, int, int,          \
                                 unsigned);                                    \
  P##_plan P##_plan_many_dft_c2r(int, const int *, int, T(*)[2], const int *,  \
                                 int, int, T *, const int *, int, int,         \
                                 unsigned);                                    \
  void P##_execute_dft(const P##_plan, T(*)[2], T(*)[2]);                      \
  void P##_execute_dft_r2c(const P##_plan, T *, T(*)[2]);                      \
  void P##_execute_dft_c2r(const P##_plan, T(*)[2], T *);                      \
  void P##_destroy_plan(P##_plan);
RG_FFTW(fftw, double)
RG_FFTW(fftwf, float)
#undef RG_FFTW
}

namespace {
enum : unsigned { Unaligned = 1 << 1, Preserve = 1 << 4, Estimate = 1 << 6 };

struct Side {
  int Embed[3], Stride, Distance;
};
struct Plan {
  bool Made, Said;
  int Rank, Size[3], Batch;
  cufftType Type;
  cudaStream_t Stream;
  Side In, Out;
  /// By direction and place.
  void *Of[2][2];
};
// Plans of FFTW may not be made by two threads at once.
std::mutex Lock;
std::vector<Plan *> Plans; // handles are their indices; null when destroyed

bool isDouble(cufftType T) { return T & 0x40; }

Plan *planOf(cufftHandle H) {
  std::lock_guard<std::mutex> L(Lock);
  return H >= 0 && (size_t)H < Plans.size() ? Plans[H] : nullptr;
}

void forget(Plan &P) {
  for (auto &Direction : P.Of)
    for (void *&Of : Direction) {
      if (Of && isDouble(P.Type))
        fftw_destroy_plan((fftw_plan)Of);
      else if (Of)
        fftwf_destroy_plan((fftwf_plan)Of);
      Of = nullptr;
    }
}

cufftResult make(cufftHandle H, int Rank, const long long *Size,
                 const long long *InEmbed, long long InStride,
                 long long InDistance, const long long *OutEmbed,
                 long long OutStride, long long OutDistance, cufftType Type,
                 long long Batch, size_t *Bytes) {
  Plan *P = planOf(H);
  if (!P || P->Made)
    return CUFFT_INVALID_PLAN;
  if (Rank < 1 || Rank > 3 || !Size || !Bytes)
    return CUFFT_INVALID_VALUE;
  if (Type != CUFFT_C2C && Type != CUFFT_R2C && Type != CUFFT_C2R &&
      Type != CUFFT_Z2Z && Type != CUFFT_D2Z && Type != CUFFT_Z2D)
    return CUFFT_INVALID_TYPE;
  if (Batch < 1 || Batch > INT_MAX)
    return CUFFT_INVALID_SIZE;
  P->Said = InEmbed && OutEmbed;
  P->Rank = Rank;
  P->Batch = (int)Batch;
  P->Type = Type;
  for (int I = 0; I != Rank; ++I) {
    if (Size[I] < 1 || Size[I] > INT_MAX)
      return CUFFT_INVALID_SIZE;
    P->Size[I] = (int)Size[I];
    if (!P->Said)
      continue;
    if (InEmbed[I] > INT_MAX || OutEmbed[I] > INT_MAX)
      return CUFFT_INVALID_SIZE;
    P->In.Embed[I] = (int)InEmbed[I];
    P->Out.Embed[I] = (int)OutEmbed[I];
  }
  for (long long N : {InStride, InDistance, OutStride, OutDistance})
    if (P->Said && (N < 0 || N > INT_MAX))
      return CUFFT_INVALID_SIZE;
  P->In.Stride = (int)InStride;
  P->In.Distance = (int)InDistance;
  P->Out.Stride = (int)OutStride;
  P->Out.Distance = (int)OutDistance;
  P->Made = true;
  *Bytes = 0;
  return CUFFT_SUCCESS;
}

/// Elements one after the other, the last dimension of another length.
Side packed(const Plan &P, int Row) {
  Side S = {{}, 1, 1};
  for (int I = 0; I != P.Rank; ++I)
    S.Distance *= S.Embed[I] = I == P.Rank - 1 ? Row : P.Size[I];
  return S;
}

template <class T> struct Fftw;
#define RG_FFTW(P, T)                                                          \
  template <> struct Fftw<T> {                                                 \
    using C = T (*)[2];                                                        \
    static void *plan(const Plan &Q, Side I, Side O, void *In, void *Out,      \
                      int Direction, unsigned Flags) {                         \
      if ((Q.Type & 7) == 1)                                                   \
        return P##_plan_many_dft(Q.Rank, Q.Size, Q.Batch, (C)In, I.Embed,      \
                                 I.Stride, I.Distance, (C)Out, O.Embed,        \
                                 O.Stride, O.Distance, Direction, Flags);      \
      if ((Q.Type & 7) == 2)                                                   \
        return P##_plan_many_dft_r2c(Q.Rank, Q.Size, Q.Batch, (T *)In,         \
                                     I.Embed, I.Stride, I.Distance, (C)Out,    \
                                     O.Embed, O.Stride, O.Distance, Flags);    \
      return P##_plan_many_dft_c2r(Q.Rank, Q.Size, Q.Batch, (C)In, I.Embed,    \
                                   I.Stride, I.Distance, (T *)Out, O.Embed,    \
                                   O.Stride, O.Distance, Flags);               \
    }                                                                          \
    static void run(const Plan &Q, void *Of, void *In, void *Out) {            \
      if ((Q.Type & 7) == 1)                                                   \
        P##_execute_dft((P##_plan)Of, (C)In, (C)Out);                          \
      else if ((Q.Type & 7) == 2)                                              \
        P##_execute_dft_r2c((P##_plan)Of, (T *)In, (C)Out);                    \
      else                                                                     \
        P##_execute_dft_c2r((P##_plan)Of, (C)In, (T *)Out);                    \
    }                                                                          \
  };
RG_FFTW(fftw, double)
RG_FFTW(fftwf, float)
#undef RG_FFTW

template <class T>
cufftResult execute(cufftHandle H, cufftType Type, void *In, void *Out,
                    int Direction) {
  Plan *P = planOf(H);
  if (P && rgcuda::lists(P->Stream)) {
    rgcuda::list(P->Stream, [=]() -> int {
      return execute<T>(H, Type, In, Out, Direction);
    });
    return CUFFT_SUCCESS;
  }
  rgcuda::beforeCall();
  if (!P || !P->Made)
    return CUFFT_INVALID_PLAN;
  if (P->Type != Type)
    return CUFFT_INVALID_TYPE;
  if (!In || !Out || (Direction != CUFFT_FORWARD && Direction != CUFFT_INVERSE))
    return CUFFT_INVALID_VALUE;
  bool InPlace = In == Out;
  int Last = P->Size[P->Rank - 1], Half = Last / 2 + 1;
  int Kind = Type & 7, Real = InPlace ? 2 * Half : Last;
  Side I = P->Said ? P->In
                   : packed(*P, Kind == 1   ? Last
                                : Kind == 2 ? Real
                                            : Half);
  Side O = P->Said ? P->Out
                   : packed(*P, Kind == 1   ? Last
                                : Kind == 2 ? Half
                                            : Real);
  // From complex to real, what works out of place may overwrite its input, but
  // in one dimension: it gets a copy.
  std::vector<T> Copy;
  if (Kind == 4 && !InPlace && P->Rank > 1) {
    size_t Count = (size_t)(P->Batch - 1) * I.Distance;
    size_t Step = I.Stride;
    for (int D = P->Rank - 1; D >= 0; --D) {
      Count += Step * ((D == P->Rank - 1 ? Half : P->Size[D]) - 1);
      Step *= I.Embed[D];
    }
    Copy.assign((T *)In, (T *)In + 2 * (Count + 1));
    In = Copy.data();
  }
  void *&Of = P->Of[Direction == CUFFT_INVERSE][InPlace];
  {
    std::lock_guard<std::mutex> L(Lock);
    if (!Of)
      Of = Fftw<T>::plan(
          *P, I, O, In, Out, Direction,
          Estimate | Unaligned |
              (Kind == 4 && !InPlace && P->Rank == 1 ? Preserve : 0));
  }
  if (!Of)
    return CUFFT_INTERNAL_ERROR;
  Fftw<T>::run(*P, Of, In, Out);
  return CUFFT_SUCCESS;
}

/// A handle that is made at once; none where that fails.
template <class F> cufftResult createAnd(cufftHandle *H, F Make) {
  if (cufftResult Error = cufftCreate(H))
    return Error;
  cufftResult Error = Make(*H);
  if (Error)
    cufftDestroy(*H);
  return Error;
}
} // namespace

extern "C" {
cufftResult cufftCreate(cufftHandle *plan) {
  if (!plan)
    return CUFFT_INVALID_VALUE;
  auto *P = new (std::nothrow) Plan();
  if (!P)
    return CUFFT_ALLOC_FAILED;
  std::lock_guard<std::mutex> L(Lock);
  *plan = (cufftHandle)Plans.size();
  Plans.push_back(P);
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle plan) {
  Plan *P = planOf(plan);
  if (!P)
    return CUFFT_INVALID_PLAN;
  std::lock_guard<std::mutex> L(Lock);
  forget(*P);
  delete P;
  Plans[plan] = nullptr;
  return CUFFT_SUCCESS;
}

cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long *n,
                                long long *inembed, long long istride,
                                long long idist, long long *onembed,
                                long long ostride, long long odist,
                                cufftType type, long long batch,
                                size_t *workSize) {
  return make(plan, rank, n, inembed, istride, idist, onembed, ostride, odist,
              type, batch, workSize);
}
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n,
                                long long *inembed, long long istride,
                                long long idist, cudaDataType inputtype,
                                long long *onembed, long long ostride,
                                long long odist, cudaDataType outputtype,
                                long long batch, size_t *workSize,
                                cudaDataType) {
  struct {
    cudaDataType In, Out;
    cufftType Type;
  } const Types[] = {
      {CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUFFT_R2C},
      {CUDA_C_32F, CUDA_R_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
      {CUDA_R_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUFFT_Z2D}};
  for (auto T : Types)
    if (T.In == inputtype && T.Out == outputtype)
      return make(plan, rank, n, inembed, istride, idist, onembed, ostride,
                  odist, T.Type, batch, workSize);
  return CUFFT_NOT_SUPPORTED;
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed,
                              int istride, int idist, int *onembed, int ostride,
                              int odist, cufftType type, int batch,
                              size_t *workSize) {
  if (rank < 1 || rank > 3 || !n)
    return CUFFT_INVALID_VALUE;
  long long Sizes[3][3] = {};
  for (int I = 0; I != rank; ++I) {
    Sizes[0][I] = n[I];
    Sizes[1][I] = inembed ? inembed[I] : 0;
    Sizes[2][I] = onembed ? onembed[I] : 0;
  }
  return make(plan, rank, Sizes[0], inembed ? Sizes[1] : nullptr, istride,
              idist, onembed ? Sizes[2] : nullptr, ostride, odist, type, batch,
              workSize);
}
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch,
                            size_t *workSize) {
  return cufftMakePlanMany(plan, 1, &nx, nullptr, 0, 0, nullptr, 0, 0, type,
                           batch, workSize);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type,
                            size_t *workSize) {
  int Size[] = {nx, ny};
  return cufftMakePlanMany(plan, 2, Size, nullptr, 0, 0, nullptr, 0, 0, type, 1,
                           workSize);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz,
                            cufftType type, size_t *workSize) {
  int Size[] = {nx, ny, nz};
  return cufftMakePlanMany(plan, 3, Size, nullptr, 0, 0, nullptr, 0, 0, type, 1,
                           workSize);
}
cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch) {
  size_t Bytes;
  return createAnd(plan, [&](cufftHandle H) {
    return cufftMakePlan1d(H, nx, type, batch, &Bytes);
  });
}
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type) {
  size_t Bytes;
  return createAnd(plan, [&](cufftHandle H) {
    return cufftMakePlan2d(H, nx, ny, type, &Bytes);
  });
}
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz,
                        cufftType type) {
  size_t Bytes;
  return createAnd(plan, [&](cufftHandle H) {
    return cufftMakePlan3d(H, nx, ny, nz, type, &Bytes);
  });
}
cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed,
                          int istride, int idist, int *onembed, int ostride,
                          int odist, cufftType type, int batch) {
  size_t Bytes;
  return createAnd(plan, [&](cufftHandle H) {
    return cufftMakePlanMany(H, rank, n, inembed, istride, idist, onembed,
                             ostride, odist, type, batch, &Bytes);
  });
}

cufftResult cufftEstimate1d(int, cufftType, int, size_t *workSize) {
  return *workSize = 0, CUFFT_SUCCESS;
}
cufftResult cufftEstimate2d(int, int, cufftType, size_t *workSize) {
  return *workSize = 0, CUFFT_SUCCESS;
}
cufftResult cufftEstimate3d(int, int, int, cufftType, size_t *workSize) {
  return *workSize = 0, CUFFT_SUCCESS;
}
cufftResult cufftGetSize(cufftHandle plan, size_t *workSize) {
  return planOf(plan) ? (*workSize = 0, CUFFT_SUCCESS) : CUFFT_INVALID_PLAN;
}
cufftResult cufftSetWorkArea(cufftHandle plan, void *) {
  return planOf(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftSetAutoAllocation(cufftHandle plan, int) {
  return planOf(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
  Plan *P = planOf(plan);
  if (!P)
    return CUFFT_INVALID_PLAN;
  return P->Stream = stream, CUFFT_SUCCESS;
}
cufftResult cufftGetVersion(int *version) {
  return *version = CUFFT_VERSION, CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int *value) {
  *value = type == MAJOR_VERSION   ? CUFFT_VER_MAJOR
           : type == MINOR_VERSION ? CUFFT_VER_MINOR
                                   : CUFFT_VER_PATCH;
  return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *idata,
                         cufftComplex *odata, int direction) {
  return execute<float>(plan, CUFFT_C2C, idata, odata, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *idata,
                         cufftComplex *odata) {
  return execute<float>(plan, CUFFT_R2C, idata, odata, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *idata,
                         cufftReal *odata) {
  return execute<float>(plan, CUFFT_C2R, idata, odata, CUFFT_INVERSE);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *idata,
                         cufftDoubleComplex *odata, int direction) {
  return execute<double>(plan, CUFFT_Z2Z, idata, odata, direction);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *idata,
                         cufftDoubleComplex *odata) {
  return execute<double>(plan, CUFFT_D2Z, idata, odata, CUFFT_FORWARD);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *idata,
                         cufftDoubleReal *odata) {
  return execute<double>(plan, CUFFT_Z2D, idata, odata, CUFFT_INVERSE);
}
} // extern "C"
