/*===- cublas.cpp - cuBLAS as operations ----------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Names, operations and rules for each type of number (docs/HostDevice.md).
|*
|* A name of the library is an expansion: it fetches the numbers that are
|* passed by address, from the host or from the device as the handle says,
|* tells the book of device memory what will be overwritten, and calls an
|* operation.
\*===------------------------------------------------------------------------===*/
#include "cublas_rules.h"
#include "devicearrays.h"

using namespace rg;
using namespace rg::device;

extern "C" {
void *rg_gpu_keep(void *p, uint64_t bytes);
void *rg_gpu_malloc(uint64_t bytes);
void rg_gpu_free(void *p);
void rg_gpu_freed(void *p);
void *rg_gpu_copy(void *to, const void *from, uint64_t bytes, int kind);
void *rg_gpu_copy_async(void *to, const void *from, uint64_t bytes, int kind,
                        void *stream);
int rg_cublas_on_host(void *h);
int cublasSetStream_v2(void *h, void *stream);
int rg_cublas_amax(void *h, int which, int n, const void *x, int incx,
                   int *result);
void *rg_cublas_stream(void *h);
void rg_cublas_no_types(const char *routine);
int rg_gpu_status(void);
void rg_gpu_wait_for(void *stream);
}

//===-- Handles
//-------------------------------------------------------------===//

namespace {
using HostNumbers =
    rg::device::NumbersOnHost<cublasGetPointerMode_v2, cublasSetPointerMode_v2>;

enum { DeviceToHost = 2, HostToDevice = 1 };
} // namespace

/// Handles for the reverse sweep, one per device. The thread's.
struct rg_cublas_handle {
  void *h;
  int device;
  rg_cublas_handle *next;
};
__thread rg_cublas_handle *rg_cublas_handles;

extern "C" void *rg_cublas_own(int Math) {
  int Device = rg_gpu_works();
  rg_cublas_handle *H;
  for (H = rg_cublas_handles; H && H->device != Device; H = H->next)
    ;
  if (!H) {
    H = static_cast<rg_cublas_handle *>(malloc(sizeof *H));
    void *New = nullptr;
    must(H ? cublasCreate_v2(&New) : 3, "cublasCreate");
    *H = {New, Device, rg_cublas_handles};
    rg_cublas_handles = H;
  }
  cublasSetMathMode(H->h, Math);
  return H->h;
}
extern "C" int rg_cublas_on_host(void *h) {
  int Mode = Host;
  cublasGetPointerMode_v2(h, &Mode);
  return Mode == Host;
}
extern "C" void *rg_cublas_stream(void *h) {
  void *Stream = nullptr;
  cublasGetStream_v2(h, &Stream);
  return Stream;
}
/// Around a call that a graph makes again: what the handle was set to.
struct rg_cublas_setting {
  void *stream;
  int mode;
};
__thread rg_cublas_setting rg_cublas_before;
extern "C" OPERATION void rg_cublas_graph_enter(void *h, void *Stream,
                                                int OnHost) {
  cublasGetStream_v2(h, &rg_cublas_before.stream);
  cublasGetPointerMode_v2(h, &rg_cublas_before.mode);
  cublasSetStream_v2(h, Stream);
  cublasSetPointerMode_v2(h, OnHost ? Host : 1);
}
extern "C" OPERATION void rg_cublas_graph_leave(void *h) {
  cublasSetStream_v2(h, rg_cublas_before.stream);
  cublasSetPointerMode_v2(h, rg_cublas_before.mode);
}
/// Of the numbers of a product with a result of that type.
extern "C" long rg_expand_cublas_number_bytes(int Type, int Compute) {
  return Compute == 64 || Compute == 65 ? 2
         : Type == 5                    ? 16 // two doubles
         : Type == 1 || Type == 4       ? 8
                                        : 4;
}

//===-- Rules
//---------------------------------------------------------------===//

