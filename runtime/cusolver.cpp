/*===- cusolver.cpp - factorisations of cuSOLVER and cuBLAS as operations -===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* LU and Cholesky with their solvers, and cuBLAS's LU, solvers and inverses of
|* batches, which are one operation per member. The formulas are those of
|* LAPACK's rules (factor_formulas.inc), on device memory by calls of
|* cuBLAS with a handle of ours. Factors and solutions are not copied:
|* the book of device memory has them back in place. Rows change
|* places by the host's word: pivots are fetched. See
|* docs/HostDevice.md.
\*===------------------------------------------------------------------------===*/
#include "cublas_rules.h"

extern "C" {
void *rg_gpu_keep(void *p, uint64_t bytes);
int cudaMemcpy(void *, const void *, size_t, int);

#define RG_CUSOLVER_SYMBOLS(T, P)                                              \
  int cusolverDn##P##getrf(void *, int, int, T *, int, T *, int *, int *);     \
  int cusolverDn##P##getrs(void *, int, int, int, const T *, int, const int *, \
                           T *, int, int *);                                   \
  int cusolverDn##P##potrf(void *, int, int, T *, int, T *, int, int *);       \
  int cusolverDn##P##potrs(void *, int, int, int, const T *, int, T *, int,    \
                           int *);
RG_CUSOLVER_SYMBOLS(float, S)
#define RG_BATCH_SYMBOLS(T, P)                                                 \
  int cublas##P##getrfBatched(void *, int, T *const *, int, int *, int *,      \
                              int);                                            \
  int cublas##P##getrsBatched(void *, int, int, int, const T *const *, int,    \
                              const int *, T *const *, int, int *, int);       \
  int cublas##P##getriBatched(void *, int, const T *const *, int, const int *, \
                              T *const *, int, int *, int);
RG_BATCH_SYMBOLS(float, S)
RG_BATCH_SYMBOLS(double, D)
#undef RG_BATCH_SYMBOLS
void *rg_gpu_copy(void *to, const void *from, uint64_t bytes, int kind);
RG_CUSOLVER_SYMBOLS(double, D)
#undef RG_CUSOLVER_SYMBOLS
}

/// The handle of the calls below; the thread's.
__thread void *rg_cusolver_blas;

//===-- LAPACK's helpers on device memory
//-----------------------------------===//

