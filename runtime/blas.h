/*===- blas.h - BLAS over memory of the host ------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* What blas_formulas.inc asks for, over memory that the host reads and writes.
|* The numbers that reverse() reads of operands are copied into one block of the
|* arena: callers may overwrite them.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_BLAS_H
#define RETROGRAD_RUNTIME_BLAS_H
#include "hostdevice.h"
#include "strided.h"

namespace rg {

/// Copies of operands, in one block of the arena behind a head, in the order of
/// keep() calls; taken back in the same order by kept().
template <class T> class Tape {
  T *Block;
  ptrdiff_t At = 0;
  static constexpr size_t Head = 16;

public:
  explicit Tape(void *Block)
      : Block(reinterpret_cast<T *>(static_cast<char *>(Block) + Head)) {}
  /// Room for Bytes.
  static void *room(rg_arena *Arena, size_t Bytes) {
    return rg_tape_alloc(Arena, Head + Bytes);
  }
  static Tape make(rg_arena *Arena, ptrdiff_t Count) {
    return Tape(room(Arena, Count * sizeof(T)));
  }
  void *block() { return reinterpret_cast<char *>(Block) - Head; }
  void keep(int m, int n, const T *A, int lda) {
    assign(m, n, A, lda, Block + At, m);
    At += (ptrdiff_t)m * n;
  }
  void keepVector(int n, const T *x, int inc) {
    copy(n, x, inc, Block + At, 1);
    At += n;
  }
  T *kept(ptrdiff_t Count) {
    T *Here = Block + At;
    At += Count;
    return Here;
  }
};

namespace host {

enum { First = 0, ProductInPlace = 1 };
enum { OpN = 'N', OpT = 'T', OpC = 'T', Left = 'L', Right = 'R' };
inline int triangle(int u) { return upper(u) ? RG_UPPER : RG_LOWER; }

/// Calls run where they stand, and do not fail.
struct Queue {};
inline void must(int, const char *) {}

#define RG_HERE(Name)                                                          \
  template <class... A> inline int Name(Queue, A &&...a) {                     \
    rg::Name(a...);                                                            \
    return 0;                                                                  \
  }
RG_HERE(axpy)
RG_HERE(scal)
RG_HERE(copy)
RG_HERE(gemv)
RG_HERE(ger)
template <class... A> inline int gerc(Queue, A &&...a) {
  rg::ger(a...);
  return 0;
}
RG_HERE(symv)
RG_HERE(syr)
RG_HERE(syr2)
RG_HERE(trmv)
RG_HERE(trsv)
RG_HERE(gemm)
RG_HERE(symm)
RG_HERE(syrk)
RG_HERE(syr2k)
RG_HERE(trsm)
#undef RG_HERE
template <class T>
inline T dot(Queue, int n, const T *x, int incx, const T *y, int incy) {
  return rg::dot(n, x, incx, y, incy);
}
template <class T>
inline int dotTo(Queue, int n, const T *x, int incx, const T *y, int incy,
                 T *r) {
  *r = rg::dot(n, x, incx, y, incy);
  return 0;
}
template <class T> inline int nrm2To(Queue, int n, const T *x, int incx, T *r) {
  *r = rg::nrm2(n, x, incx);
  return 0;
}
/// Products side by side.
template <class T>
inline int gemms(Queue, int ta, int tb, int m, int n, int k, T a, const T *A,
                 int lda, long long sa, const T *B, int ldb, long long sb, T b,
                 T *C, int ldc, long long sc, int N) {
  for (int I = 0; I < N; ++I)
    rg::gemm(ta, tb, m, n, k, a, A + I * sa, lda, B + I * sb, ldb, b,
             C + I * sc, ldc);
  return 0;
}
/// C = a op(A) B; C may be B.
template <class T>
inline int trmm(Queue, int s, int u, int t, int d, int m, int n, T a,
                const T *A, int lda, const T *B, int ldb, T *C, int ldc) {
  if (C != B)
    assign(m, n, B, ldb, C, ldc);
  rg::trmm(s, u, t, d, m, n, a, A, lda, C, ldc);
  return 0;
}

//===-- Elementwise work
//----------------------------------------------------===//

/// f(i, j) for the elements of the triangle.
template <class F>
inline void elements(int m, int n, int Triangle, bool Strict, F f) {
  for (int j = 0; j < n; ++j) {
    int Begin = Triangle == RG_LOWER ? j + Strict : 0;
    int End = Triangle == RG_UPPER && j + !Strict < m ? j + !Strict : m;
    for (int i = Begin; i < End; ++i)
      f(i, j);
  }
}
/// B += a A
template <class T>
inline void addTo(Queue, int m, int n, T a, Strided<const T> A, Strided<T> B,
                  int Triangle = RG_ALL, bool Strict = false) {
  elements(m, n, Triangle, Strict,
           [&](int i, int j) { B.at(i, j) += a * A.at(i, j); });
}
/// B = a A
template <class T>
inline void assignTo(Queue, int m, int n, T a, Strided<const T> A, Strided<T> B,
                     int Triangle = RG_ALL, bool Strict = false) {
  elements(m, n, Triangle, Strict,
           [&](int i, int j) { B.at(i, j) = a * A.at(i, j); });
}
/// B += a A C, element by element.
template <class T>
inline void addProduct(Queue, int m, int n, T a, Strided<const T> A,
                       Strided<const T> C, Strided<T> B, int Triangle = RG_ALL,
                       bool Strict = false) {
  elements(m, n, Triangle, Strict,
           [&](int i, int j) { B.at(i, j) += a * A.at(i, j) * C.at(i, j); });
}
/// A *= a; zero for a = 0, whatever was there.
template <class T>
inline void scaleBy(Queue, int m, int n, T a, Strided<T> A,
                    int Triangle = RG_ALL) {
  if (a == 0)
    elements(m, n, Triangle, false, [&](int i, int j) { A.at(i, j) = 0; });
  else if (a != 1)
    elements(m, n, Triangle, false, [&](int i, int j) { A.at(i, j) *= a; });
}
template <class T>
inline T inner(Queue, int m, int n, Strided<const T> A, Strided<const T> B,
               int Triangle = RG_ALL) {
  T Sum = 0;
  elements(m, n, Triangle, false,
           [&](int i, int j) { Sum += A.at(i, j) * B.at(i, j); });
  return Sum;
}

/// Memory of one rule.
template <class T> struct Scratch : rg::Scratch<T> {
  Scratch(Queue, ptrdiff_t Count) : rg::Scratch<T>(Count) {}
};

//===-- What is kept
//--------------------------------------------------------===//

/// The head of a block of the arena, with the copies behind it.
struct Kept {
  uint64_t Active; // sweeps.h
  double Number;   // the result
  const void *Copies[4];
};

/// Counts bytes, or copies operands to where so many bytes are in use.
class Keeper {
  Kept *K;
  size_t &Bytes;

public:
  Keeper(Kept *K, size_t &Bytes) : K(K), Bytes(Bytes) {}
  template <class T>
  void in(int I, int m, int n, const T *A, int lda, int Count = 1,
          long long Stride = 0) {
    if (m <= 0 || n <= 0 || Count <= 0)
      return;
    size_t Each = (size_t)m * n;
    if (K) {
      T *To = reinterpret_cast<T *>(reinterpret_cast<char *>(K) + Bytes);
      K->Copies[I] = To;
      for (int N = 0; N != Count; ++N)
        assign(m, n, A + N * Stride, lda, To + N * Each, m);
    }
    Bytes += (Each * Count * sizeof(T) + 7) / 8 * 8;
  }
  template <class T>
  void old(int I, int m, int n, const T *A, int lda, int Count = 1,
           long long Stride = 0) {
    in(I, m, n, A, lda, Count, Stride);
  }
  // Vectors are matrices of one row, whose elements lie `step` apart.
  template <class T> void in(int I, int n, const T *x, int inc) {
    in(I, 1, n, x, inc < 0 ? -inc : inc);
  }
  template <class T> void old(int I, int n, const T *x, int inc) {
    in(I, n, x, inc);
  }
};

/// An operand as it was; what was not kept is not read.
template <class T> struct Was {
  const T *P;
  int ld;
  long long Stride;
};
template <class T>
inline Was<T> was(const Kept &K, int I, int m, int n, const T *, int,
                  long long = 0) {
  return {static_cast<const T *>(K.Copies[I]), m > 1 ? m : 1, (long long)m * n};
}
/// In the order of the vector's elements in memory.
template <class T>
inline Was<T> wasVector(const Kept &K, int I, const T *, int inc) {
  return {static_cast<const T *>(K.Copies[I]), inc < 0 ? -1 : 1, 0};
}

template <class R> inline void keepAll(R &Rule, Keeper K, bool After) {
  if (!After)
    Rule.keep(K);
  else if constexpr (requires { Rule.keepAfter(K); })
    Rule.keepAfter(K);
}
template <class R, class... N>
inline void *augment(rg_arena *Arena, R &Rule, N &...Number) {
  size_t Bytes = sizeof(Kept);
  keepAll(Rule, Keeper(nullptr, Bytes), false);
  keepAll(Rule, Keeper(nullptr, Bytes), true);
  auto *K = static_cast<Kept *>(rg_tape_alloc(Arena, Bytes));
  *K = {};
  Bytes = sizeof(Kept);
  keepAll(Rule, Keeper(K, Bytes), false);
  Rule.primal(Number...);
  ((K->Number = Number), ...);
  keepAll(Rule, Keeper(K, Bytes), true);
  return K;
}

#include "blas_formulas.inc"

} // namespace host

using host::Axpy, host::Dot, host::Gemm, host::Gemv, host::Ger, host::Nrm2,
    host::Scal, host::Symm, host::Symv, host::Syr, host::Syr2, host::Syr2k,
    host::Syrk, host::Triangular, host::TrmmInPlace, host::Trsm;

} // namespace rg

#endif