namespace {
struct NumberKept : Kept {
  double Number;
};

template <class R, class... N>
inline void *augmentOn(rg_arena *Arena, uint64_t Active, R Rule, N &...Number) {
  activate(Rule, Active);
  auto *K =
      static_cast<NumberKept *>(rg_tape_zalloc(Arena, sizeof(NumberKept)));
  K->Active = Active;
  K->Device = rg_gpu_works();
  HostNumbers Mode(Rule.q.h);
  cublasGetMathMode(Rule.q.h, &K->Math);
  Rule.keep(Keeper(*K, Rule.q));
  K->Status = Rule.primal(Number...);
  rg_gpu_set_library_status(K->Status);
  ((K->Number = Number), ...);
  if constexpr (requires(Keeper k) { Rule.keepAfter(k); })
    if (!K->Status)
      Rule.keepAfter(Keeper(*K, Rule.q));
  rg_gpu_hold();
  return K;
}

template <class R, class... S>
inline void reverseOn(uint64_t Lanes, void *Block, R Rule, const char *Name,
                      const S *...Seed) {
  auto *K = static_cast<NumberKept *>(Block);
  if (!K->Status) {
    rg_gpu_wait(Name);
    int Before = rg_gpu_enter(K->Device, Name);
    Rule.q = Queue(rg_cublas_own(K->Math));
    activate(Rule, K->Active);
    for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
      selectLane(Rule, Lane);
      if constexpr (sizeof...(S) == 0)
        Rule.reverse(*K);
      else
        Rule.reverse(*K, Seed[Lane]..., static_cast<S>(K->Number)...);
      Rule.each([&](int, auto &Operand) { Operand.leave(Lane); });
    }
    rg_gpu_enter(Before, Name);
  }
  for (rg_room &Room : K->Room)
    if (Room.at)
      rg_gpu_room_back(Room);
  rg_gpu_let_go();
}

template <class R> inline void tangents(R &Rule, uint64_t Lanes, bool After) {
  for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
    selectLane(Rule, Lane);
    if constexpr (requires { Rule.before(); })
      if (!After)
        Rule.before();
    if constexpr (requires { Rule.after(); })
      if (After)
        Rule.after();
  }
}
template <class R> inline void forwardOn(uint64_t Lanes, R Rule) {
  HostNumbers Mode(Rule.q.h);
  rg_gpu_works();
  Rule.q.stream = rg_cublas_stream(Rule.q.h);
  tangents(Rule, Lanes, false);
  int Status = Rule.primal();
  rg_gpu_set_library_status(Status);
  if (!Status)
    tangents(Rule, Lanes, true);
}
template <class R, class T>
inline void forwardNumber(uint64_t Lanes, R Rule, T *Result, T *Tangents) {
  HostNumbers Mode(Rule.q.h);
  rg_gpu_works();
  Rule.q.stream = rg_cublas_stream(Rule.q.h);
  int Status = Rule.primal(*Result);
  rg_gpu_set_library_status(Status);
  for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
    selectLane(Rule, Lane);
    Tangents[Lane] = Status ? 0 : Rule.tangent(*Result);
  }
}

template <class R> struct Make {
  template <class... A> R operator()(Queue q, A... a) const {
    R Rule{a...};
    Rule.q = q;
    return Rule;
  }
};
template <class T> struct MakeBatched {
  Gemm<T> operator()(Queue q, int ta, int tb, int m, int n, int k, Scalar<T> a,
                     Dual<const T> A, int lda, long long sa, Dual<const T> B,
                     int ldb, long long sb, Scalar<T> b, Dual<T> C, int ldc,
                     long long sc, int N) const {
    return {ta, tb, m,   n,  k,  a,  A, lda,  B, ldb,
            b,  C,  ldc, sa, sb, sc, N, true, q};
  }
};

//===-- Expansions
//----------------------------------------------------------===//