namespace rg::device::solver {
inline Queue queue() { return Queue(rg_cusolver_blas); }
inline bool none(char t) { return t == 'N'; }
inline bool upper(char u) { return u == 'U'; }
inline int sideOf(char s) { return s == 'L' ? Left : !Left; }
inline int fillOf(char u) { return u == 'U' ? Upper : Lower; }
inline int opOf(char t) { return t == 'N' ? OpN : OpT; }
inline int diagOf(char d) { return d == 'U' ? Unit : !Unit; }
inline int triangleOf(char u) { return u == 'U' ? RG_UPPER : RG_LOWER; }

template <class T> struct Scratch : device::Scratch<T> {
  explicit Scratch(ptrdiff_t Count) : device::Scratch<T>(queue(), Count) {}
};
template <class T>
inline void trsm(char s, char u, char t, char d, int m, int n, T a, const T *A,
                 int lda, T *B, int ldb) {
  if (m > 0 && n > 0)
    must(device::trsm(queue(), sideOf(s), fillOf(u), opOf(t), diagOf(d), m, n,
                      a, A, lda, B, ldb),
         "trsm");
}
template <class T>
inline void trmm(char s, char u, char t, char d, int m, int n, T a, const T *A,
                 int lda, T *B, int ldb) {
  if (m > 0 && n > 0)
    must(device::trmm(queue(), sideOf(s), fillOf(u), opOf(t), diagOf(d), m, n,
                      a, A, lda, (const T *)B, ldb, B, ldb),
         "trmm");
}
template <class T>
inline void gemm(char ta, char tb, int m, int n, int k, T a, const T *A,
                 int lda, const T *B, int ldb, T b, T *C, int ldc) {
  if (m > 0 && n > 0)
    must(device::gemm(queue(), opOf(ta), opOf(tb), m, n, k, a, A, lda, B, ldb,
                      b, C, ldc),
         "gemm");
}
template <class T>
inline void assign(int m, int n, const T *A, int lda, T *B, int ldb) {
  assignTo(queue(), m, n, T(1), matrix(A, lda), matrix(B, ldb));
}
template <class T>
inline void add(int m, int n, T a, const T *A, int lda, T *B, int ldb) {
  addTo(queue(), m, n, a, matrix(A, lda), matrix(B, ldb));
}
template <class T> inline void scale(int m, int n, T a, T *A, int lda) {
  scaleBy(queue(), m, n, a, matrix(A, lda));
}
template <class T>
inline void scaleTriangle(char u, int n, T a, T *A, int lda) {
  scaleBy(queue(), n, n, a, matrix(A, lda), triangleOf(u));
}
template <class T>
inline void addTriangle(char u, bool Strict, int n, T a, const T *A, int lda,
                        T *B, int ldb) {
  addTo(queue(), n, n, a, matrix(A, lda), matrix(B, ldb), triangleOf(u),
        Strict);
}
template <class T>
inline void addSymmetric(char u, int n, T a, const T *G, int ldg, T *A,
                         int lda) {
  device::addSymmetric(queue(), fillOf(u), n, a, matrix(G, ldg), A, lda);
}
template <class T>
inline void symmetrise(char u, int n, T d, const T *A, int lda, T *S) {
  device::symmetrise(queue(), fillOf(u), n, d, A, lda, S);
}
/// Null pivots: no row has changed its place.
template <class T>
inline void permute(int n, T *A, int lda, int k, const int *ipiv, bool Back) {
  for (int I = 0; ipiv && I < k; ++I) {
    int From = Back ? k - 1 - I : I, To = ipiv[From] - 1;
    if (From != To)
      must(swap(queue(), n, A + From, lda, A + To, lda), "swap");
  }
}

#include "factor_formulas.inc"
} // namespace rg::device::solver

using namespace rg;
using namespace rg::device;

//===-- Rules
//---------------------------------------------------------------===//

namespace {
inline int getrf(void *h, int m, int n, double *A, int lda, double *w, int *p,
                 int *i) {
  return cusolverDnDgetrf(h, m, n, A, lda, w, p, i);
}
inline int getrf(void *h, int m, int n, float *A, int lda, float *w, int *p,
                 int *i) {
  return cusolverDnSgetrf(h, m, n, A, lda, w, p, i);
}
inline int getrs(void *h, int t, int n, int r, const double *A, int lda,
                 const int *p, double *B, int ldb, int *i) {
  return cusolverDnDgetrs(h, t, n, r, A, lda, p, B, ldb, i);
}
inline int getrs(void *h, int t, int n, int r, const float *A, int lda,
                 const int *p, float *B, int ldb, int *i) {
  return cusolverDnSgetrs(h, t, n, r, A, lda, p, B, ldb, i);
}
/// On the device: the address of the one member of a batch.
template <class T> class Member {
  device::Scratch<T *> At;

  static Queue queueOf(void *h) {
    Queue q(h);
    cublasGetStream_v2(h, &q.stream);
    return q;
  }

public:
  Member(void *h, T *A) : At(queueOf(h), 1) {
    must(cudaMemcpy((T **)At, &A, sizeof A, 4), "cudaMemcpy");
  }
  operator T **() { return At; }
};
#define RG_MEMBERS(T, P)                                                       \
  inline int memberGetrf(void *h, int n, T *A, int lda, int *p, int *i) {      \
    return cublas##P##getrfBatched(h, n, Member<T>(h, A), lda, p, i, 1);       \
  }                                                                            \
  inline int memberGetrs(void *h, int t, int n, int r, const T *A, int lda,    \
                         const int *p, T *B, int ldb, int *i) {                \
    return cublas##P##getrsBatched(h, t, n, r, Member<const T>(h, A), lda, p,  \
                                   Member<T>(h, B), ldb, i, 1);                \
  }                                                                            \
  inline int memberGetri(void *h, int n, const T *A, int lda, const int *p,    \
                         T *C, int ldc, int *i) {                              \
    return cublas##P##getriBatched(h, n, Member<const T>(h, A), lda, p,        \
                                   Member<T>(h, C), ldc, i, 1);                \
  }
