//===- Factors.h - LU factorisations on the LAPACK of this machine --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What cuSOLVER and cuBLAS have in common. Pivots may be null: then no rows
// change places.
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_CUDA_LIBRARIES_FACTORS_H
#define RETROGRAD_CUDA_LIBRARIES_FACTORS_H
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

extern "C" {
#define RG_LAPACK(P, T)                                                        \
  void P##getrf_(const int *, const int *, T *, const int *, int *, int *);    \
  void P##trsm_(const char *, const char *, const char *, const char *,        \
                const int *, const int *, const T *, const T *, const int *,   \
                T *, const int *, size_t, size_t, size_t, size_t);
RG_LAPACK(s, float)
RG_LAPACK(d, double)
#undef RG_LAPACK
}

namespace {
inline void getrf(int m, int n, double *A, int lda, int *p, int *i) {
  dgetrf_(&m, &n, A, &lda, p, i);
}
inline void getrf(int m, int n, float *A, int lda, int *p, int *i) {
  sgetrf_(&m, &n, A, &lda, p, i);
}
inline void trsm(char u, char t, char d, int n, int r, const double *A, int lda,
                 double *B, int ldb) {
  double One = 1;
  dtrsm_("L", &u, &t, &d, &n, &r, &One, A, &lda, B, &ldb, 1, 1, 1, 1);
}
inline void trsm(char u, char t, char d, int n, int r, const float *A, int lda,
                 float *B, int ldb) {
  float One = 1;
  strsm_("L", &u, &t, &d, &n, &r, &One, A, &lda, B, &ldb, 1, 1, 1, 1);
}

/// LU without exchanges of rows, for programs that give no pivots.
template <class T> int factorInPlace(int m, int n, T *A, int lda) {
  int Info = 0;
  for (int K = 0; K < std::min(m, n); ++K) {
    T *Column = A + (int64_t)K * lda;
    if (Column[K] == 0) {
      Info = Info ? Info : K + 1;
      continue;
    }
    for (int I = K + 1; I < m; ++I)
      Column[I] /= Column[K];
    for (int J = K + 1; J < n; ++J) {
      T *Other = A + (int64_t)J * lda;
      for (int I = K + 1; I < m; ++I)
        Other[I] -= Column[I] * Other[K];
    }
  }
  return Info;
}
template <class T>
void exchange(int n, int r, const int *p, T *B, int ldb, bool Back) {
  for (int I = 0; p && I < n; ++I) {
    int K = Back ? n - 1 - I : I;
    for (int J = 0; J < r; ++J)
      std::swap(B[K + (int64_t)J * ldb], B[p[K] - 1 + (int64_t)J * ldb]);
  }
}
/// The number of the first pivot that is zero, or 0.
template <class T> int factorLU(int m, int n, T *A, int lda, int *p) {
  if (!p)
    return factorInPlace(m, n, A, lda);
  int Info = 0;
  getrf(m, n, A, lda, p, &Info);
  return Info;
}
/// B (n x r) by the factors of A, or of its transpose.
template <class T>
void solveLU(bool Transposed, int n, int r, const T *A, int lda, const int *p,
             T *B, int ldb) {
  if (!Transposed) {
    exchange(n, r, p, B, ldb, false);
    trsm('L', 'N', 'U', n, r, A, lda, B, ldb);
    trsm('U', 'N', 'N', n, r, A, lda, B, ldb);
  } else {
    trsm('U', 'T', 'N', n, r, A, lda, B, ldb);
    trsm('L', 'T', 'U', n, r, A, lda, B, ldb);
    exchange(n, r, p, B, ldb, true);
  }
}
} // namespace

#endif