/// A number that the library takes by address.
template <class T> inline T number(void *h, const T *p) {
  if (rg_cublas_on_host(h))
    return *p;
  T Value;
  rg_gpu_copy(&Value, p, sizeof Value, DeviceToHost);
  return Value;
}
/// A result that the library returns by address.
template <class T> inline void result(void *h, T *p, T Value) {
  if (rg_cublas_on_host(h)) {
    *p = Value;
    return;
  }
  rg_gpu_keep(p, sizeof Value);
  rg_gpu_copy(p, &Value, sizeof Value, HostToDevice);
}
template <class T> inline void keepVector(T *x, int n, int inc) {
  int64_t Step = inc < 0 ? -(int64_t)inc : inc;
  if (n > 0)
    rg_gpu_keep(x, ((n - 1) * Step + 1) * sizeof(T));
}
template <class T> inline void keepMatrix(T *A, int m, int n, int lda) {
  if (m > 0 && n > 0)
    rg_gpu_keep(A, ((int64_t)(n - 1) * lda + m) * sizeof(T));
}
template <class T> inline void keepPacked(T *P, int n) {
  if (n > 0)
    rg_gpu_keep(P, (int64_t)n * (n + 1) / 2 * sizeof(T));
}
inline int status() { return rg_gpu_library_status(); }
/// A full matrix in the place of a packed one.
template <class T> inline T *roomFor(int n) {
  int64_t Count = n > 0 ? (int64_t)n * n : 1;
  return static_cast<T *>(rg_gpu_malloc(Count * sizeof(T)));
}
inline void roomBack(void *A) {
  rg_gpu_freed(A);
  rg_gpu_free(A);
}
inline double rootOf(double x) { return __builtin_sqrt(x); }
inline float rootOf(float x) { return __builtin_sqrtf(x); }
inline double sizeOf(double x) { return __builtin_fabs(x); }
inline float sizeOf(float x) { return __builtin_fabsf(x); }

/// Rows of the host and of the device, as cublasSetMatrix has them.
inline int rows(int m, int n, int bytes, const void *A, int lda, void *B,
                int ldb, int kind, void *stream) {
  for (int j = 0; j < n; ++j) {
    char *To = (char *)B + (int64_t)j * ldb * bytes;
    rg_gpu_keep(To, (int64_t)m * bytes);
    rg_gpu_copy_async(To, (const char *)A + (int64_t)j * lda * bytes,
                      (int64_t)m * bytes, kind, stream);
  }
  return rg_gpu_status() ? 11 /* a copy failed */ : 0;
}
} // namespace

extern "C" {
int rg_expand_cublasSetVector(int n, int bytes, const void *x, int incx,
                              void *y, int incy) {
  int Error = incx == 1 && incy == 1
                  ? rows(n, 1, bytes, x, n, y, n, HostToDevice, nullptr)
                  : rows(1, n, bytes, x, incx, y, incy, HostToDevice, nullptr);
  rg_gpu_wait_for(nullptr);
  return Error;
}
int rg_expand_cublasGetVector(int n, int bytes, const void *x, int incx,
                              void *y, int incy) {
  int Error = incx == 1 && incy == 1
                  ? rows(n, 1, bytes, x, n, y, n, DeviceToHost, nullptr)
                  : rows(1, n, bytes, x, incx, y, incy, DeviceToHost, nullptr);
  rg_gpu_wait_for(nullptr);
  return Error;
}
int rg_expand_cublasSetMatrix(int m, int n, int bytes, const void *A, int lda,
                              void *B, int ldb) {
  int Error = lda == m && ldb == m
                  ? rows(m * n, 1, bytes, A, m, B, m, HostToDevice, nullptr)
                  : rows(m, n, bytes, A, lda, B, ldb, HostToDevice, nullptr);
  rg_gpu_wait_for(nullptr);
  return Error;
}
int rg_expand_cublasGetMatrix(int m, int n, int bytes, const void *A, int lda,
                              void *B, int ldb) {
  int Error = lda == m && ldb == m
                  ? rows(m * n, 1, bytes, A, m, B, m, DeviceToHost, nullptr)
                  : rows(m, n, bytes, A, lda, B, ldb, DeviceToHost, nullptr);
  rg_gpu_wait_for(nullptr);
  return Error;
}
int rg_expand_cublasSetVectorAsync(int n, int bytes, const void *x, int incx,
                                   void *y, int incy, void *stream) {
  return rows(1, n, bytes, x, incx, y, incy, HostToDevice, stream);
}
int rg_expand_cublasGetVectorAsync(int n, int bytes, const void *x, int incx,
                                   void *y, int incy, void *stream) {
  return rows(1, n, bytes, x, incx, y, incy, DeviceToHost, stream);
}
int rg_expand_cublasSetMatrixAsync(int m, int n, int bytes, const void *A,
                                   int lda, void *B, int ldb, void *stream) {
  return rows(m, n, bytes, A, lda, B, ldb, HostToDevice, stream);
}
int rg_expand_cublasGetMatrixAsync(int m, int n, int bytes, const void *A,
                                   int lda, void *B, int ldb, void *stream) {
  return rows(m, n, bytes, A, lda, B, ldb, DeviceToHost, stream);
}
} // extern "C"