RG_MEMBERS(float, S)
RG_MEMBERS(double, D)
#undef RG_MEMBERS
inline int potrf(void *h, int u, int n, double *A, int lda, double *w, int lw,
                 int *i) {
  return cusolverDnDpotrf(h, u, n, A, lda, w, lw, i);
}
inline int potrf(void *h, int u, int n, float *A, int lda, float *w, int lw,
                 int *i) {
  return cusolverDnSpotrf(h, u, n, A, lda, w, lw, i);
}
inline int potrs(void *h, int u, int n, int r, const double *A, int lda,
                 double *B, int ldb, int *i) {
  return cusolverDnDpotrs(h, u, n, r, A, lda, B, ldb, i);
}
inline int potrs(void *h, int u, int n, int r, const float *A, int lda,
                 float *B, int ldb, int *i) {
  return cusolverDnSpotrs(h, u, n, r, A, lda, B, ldb, i);
}

/// Pivots on the host.
class Pivots {
  int *P = nullptr;

public:
  Pivots(const int *There, int Count) {
    if (!There)
      return;
    P = static_cast<int *>(malloc((Count + 1) * sizeof(int)));
    if (!P)
      rg_gpu_library_failed("cuSOLVER", 2);
    if (Count > 0)
      must(cudaMemcpy(P, There, Count * sizeof(int), 4), "cuSOLVER");
  }
  Pivots(const Pivots &) = delete;
  ~Pivots() { free(P); }
  operator const int *() const { return P; }
};

inline char triangleName(int u) { return u == Upper ? 'U' : 'L'; }

struct Integers : Kept {
  rg_room Pivots;
};
inline void keepIntegers(Integers &K, const int *P, int Count) {
  if (!P || Count <= 0 || rg_gpu_reads(P))
    return;
  rg_gpu_wait("cuSOLVER");
  K.Pivots = rg_gpu_room(Count * sizeof(int), "cuSOLVER");
  must(cudaMemcpy(K.Pivots.at, P, Count * sizeof(int), 4), "cuSOLVER");
}
inline const int *integers(const Integers &K, const int *P) {
  return K.Pivots.at ? reinterpret_cast<const int *>(K.Pivots.at) : P;
}

/// A (m x n) = P L U. OfBatch: by cuBLAS.
template <class T, bool OfBatch = false> struct SolverGetrf {
  static constexpr const char *Name =
      OfBatch ? "cublasgetrfBatched" : "cusolverDngetrf";
  void *h;
  int m, n;
  Dual<T> A;
  int lda;
  T *Work;
  int *ipiv, *Info;

  int rank() const { return m < n ? m : n; }
  template <class F> void each(F f) { f(OfBatch ? 2 : 3, A); }
  int primal() const {
    if constexpr (OfBatch)
      return memberGetrf(h, n, A.P, lda, ipiv, Info);
    else
      return getrf(h, m, n, A.P, lda, Work, ipiv, Info);
  }
  bool active() const { return A.active(); }
  void after() const {
    solver::luTangent(m, n, (const T *)A.P, lda, Pivots(ipiv, rank()), A.D,
                      lda);
  }
  void keep(Keeper k, Integers &K) const {
    if (!A.Active)
      return;
    k.in(0, m, n, (const T *)A.P, lda);
    keepIntegers(K, ipiv, rank());
  }
  void reverse(const Integers &K) const {
    auto F = was(K, 0, m, n, (const T *)A.P, lda);
    solver::luAdjoint(m, n, F.P, F.ld, Pivots(integers(K, ipiv), rank()), A.D,
                      lda);
  }
};
/// B = op(A)^-1 B (n x r) by the factors of getrf
template <class T, bool OfBatch = false> struct SolverGetrs {
  static constexpr const char *Name =
      OfBatch ? "cublasgetrsBatched" : "cusolverDngetrs";
  void *h;
  int t, n, r;
  Dual<const T> A;
  int lda;
  const int *ipiv;
  Dual<T> B;
  int ldb;
  int *Info;

  template <class F> void each(F f) {
    f(4, A);
    f(7, B);
  }
  char op() const { return t == OpN ? 'N' : 'T'; }
  int primal() const {
    if constexpr (OfBatch)
      return memberGetrs(h, t, n, r, A.P, lda, ipiv, B.P, ldb, Info);
    else
      return getrs(h, t, n, r, A.P, lda, ipiv, B.P, ldb, Info);
  }
  bool active() const { return B.active(); }
  void after() const {
    solver::luSolveTangent(op(), n, r, A.P, (const T *)A.D, lda,
                           Pivots(ipiv, n), (const T *)B.P, ldb, B.D, ldb);
  }
  void keep(Keeper k, Integers &K) const {
    if (!B.Active)
      return;
    k.in(0, n, n, A.P, lda);
    if (A.Active)
      k.in(1, n, r, (const T *)B.P, ldb);
    keepIntegers(K, ipiv, n);
  }
  void reverse(const Integers &K) const {
    auto F = was(K, 0, n, n, A.P, lda);
    auto X = was(K, 1, n, r, (const T *)B.P, ldb);
    solver::luSolveAdjoint(op(), n, r, F.P, F.ld, Pivots(integers(K, ipiv), n),
                           X.P, X.ld, B.D, ldb, A.D, lda);
  }
};
/// C = A^-1 by the factors of getrf: the solution of A C = 1
template <class T> struct SolverGetri {
  static constexpr const char *Name = "cublasgetriBatched";
  void *h;
  int n;
  Dual<const T> A;
  int lda;
  const int *ipiv;
  Dual<T> C;
  int ldc;
  int *Info;

  template <class F> void each(F f) {
    f(2, A);
    f(5, C);
  }
  int primal() const {
    return memberGetri(h, n, A.P, lda, ipiv, C.P, ldc, Info);
  }
  bool active() const { return C.active(); }
  void after() const {
    solver::scale(n, n, T(0), C.D, ldc);
    if (A.active())
      solver::luSolveTangent('N', n, n, A.P, (const T *)A.D, lda,
                             Pivots(ipiv, n), (const T *)C.P, ldc, C.D, ldc);
  }
  void keep(Keeper k, Integers &K) const {
    if (!C.Active || !A.Active)
      return;
    k.in(0, n, n, A.P, lda);
    k.in(1, n, n, (const T *)C.P, ldc);
    keepIntegers(K, ipiv, n);
  }
  void reverse(const Integers &K) const {
    if (A.active()) {
      auto F = was(K, 0, n, n, A.P, lda);
      auto X = was(K, 1, n, n, (const T *)C.P, ldc);
      solver::luSolveAdjoint('N', n, n, F.P, F.ld, Pivots(integers(K, ipiv), n),
                             X.P, X.ld, C.D, ldc, A.D, lda);
    }
    solver::scale(n, n, T(0), C.D, ldc);
  }
};
/// A = L L^T or U^T U
template <class T> struct SolverPotrf {
  static constexpr const char *Name = "cusolverDnpotrf";
  void *h;
  int u, n;
  Dual<T> A;
  int lda;
  T *Work;
  int WorkSize;
  int *Info;

  template <class F> void each(F f) { f(3, A); }
  int primal() const { return potrf(h, u, n, A.P, lda, Work, WorkSize, Info); }
  bool active() const { return A.active(); }
  void after() const {
    solver::choleskyTangent(triangleName(u), n, (const T *)A.P, lda, A.D, lda);
  }
  void keep(Keeper k, Integers &) const {
    if (A.Active)
      k.in(0, n, n, (const T *)A.P, lda);
  }
  void reverse(const Integers &K) const {
    auto F = was(K, 0, n, n, (const T *)A.P, lda);
    solver::choleskyAdjoint(triangleName(u), n, F.P, F.ld, A.D, lda);
  }
};
/// B = A^-1 B (n x r) by the factor of potrf
template <class T> struct SolverPotrs {
  static constexpr const char *Name = "cusolverDnpotrs";
  void *h;
  int u, n, r;
  Dual<const T> A;
  int lda;
  Dual<T> B;
  int ldb;
  int *Info;

  template <class F> void each(F f) {
    f(4, A);
    f(6, B);
  }
  int primal() const { return potrs(h, u, n, r, A.P, lda, B.P, ldb, Info); }
  bool active() const { return B.active(); }
  void after() const {
    solver::choleskySolveTangent(triangleName(u), n, r, A.P, (const T *)A.D,
                                 lda, (const T *)B.P, ldb, B.D, ldb);
  }
  void keep(Keeper k, Integers &) const {
    if (!B.Active)
      return;
    k.in(0, n, n, A.P, lda);
    if (A.Active)
      k.in(1, n, r, (const T *)B.P, ldb);
  }
  void reverse(const Integers &K) const {
    auto F = was(K, 0, n, n, A.P, lda);
    auto X = was(K, 1, n, r, (const T *)B.P, ldb);
    solver::choleskySolveAdjoint(triangleName(u), n, r, F.P, F.ld, X.P, X.ld,
                                 B.D, ldb, A.D, lda);
  }
};