#define T double
#define OP(x) rg_cublas_d##x
#define NAME(x) rg_expand_cublasD##x
#include "cublas_names.inc"
#undef T
#undef OP
#undef NAME
#define T float
#define OP(x) rg_cublas_s##x
#define NAME(x) rg_expand_cublasS##x
#include "cublas_names.inc"
#undef T
#undef OP
#undef NAME

#define R double
#define T ComplexOf<double>
#define OP(x) rg_cublas_z##x
#define NAME(x) rg_expand_cublasZ##x
#define NORM_NAME rg_expand_cublasDznrm2
#define SCALE_NAME rg_expand_cublasZdscal
#define ROTATE_NAME rg_expand_cublasZdrot
#define SUM_NAME rg_expand_cublasDzasum
#include "cublas_names.inc"
#undef R
#undef T
#undef OP
#undef NAME
#undef NORM_NAME
#undef SCALE_NAME
#undef ROTATE_NAME
#undef SUM_NAME
#define R float
#define T ComplexOf<float>
#define OP(x) rg_cublas_c##x
#define NAME(x) rg_expand_cublasC##x
#define NORM_NAME rg_expand_cublasScnrm2
#define SCALE_NAME rg_expand_cublasCsscal
#define ROTATE_NAME rg_expand_cublasCsrot
#define SUM_NAME rg_expand_cublasScasum
#include "cublas_names.inc"
#undef R
#undef T
#undef OP
#undef NAME
#undef NORM_NAME
#undef SCALE_NAME
#undef ROTATE_NAME
#undef SUM_NAME

// Products of numbers of 16 bits; the numbers by value are floats.
extern "C" {
#define RG_NARROW(Name, E, O)                                                  \
  OPERATION void Name(void *h, int ta, int tb, int m, int n, int k, float a,   \
                      const E *A, int lda, long long sa, const E *B, int ldb,  \
                      long long sb, float b, O *C, int ldc, long long sc,      \
                      int N, int Compute, int Algorithm) {                     \
    HostNumbers Mode(h);                                                       \
    rg_gpu_set_library_status(NarrowGemm<E, O>{                                \
        ta,  tb, m, n, k,   a,  A, lda,     sa,        B,                      \
        ldb, sb, b, C, ldc, sc, N, Compute, Algorithm, Queue(h)}               \
                                  .primal());                                  \
  }                                                                            \
  void *Name##_augment(rg_arena *Arena, uint64_t Active, uint64_t, void *h,    \
                       int ta, int tb, int m, int n, int k, float a,           \
                       const E *A, int lda, long long sa, const E *B, int ldb, \
                       long long sb, float b, O *C, int ldc, long long sc,     \
                       int N, int Compute, int Algorithm) {                    \
    return augmentOn(Arena, Active,                                            \
                     NarrowGemm<E, O>{ta,  tb, m,       n,         k,          \
                                      a,   A,  lda,     sa,        B,          \
                                      ldb, sb, b,       C,         ldc,        \
                                      sc,  N,  Compute, Algorithm, Queue(h)}); \
  }                                                                            \
  void Name##_forward(uint64_t Lanes, void *h, int ta, int tb, int m, int n,   \
                      int k, float a, float *a_, const E *A, E *const *A_,     \
                      int lda, long long sa, const E *B, E *const *B_,         \
                      int ldb, long long sb, float b, float *b_, O *C,         \
                      O *const *C_, int ldc, long long sc, int N, int Compute, \
                      int Algorithm) {                                         \
    forwardOn(Lanes, NarrowGemm<E, O>{ta,      tb,      m,         n,          \
                                      k,       {a, a_}, {A, A_},   lda,        \
                                      sa,      {B, B_}, ldb,       sb,         \
                                      {b, b_}, {C, C_}, ldc,       sc,         \
                                      N,       Compute, Algorithm, Queue(h)}); \
  }                                                                            \
  void Name##_reverse(rg_arena *, uint64_t Lanes, void *Block, void *h,        \
                      int ta, int tb, int m, int n, int k, float a, float *a_, \
                      const E *A, E *const *A_, int lda, long long sa,         \
                      const E *B, E *const *B_, int ldb, long long sb,         \
                      float b, float *b_, O *C, O *const *C_, int ldc,         \
                      long long sc, int N, int Compute, int Algorithm) {       \
    reverseOn(Lanes, Block,                                                    \
              NarrowGemm<E, O>{                                                \
                  ta,  tb, m,       n,       k,         {a, a_}, {A, A_},      \
                  lda, sa, {B, B_}, ldb,     sb,        {b, b_}, {C, C_},      \
                  ldc, sc, N,       Compute, Algorithm, Queue(h)},             \
              "cublasGemmEx");                                                 \
  }