template <class R>
inline void *augmentSolver(rg_arena *Arena, uint64_t Active, R Rule) {
  activate(Rule, Active);
  auto *K = static_cast<Integers *>(rg_tape_zalloc(Arena, sizeof(Integers)));
  K->Active = Active;
  K->Device = rg_gpu_works();
  K->Status = Rule.primal();
  rg_gpu_set_library_status(K->Status);
  if (!K->Status) // what is copied is copied by the default stream
    Rule.keep(Keeper(*K, Queue(nullptr)), *K);
  rg_gpu_hold();
  return K;
}
template <class R>
inline void reverseSolver(uint64_t Lanes, void *Block, R Rule) {
  auto *K = static_cast<Integers *>(Block);
  if (!K->Status) {
    ReverseStep Step(K->Device, R::Name);
    rg_cusolver_blas = rg_cublas_own(0);
    for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
      selectLane(Rule, Lane);
      if (Rule.active())
        Rule.reverse(*K);
    }
  }
  for (rg_room &Room : K->Room)
    if (Room.at)
      rg_gpu_room_back(Room);
  if (K->Pivots.at)
    rg_gpu_room_back(K->Pivots);
  rg_gpu_let_go();
}
template <class R> inline void forwardSolver(uint64_t Lanes, R Rule) {
  rg_gpu_works();
  int Status = Rule.primal();
  rg_gpu_set_library_status(Status);
  if (Status)
    return;
  rg_gpu_wait(R::Name); // for the stream of the program's handle
  rg_cusolver_blas = rg_cublas_own(0);
  for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
    selectLane(Rule, Lane);
    if (Rule.active())
      Rule.after();
  }
  rg_gpu_wait(R::Name);
}
template <class T> inline void keepMatrix(T *A, int m, int n, int lda) {
  if (m > 0 && n > 0)
    rg_gpu_keep(A, ((int64_t)(n - 1) * lda + m) * sizeof(T));
}
} // namespace

#define RG_SOLVER(Name, Rule, Operands, Shadowed, Given, Dually)               \
  OPERATION void Name Operands {                                               \
    rg_gpu_set_library_status(Rule Given.primal());                            \
  }                                                                            \
  void *Name##_augment(rg_arena *Arena, uint64_t Active, uint64_t,             \
                       RG_OPEN Operands) {                                     \
    return augmentSolver(Arena, Active, Rule Given);                           \
  }                                                                            \
  void Name##_reverse(rg_arena *, uint64_t Lanes, void *Block,                 \
                      RG_OPEN Shadowed) {                                      \
    reverseSolver(Lanes, Block, Rule Dually);                                  \
  }                                                                            \
  void Name##_forward(uint64_t Lanes, RG_OPEN Shadowed) {                      \
    forwardSolver(Lanes, Rule Dually);                                         \
  }