RG_NARROW(rg_cublas_hgemm, Half, Half)
RG_NARROW(rg_cublas_hgemm_s, Half, float)
RG_NARROW(rg_cublas_ygemm, Brain, Brain)
RG_NARROW(rg_cublas_ygemm_s, Brain, float)
#undef RG_NARROW
} // extern "C"

// Types of numbers that are said at run time: cudaDataType.
enum {
  Real32 = 0,
  Real64 = 1,
  Real16 = 2,
  Complex32 = 4,
  Complex64 = 5,
  Brain16 = 14
};
namespace {
/// A number by address, of the type that a computation has.
inline float scaleOf(void *h, const void *p, int Compute) {
  if (Compute == 64 || Compute == 65)
    return (float)number(h, (const _Float16 *)p);
  return number(h, (const float *)p);
}
/// Products of numbers of 16 bits; whether it was one.
inline bool narrow(void *h, int ta, int tb, int m, int n, int k, const void *a,
                   const void *A, int typeA, int lda, long long sa,
                   const void *B, int typeB, int ldb, long long sb,
                   const void *b, void *C, int typeC, int ldc, long long sc,
                   int N, int Compute, int Algorithm) {
  if (typeA != typeB || (typeA != Real16 && typeA != Brain16) ||
      (typeC != typeA && typeC != Real32))
    return false;
  for (int i = 0; i < N; ++i)
    if (typeC == Real32)
      keepMatrix((float *)C + i * sc, m, n, ldc);
    else
      keepMatrix((Half *)C + i * sc, m, n, ldc);
  float Alpha = scaleOf(h, a, Compute), Beta = scaleOf(h, b, Compute);
  if (typeA == Real16 && typeC == Real16)
    rg_cublas_hgemm(h, ta, tb, m, n, k, Alpha, (const Half *)A, lda, sa,
                    (const Half *)B, ldb, sb, Beta, (Half *)C, ldc, sc, N,
                    Compute, Algorithm);
  else if (typeA == Real16)
    rg_cublas_hgemm_s(h, ta, tb, m, n, k, Alpha, (const Half *)A, lda, sa,
                      (const Half *)B, ldb, sb, Beta, (float *)C, ldc, sc, N,
                      Compute, Algorithm);
  else if (typeC == Brain16)
    rg_cublas_ygemm(h, ta, tb, m, n, k, Alpha, (const Brain *)A, lda, sa,
                    (const Brain *)B, ldb, sb, Beta, (Brain *)C, ldc, sc, N,
                    Compute, Algorithm);
  else
    rg_cublas_ygemm_s(h, ta, tb, m, n, k, Alpha, (const Brain *)A, lda, sa,
                      (const Brain *)B, ldb, sb, Beta, (float *)C, ldc, sc, N,
                      Compute, Algorithm);
  return true;
}
} // namespace
// The result is an index.
extern "C" OPERATION int rg_cublas_amax(void *h, int which, int n,
                                        const void *x, int incx, int *result) {
#define RG_INDEX(Number, Name, T)                                              \
  case Number:                                                                 \
    return cublas##Name##_v2(h, n, static_cast<const T *>(x), incx, result);
  switch (which) {
    RG_INDEX(0, Idamax, double)
    RG_INDEX(1, Idamin, double)
    RG_INDEX(2, Isamax, float)
    RG_INDEX(3, Isamin, float)
    RG_INDEX(4, Izamax, ComplexOf<double>)
    RG_INDEX(5, Izamin, ComplexOf<double>)
    RG_INDEX(6, Icamax, ComplexOf<float>)
  default:
    return cublasIcamin_v2(h, n, static_cast<const ComplexOf<float> *>(x), incx,
                           result);
  }
#undef RG_INDEX
}
extern "C" OPERATION void rg_cublas_no_types(const char *routine) {
  rg_gpu_library_failed(routine, -1);
}
extern "C" {
#define RG_INDEX(Name, Number, T)                                              \
  int rg_expand_cublas##Name(void *h, int n, const T *x, int incx,             \
                             int *result) {                                    \
    if (!rg_cublas_on_host(h))                                                 \
      rg_gpu_keep(result, sizeof *result);                                     \
    return rg_cublas_amax(h, Number, n, x, incx, result);                      \
  }