#define RG_OPEN(...) __VA_ARGS__
#define RG_SOLVERS(T, P, Q)                                                    \
  RG_SOLVER(rg_cusolver_##P##getrf, SolverGetrf<T>,                            \
            (void *h, int m, int n, T *A, int lda, T *w, int *p, int *i),      \
            (void *h, int m, int n, T *A, T *const *A_, int lda, T *w, int *p, \
             int *i),                                                          \
            ({h, m, n, A, lda, w, p, i}), ({h, m, n, {A, A_}, lda, w, p, i}))  \
  RG_SOLVER(rg_cusolver_##P##getrs, SolverGetrs<T>,                            \
            (void *h, int t, int n, int r, const T *A, int lda, const int *p,  \
             T *B, int ldb, int *i),                                           \
            (void *h, int t, int n, int r, const T *A, T *const *A_, int lda,  \
             const int *p, T *B, T *const *B_, int ldb, int *i),               \
            ({h, t, n, r, A, lda, p, B, ldb, i}),                              \
            ({h, t, n, r, {A, A_}, lda, p, {B, B_}, ldb, i}))                  \
  RG_SOLVER(rg_cusolver_##P##potrf, SolverPotrf<T>,                            \
            (void *h, int u, int n, T *A, int lda, T *w, int lw, int *i),      \
            (void *h, int u, int n, T *A, T *const *A_, int lda, T *w, int lw, \
             int *i),                                                          \
            ({h, u, n, A, lda, w, lw, i}),                                     \
            ({h, u, n, {A, A_}, lda, w, lw, i}))                               \
  RG_SOLVER(rg_cusolver_##P##potrs, SolverPotrs<T>,                            \
            (void *h, int u, int n, int r, const T *A, int lda, T *B, int ldb, \
             int *i),                                                          \
            (void *h, int u, int n, int r, const T *A, T *const *A_, int lda,  \
             T *B, T *const *B_, int ldb, int *i),                             \
            ({h, u, n, r, A, lda, B, ldb, i}),                                 \
            ({h, u, n, r, {A, A_}, lda, {B, B_}, ldb, i}))                     \
  int rg_expand_cusolverDn##Q##getrf(void *h, int m, int n, T *A, int lda,     \
                                     T *w, int *p, int *i) {                   \
    keepMatrix(A, m, n, lda);                                                  \
    if (p)                                                                     \
      keepMatrix(p, m < n ? m : n, 1, 0);                                      \
    keepMatrix(i, 1, 1, 0);                                                    \
    rg_cusolver_##P##getrf(h, m, n, A, lda, w, p, i);                          \
    return rg_gpu_library_status();                                            \
  }                                                                            \
  int rg_expand_cusolverDn##Q##getrs(void *h, int t, int n, int r, const T *A, \
                                     int lda, const int *p, T *B, int ldb,     \
                                     int *i) {                                 \
    keepMatrix(B, n, r, ldb);                                                  \
    keepMatrix(i, 1, 1, 0);                                                    \
    rg_cusolver_##P##getrs(h, t, n, r, A, lda, p, B, ldb, i);                  \
    return rg_gpu_library_status();                                            \
  }                                                                            \
  int rg_expand_cusolverDn##Q##potrf(void *h, int u, int n, T *A, int lda,     \
                                     T *w, int lw, int *i) {                   \
    keepMatrix(A, n, n, lda);                                                  \
    keepMatrix(i, 1, 1, 0);                                                    \
    rg_cusolver_##P##potrf(h, u, n, A, lda, w, lw, i);                         \
    return rg_gpu_library_status();                                            \
  }                                                                            \
  int rg_expand_cusolverDn##Q##potrs(void *h, int u, int n, int r, const T *A, \
                                     int lda, T *B, int ldb, int *i) {         \
    keepMatrix(B, n, r, ldb);                                                  \
    keepMatrix(i, 1, 1, 0);                                                    \
    rg_cusolver_##P##potrs(h, u, n, r, A, lda, B, ldb, i);                     \
    return rg_gpu_library_status();                                            \
  }
extern "C" {
RG_SOLVERS(double, d, D)
RG_SOLVERS(float, s, S)
}

// Batches: the addresses lie on the device, and so do results, but for that of
// getrs.
namespace {
template <class T> inline T *memberOf(T *const *A, int i) {
  T *Address;
  rg_gpu_copy(&Address, A + i, sizeof Address, 2);
  return Address;
}
template <class P> inline P *pivotsOf(P *p, int n, int i) {
  return p ? p + (int64_t)n * i : nullptr;
}
} // namespace
#define RG_BATCHES(T, P, Q)                                                    \
  RG_SOLVER(rg_cublas_##P##getrf, RG_OPEN(SolverGetrf<T, true>),               \
            (void *h, int n, T *A, int lda, int *p, int *i),                   \
            (void *h, int n, T *A, T *const *A_, int lda, int *p, int *i),     \
            ({h, n, n, A, lda, nullptr, p, i}),                                \
            ({h, n, n, {A, A_}, lda, nullptr, p, i}))                          \
  RG_SOLVER(rg_cublas_##P##getrs, RG_OPEN(SolverGetrs<T, true>),               \
            (void *h, int t, int n, int r, const T *A, int lda, const int *p,  \
             T *B, int ldb, int *i),                                           \
            (void *h, int t, int n, int r, const T *A, T *const *A_, int lda,  \
             const int *p, T *B, T *const *B_, int ldb, int *i),               \
            ({h, t, n, r, A, lda, p, B, ldb, i}),                              \
            ({h, t, n, r, {A, A_}, lda, p, {B, B_}, ldb, i}))                  \
  RG_SOLVER(rg_cublas_##P##getri, SolverGetri<T>,                              \
            (void *h, int n, const T *A, int lda, const int *p, T *C, int ldc, \
             int *i),                                                          \
            (void *h, int n, const T *A, T *const *A_, int lda, const int *p,  \
             T *C, T *const *C_, int ldc, int *i),                             \
            ({h, n, A, lda, p, C, ldc, i}),                                    \
            ({h, n, {A, A_}, lda, p, {C, C_}, ldc, i}))                        \
  int rg_expand_cublas##Q##getrfBatched(void *h, int n, T *const *A, int lda,  \
                                        int *p, int *info, int N) {            \
    if (p && n > 0)                                                            \
      keepMatrix(p, n, N, n);                                                  \
    keepMatrix(info, N, 1, 0);                                                 \
    int Error = 0;                                                             \
    for (int i = 0; i < N && !Error; ++i) {                                    \
      T *X = memberOf(A, i);                                                   \
      keepMatrix(X, n, n, lda);                                                \
      rg_cublas_##P##getrf(h, n, X, lda, pivotsOf(p, n, i), info + i);         \
      Error = rg_gpu_library_status();                                         \
    }                                                                          \
    return Error;                                                              \
  }                                                                            \
  int rg_expand_cublas##Q##getrsBatched(                                       \
      void *h, int t, int n, int r, const T *const *A, int lda, const int *p,  \
      T *const *B, int ldb, int *info, int N) {                                \
    int Error = 0;                                                             \
    for (int i = 0; i < N && !Error; ++i) {                                    \
      const T *X = memberOf(A, i);                                             \
      T *Y = memberOf(B, i);                                                   \
      keepMatrix(Y, n, r, ldb);                                                \
      rg_cublas_##P##getrs(h, t, n, r, X, lda, pivotsOf(p, n, i), Y, ldb,      \
                           info);                                              \
      Error = rg_gpu_library_status();                                         \
    }                                                                          \
    return Error;                                                              \
  }                                                                            \
  int rg_expand_cublas##Q##getriBatched(void *h, int n, const T *const *A,     \
                                        int lda, const int *p, T *const *C,    \
                                        int ldc, int *info, int N) {           \
    keepMatrix(info, N, 1, 0);                                                 \
    int Error = 0;                                                             \
    for (int i = 0; i < N && !Error; ++i) {                                    \
      const T *X = memberOf(A, i);                                             \
      T *Y = memberOf(C, i);                                                   \
      keepMatrix(Y, n, n, ldc);                                                \
      rg_cublas_##P##getri(h, n, X, lda, pivotsOf(p, n, i), Y, ldc, info + i); \
      Error = rg_gpu_library_status();                                         \
    }                                                                          \
    return Error;                                                              \
  }
extern "C" {
RG_BATCHES(double, d, D)
RG_BATCHES(float, s, S)
}