RG_INDEX(Idamax, 0, double)
RG_INDEX(Idamin, 1, double)
RG_INDEX(Isamax, 2, float)
RG_INDEX(Isamin, 3, float)
RG_INDEX(Izamax, 4, ComplexOf<double>)
RG_INDEX(Izamin, 5, ComplexOf<double>)
RG_INDEX(Icamax, 6, ComplexOf<float>)
RG_INDEX(Icamin, 7, ComplexOf<float>)

int rg_expand_cublasGemmEx(void *h, int ta, int tb, int m, int n, int k,
                           const void *a, const void *A, int typeA, int lda,
                           const void *B, int typeB, int ldb, const void *b,
                           void *C, int typeC, int ldc, int compute,
                           int algorithm) {
  if (narrow(h, ta, tb, m, n, k, a, A, typeA, lda, 0, B, typeB, ldb, 0, b, C,
             typeC, ldc, 0, 1, compute, algorithm))
    return status();
  if (typeA == Real64 && typeB == Real64 && typeC == Real64)
    return rg_expand_cublasDgemm(h, ta, tb, m, n, k, (const double *)a,
                                 (const double *)A, lda, (const double *)B, ldb,
                                 (const double *)b, (double *)C, ldc);
  if (typeA == Complex64 && typeB == Complex64 && typeC == Complex64)
    return rg_expand_cublasZgemm(
        h, ta, tb, m, n, k, (const ComplexOf<double> *)a,
        (const ComplexOf<double> *)A, lda, (const ComplexOf<double> *)B, ldb,
        (const ComplexOf<double> *)b, (ComplexOf<double> *)C, ldc);
  if (typeA == Complex32 && typeB == Complex32 && typeC == Complex32)
    return rg_expand_cublasCgemm(
        h, ta, tb, m, n, k, (const ComplexOf<float> *)a,
        (const ComplexOf<float> *)A, lda, (const ComplexOf<float> *)B, ldb,
        (const ComplexOf<float> *)b, (ComplexOf<float> *)C, ldc);
  if (typeA != Real32 || typeB != Real32 || typeC != Real32)
    rg_cublas_no_types("cublasGemmEx");
  return rg_expand_cublasSgemm(h, ta, tb, m, n, k, (const float *)a,
                               (const float *)A, lda, (const float *)B, ldb,
                               (const float *)b, (float *)C, ldc);
}
// The addresses lie on the device.
int rg_expand_cublasGemmBatchedEx(void *h, int ta, int tb, int m, int n, int k,
                                  const void *a, const void *const *A,
                                  int typeA, int lda, const void *const *B,
                                  int typeB, int ldb, const void *b,
                                  void *const *C, int typeC, int ldc, int N,
                                  int compute, int algorithm) {
  int Error = 0;
  for (int i = 0; i < N && !Error; ++i) {
    const void *X, *Y;
    void *Z;
    rg_gpu_copy(&X, A + i, sizeof X, DeviceToHost);
    rg_gpu_copy(&Y, B + i, sizeof Y, DeviceToHost);
    rg_gpu_copy(&Z, C + i, sizeof Z, DeviceToHost);
    Error =
        rg_expand_cublasGemmEx(h, ta, tb, m, n, k, a, X, typeA, lda, Y, typeB,
                               ldb, b, Z, typeC, ldc, compute, algorithm);
  }
  return Error;
}
int rg_expand_cublasHgemmBatched(void *h, int ta, int tb, int m, int n, int k,
                                 const void *a, const void *const *A, int lda,
                                 const void *const *B, int ldb, const void *b,
                                 void *const *C, int ldc, int N) {
  return rg_expand_cublasGemmBatchedEx(h, ta, tb, m, n, k, a, A, Real16, lda, B,
                                       Real16, ldb, b, C, Real16, ldc, N, 64,
                                       -1);
}
int rg_expand_cublasHgemm(void *h, int ta, int tb, int m, int n, int k,
                          const void *a, const void *A, int lda, const void *B,
                          int ldb, const void *b, void *C, int ldc) {
  return rg_expand_cublasGemmEx(h, ta, tb, m, n, k, a, A, Real16, lda, B,
                                Real16, ldb, b, C, Real16, ldc, 64, -1);
}
int rg_expand_cublasHgemmStridedBatched(void *h, int ta, int tb, int m, int n,
                                        int k, const void *a, const void *A,
                                        int lda, long long sa, const void *B,
                                        int ldb, long long sb, const void *b,
                                        void *C, int ldc, long long sc, int N) {
  return narrow(h, ta, tb, m, n, k, a, A, Real16, lda, sa, B, Real16, ldb, sb,
                b, C, Real16, ldc, sc, N, 64, -1)
             ? status()
             : 0;
}
int rg_expand_cublasSgemmEx(void *h, int ta, int tb, int m, int n, int k,
                            const float *a, const void *A, int typeA, int lda,
                            const void *B, int typeB, int ldb, const float *b,
                            void *C, int typeC, int ldc) {
  if (narrow(h, ta, tb, m, n, k, a, A, typeA, lda, 0, B, typeB, ldb, 0, b, C,
             typeC, ldc, 0, 1, 68, -1)) // in floats
    return status();
  if (typeA != Real32 || typeB != Real32 || typeC != Real32)
    rg_cublas_no_types("cublasSgemmEx");
  return rg_expand_cublasSgemm(h, ta, tb, m, n, k, a, (const float *)A, lda,
                               (const float *)B, ldb, b, (float *)C, ldc);
}
int rg_expand_cublasGemmStridedBatchedEx(void *h, int ta, int tb, int m, int n,
                                         int k, const void *a, const void *A,
                                         int typeA, int lda, long long sa,
                                         const void *B, int typeB, int ldb,
                                         long long sb, const void *b, void *C,
                                         int typeC, int ldc, long long sc,
                                         int N, int compute, int algorithm) {
  if (narrow(h, ta, tb, m, n, k, a, A, typeA, lda, sa, B, typeB, ldb, sb, b, C,
             typeC, ldc, sc, N, compute, algorithm))
    return status();
  if (typeA == Real64 && typeB == Real64 && typeC == Real64)
    return rg_expand_cublasDgemmStridedBatched(
        h, ta, tb, m, n, k, (const double *)a, (const double *)A, lda, sa,
        (const double *)B, ldb, sb, (const double *)b, (double *)C, ldc, sc, N);
  if (typeA == Complex64 && typeB == Complex64 && typeC == Complex64)
    return rg_expand_cublasZgemmStridedBatched(
        h, ta, tb, m, n, k, (const ComplexOf<double> *)a,
        (const ComplexOf<double> *)A, lda, sa, (const ComplexOf<double> *)B,
        ldb, sb, (const ComplexOf<double> *)b, (ComplexOf<double> *)C, ldc, sc,
        N);
  if (typeA == Complex32 && typeB == Complex32 && typeC == Complex32)
    return rg_expand_cublasCgemmStridedBatched(
        h, ta, tb, m, n, k, (const ComplexOf<float> *)a,
        (const ComplexOf<float> *)A, lda, sa, (const ComplexOf<float> *)B, ldb,
        sb, (const ComplexOf<float> *)b, (ComplexOf<float> *)C, ldc, sc, N);
  if (typeA != Real32 || typeB != Real32 || typeC != Real32)
    rg_cublas_no_types("cublasGemmStridedBatchedEx");
  return rg_expand_cublasSgemmStridedBatched(
      h, ta, tb, m, n, k, (const float *)a, (const float *)A, lda, sa,
      (const float *)B, ldb, sb, (const float *)b, (float *)C, ldc, sc, N);
}
} // extern "C"
