/*===- blas.h - derivatives of BLAS, levels 1 to 3 ------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* A struct per routine holds its operands: numbers in memory are Duals, numbers
|* by value that may be active are Scalars. Then
|*
|*   before(), after()   tangents of a lane, in place, before and after primal()
|*   void *augment()     primal; returns what reverse() needs,
|*                       one block of the arena
|*   reverse(tape)       adjoints of a lane
|*   each(f)             f(i, x) for each operand x of numbers,
|*                       the i-th of the routine
|*
|* Adjoints are those of the routine's definition, each in terms of BLAS itself,
|* so that the derivative of a matrix product costs two matrix products. Written
|* from the definitions, by <Ybar, dY> = <Xbar, dX>: see
|* docs/DenseLinearAlgebra.md.
|*
|* The numbers that reverse() reads of operands are kept: callers may overwrite
|* them.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_BLAS_H
#define RETROGRAD_RUNTIME_BLAS_H
#include "dense.h"

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

/// x . y
template <class T> struct Dot {
  int n;
  Dual<const T> x;
  int incx;
  Dual<const T> y;
  int incy;

  template <class F> void each(F f) {
    f(1, x);
    f(3, y);
  }

  T primal() const { return dot(n, x.P, incx, y.P, incy); }
  T tangent(T) const {
    T R = 0;
    if (x.active())
      R += dot(n, x.D, incx, y.P, incy);
    if (y.active())
      R += dot(n, x.P, incx, y.D, incy);
    return R;
  }
  void *augment(rg_arena *Arena, T &Result) const {
    Result = primal();
    auto Kept = Tape<T>::make(Arena, (ptrdiff_t)n * (x.Active + y.Active));
    if (y.Active)
      Kept.keepVector(n, x.P, incx);
    if (x.Active)
      Kept.keepVector(n, y.P, incy);
    return Kept.block();
  }
  void reverse(T Seed, void *Block) const {
    Tape<T> Kept(Block);
    const T *X = y.Active ? Kept.kept(n) : nullptr;
    const T *Y = x.Active ? Kept.kept(n) : nullptr;
    if (y.active())
      axpy(n, Seed, X, 1, y.D, incy);
    if (x.active())
      axpy(n, Seed, Y, 1, x.D, incx);
  }
};

/// The Euclidean norm; its derivative at the origin is zero.
template <class T> struct Nrm2 {
  int n;
  Dual<const T> x;
  int incx;

  template <class F> void each(F f) { f(1, x); }

  T primal() const { return nrm2(n, x.P, incx); }
  T tangent(T Norm) const {
    return x.active() && Norm != 0 ? dot(n, x.P, incx, x.D, incx) / Norm : 0;
  }
  void *augment(rg_arena *Arena, T &Norm) const {
    Norm = primal();
    if (!x.Active)
      return Tape<T>::room(Arena, 0);
    auto Kept = Tape<T>::make(Arena, (ptrdiff_t)n + 1);
    Kept.keep(1, 1, &Norm, 1);
    Kept.keepVector(n, x.P, incx);
    return Kept.block();
  }
  void reverse(T Seed, void *Block) const {
    Tape<T> Kept(Block);
    if (x.active()) {
      T Norm = *Kept.kept(1);
      if (Norm != 0)
        axpy(n, Seed / Norm, Kept.kept(n), 1, x.D, incx);
    }
  }
};

/// y += a x
template <class T> struct Axpy {
  int n;
  Scalar<T> a;
  Dual<const T> x;
  int incx;
  Dual<T> y;
  int incy;

  template <class F> void each(F f) {
    f(1, a);
    f(2, x);
    f(4, y);
  }

  void primal() const { axpy(n, a.P, x.P, incx, y.P, incy); }
  void before() const {
    if (y.active()) {
      if (x.active())
        axpy(n, a.P, x.D, incx, y.D, incy);
      if (a.Active)
        axpy(n, a.D, x.P, incx, y.D, incy);
    }
  }
  void *augment(rg_arena *Arena) const {
    auto Kept = Tape<T>::make(Arena, a.Active ? n : 0);
    if (a.Active)
      Kept.keepVector(n, x.P, incx);
    primal();
    return Kept.block();
  }
  void reverse(void *Block) {
    Tape<T> Kept(Block);
    if (y.active()) {
      if (a.Active)
        a.D += dot(n, Kept.kept(n), 1, y.D, incy);
      if (x.active())
        axpy(n, a.P, y.D, incy, x.D, incx);
    }
  }
};

/// x *= a
template <class T> struct Scal {
  int n;
  Scalar<T> a;
  Dual<T> x;
  int incx;

  template <class F> void each(F f) {
    f(1, a);
    f(2, x);
  }

  void primal() const { scal(n, a.P, x.P, incx); }
  void before() const {
    if (x.active()) {
      scal(n, a.P, x.D, incx);
      if (a.Active)
        axpy(n, a.D, x.P, incx, x.D, incx);
    }
  }
  void *augment(rg_arena *Arena) const {
    auto Kept = Tape<T>::make(Arena, a.Active ? n : 0);
    if (a.Active)
      Kept.keepVector(n, x.P, incx);
    primal();
    return Kept.block();
  }
  void reverse(void *Block) {
    Tape<T> Kept(Block);
    if (x.active()) {
      if (a.Active)
        a.D += dot(n, Kept.kept(n), 1, x.D, incx);
      scal(n, a.P, x.D, incx);
    }
  }
};

/// y = a op(A) x + b y, A of m x n
template <class T> struct Gemv {
  char t;
  int m, n;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Dual<const T> x;
  int incx;
  Scalar<T> b;
  Dual<T> y;
  int incy;

  template <class F> void each(F f) {
    f(3, a);
    f(4, A);
    f(6, x);
    f(8, b);
    f(9, y);
  }

  int sizeX() const { return none(t) ? n : m; }
  int sizeY() const { return none(t) ? m : n; }
  void primal() const {
    gemv(t, m, n, a.P, A.P, lda, x.P, incx, b.P, y.P, incy);
  }
  void before() const {
    if (y.active()) {
      scal(sizeY(), b.P, y.D, incy);
      if (b.Active)
        axpy(sizeY(), b.D, y.P, incy, y.D, incy);
      if (a.Active)
        gemv(t, m, n, a.D, A.P, lda, x.P, incx, T(1), y.D, incy);
      if (A.active())
        gemv(t, m, n, a.P, A.D, lda, x.P, incx, T(1), y.D, incy);
      if (x.active())
        gemv(t, m, n, a.P, A.P, lda, x.D, incx, T(1), y.D, incy);
    }
  }
  bool needsA() const { return y.Active && (x.Active || a.Active); }
  bool needsX() const { return y.Active && (A.Active || a.Active); }
  bool needsY() const { return y.Active && b.Active; }
  void *augment(rg_arena *Arena) const {
    auto Kept = Tape<T>::make(Arena, (needsA() ? (ptrdiff_t)m * n : 0) +
                                         (needsX() ? sizeX() : 0) +
                                         (needsY() ? sizeY() : 0));
    if (needsA())
      Kept.keep(m, n, A.P, lda);
    if (needsX())
      Kept.keepVector(sizeX(), x.P, incx);
    if (needsY())
      Kept.keepVector(sizeY(), y.P, incy);
    primal();
    return Kept.block();
  }
  void reverse(void *Block) {
    Tape<T> Kept(Block);
    const T *OldA = needsA() ? Kept.kept((ptrdiff_t)m * n) : nullptr;
    const T *OldX = needsX() ? Kept.kept(sizeX()) : nullptr;
    if (y.active()) {
      if (b.Active)
        b.D += dot(sizeY(), Kept.kept(sizeY()), 1, y.D, incy);
      if (a.Active) {
        Scratch<T> Product(sizeY());
        gemv(t, m, n, T(1), OldA, m, OldX, 1, T(0), (T *)Product, 1);
        a.D += dot(sizeY(), Product, 1, y.D, incy);
      }
      if (A.active()) {
        if (none(t))
          ger(m, n, a.P, y.D, incy, OldX, 1, A.D, lda);
        else
          ger(m, n, a.P, OldX, 1, y.D, incy, A.D, lda);
      }
      if (x.active())
        gemv(flipped(t), m, n, a.P, OldA, m, y.D, incy, T(1), x.D, incx);
      scal(sizeY(), b.P, y.D, incy);
    }
  }
};

/// A += a x y^T, A of m x n
template <class T> struct Ger {
  int m, n;
  Scalar<T> a;
  Dual<const T> x;
  int incx;
  Dual<const T> y;
  int incy;
  Dual<T> A;
  int lda;

  template <class F> void each(F f) {
    f(2, a);
    f(3, x);
    f(5, y);
    f(7, A);
  }

  void primal() const { ger(m, n, a.P, x.P, incx, y.P, incy, A.P, lda); }
  void before() const {
    if (A.active()) {
      if (a.Active)
        ger(m, n, a.D, x.P, incx, y.P, incy, A.D, lda);
      if (x.active())
        ger(m, n, a.P, x.D, incx, y.P, incy, A.D, lda);
      if (y.active())
        ger(m, n, a.P, x.P, incx, y.D, incy, A.D, lda);
    }
  }
  bool needsX() const { return A.Active && (y.Active || a.Active); }
  bool needsY() const { return A.Active && (x.Active || a.Active); }
  void *augment(rg_arena *Arena) const {
    auto Kept = Tape<T>::make(Arena, (ptrdiff_t)(needsX() ? m : 0) +
                                         (needsY() ? n : 0));
    if (needsX())
      Kept.keepVector(m, x.P, incx);
    if (needsY())
      Kept.keepVector(n, y.P, incy);
    primal();
    return Kept.block();
  }
  void reverse(void *Block) {
    Tape<T> Kept(Block);
    const T *OldX = needsX() ? Kept.kept(m) : nullptr;
    const T *OldY = needsY() ? Kept.kept(n) : nullptr;
    if (A.active()) {
      if (a.Active) {
        Scratch<T> Product(m);
        gemv('N', m, n, T(1), A.D, lda, OldY, 1, T(0), (T *)Product, 1);
        a.D += dot(m, OldX, 1, Product, 1);
      }
      if (x.active())
        gemv('N', m, n, a.P, A.D, lda, OldY, 1, T(1), x.D, incx);
      if (y.active())
        gemv('T', m, n, a.P, A.D, lda, OldX, 1, T(1), y.D, incy);
    }
  }
};

/// y = a A x + b y, A symmetric with triangle u stored
template <class T> struct Symv {
  char u;
  int n;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Dual<const T> x;
  int incx;
  Scalar<T> b;
  Dual<T> y;
  int incy;

  template <class F> void each(F f) {
    f(2, a);
    f(3, A);
    f(5, x);
    f(7, b);
    f(8, y);
  }

  void primal() const { symv(u, n, a.P, A.P, lda, x.P, incx, b.P, y.P, incy); }
  void before() const {
    if (y.active()) {
      scal(n, b.P, y.D, incy);
      if (b.Active)
        axpy(n, b.D, y.P, incy, y.D, incy);
      if (a.Active)
        symv(u, n, a.D, A.P, lda, x.P, incx, T(1), y.D, incy);
      if (A.active())
        symv(u, n, a.P, A.D, lda, x.P, incx, T(1), y.D, incy);
      if (x.active())
        symv(u, n, a.P, A.P, lda, x.D, incx, T(1), y.D, incy);
    }
  }
  bool needsA() const { return y.Active && (x.Active || a.Active); }
  bool needsX() const { return y.Active && (A.Active || a.Active); }
  bool needsY() const { return y.Active && b.Active; }
  void *augment(rg_arena *Arena) const {
    auto Kept =
        Tape<T>::make(Arena, (needsA() ? (ptrdiff_t)n * n : 0) +
                                 (needsX() ? n : 0) + (needsY() ? n : 0));
    if (needsA())
      Kept.keep(n, n, A.P, lda);
    if (needsX())
      Kept.keepVector(n, x.P, incx);
    if (needsY())
      Kept.keepVector(n, y.P, incy);
    primal();
    return Kept.block();
  }
  void reverse(void *Block) {
    Tape<T> Kept(Block);
    const T *OldA = needsA() ? Kept.kept((ptrdiff_t)n * n) : nullptr;
    const T *OldX = needsX() ? Kept.kept(n) : nullptr;
    if (y.active()) {
      if (b.Active)
        b.D += dot(n, Kept.kept(n), 1, y.D, incy);
      if (a.Active) {
        Scratch<T> Product(n);
        symv(u, n, T(1), OldA, n, OldX, 1, T(0), (T *)Product, 1);
        a.D += dot(n, Product, 1, y.D, incy);
      }
      if (A.active()) {
        // a (ybar x^T + x ybar^T), of which the diagonal counts once.
        T *Abar = A.D;
        const T *Y = first(y.D, n, incy);
        syr2(u, n, a.P, y.D, incy, OldX, 1, Abar, lda);
        for (int i = 0; i < n; ++i)
          Abar[i + (ptrdiff_t)i * lda] -=
              a.P * Y[(ptrdiff_t)i * incy] * OldX[i];
      }
      if (x.active())
        symv(u, n, a.P, OldA, n, y.D, incy, T(1), x.D, incx);
      scal(n, b.P, y.D, incy);
    }
  }
};

/// M = triangle u of A + its transpose, then y += a M x: the adjoints of
/// symmetric updates.
template <class T>
inline void addTwice(char u, int n, T a, const T *A, int lda, const T *x, T *y,
                     int incy) {
  symv(u, n, a, A, lda, x, 1, T(1), y, incy);
  T *Y = first(y, n, incy);
  for (int i = 0; i < n; ++i)
    Y[(ptrdiff_t)i * incy] += a * A[i + (ptrdiff_t)i * lda] * x[i];
}

/// A += a x x^T, triangle u
template <class T> struct Syr {
  char u;
  int n;
  Scalar<T> a;
  Dual<const T> x;
  int incx;
  Dual<T> A;
  int lda;

  template <class F> void each(F f) {
    f(2, a);
    f(3, x);
    f(5, A);
  }

  void primal() const { syr(u, n, a.P, x.P, incx, A.P, lda); }
  void before() const {
    if (A.active()) {
      if (a.Active)
        syr(u, n, a.D, x.P, incx, A.D, lda);
      if (x.active())
        syr2(u, n, a.P, x.P, incx, x.D, incx, A.D, lda);
    }
  }
  bool needsX() const { return A.Active && (x.Active || a.Active); }
  void *augment(rg_arena *Arena) const {
    auto Kept = Tape<T>::make(Arena, needsX() ? n : 0);
    if (needsX())
      Kept.keepVector(n, x.P, incx);
    primal();
    return Kept.block();
  }
  void reverse(void *Block) {
    const T *OldX = Tape<T>(Block).kept(n);
    if (A.active()) {
      if (a.Active) {
        Scratch<T> Product(n);
        memset((T *)Product, 0, n * sizeof(T));
        addTwice(u, n, T(1), (const T *)A.D, lda, OldX, (T *)Product, 1);
        a.D += dot(n, OldX, 1, Product, 1) / 2;
      }
      if (x.active())
        addTwice(u, n, a.P, (const T *)A.D, lda, OldX, x.D, incx);
    }
  }
};

/// A += a (x y^T + y x^T), triangle u
template <class T> struct Syr2 {
  char u;
  int n;
  Scalar<T> a;
  Dual<const T> x;
  int incx;
  Dual<const T> y;
  int incy;
  Dual<T> A;
  int lda;

  template <class F> void each(F f) {
    f(2, a);
    f(3, x);
    f(5, y);
    f(7, A);
  }

  void primal() const { syr2(u, n, a.P, x.P, incx, y.P, incy, A.P, lda); }
  void before() const {
    if (A.active()) {
      if (a.Active)
        syr2(u, n, a.D, x.P, incx, y.P, incy, A.D, lda);
      if (x.active())
        syr2(u, n, a.P, x.D, incx, y.P, incy, A.D, lda);
      if (y.active())
        syr2(u, n, a.P, x.P, incx, y.D, incy, A.D, lda);
    }
  }
  bool needsX() const { return A.Active && (y.Active || a.Active); }
  bool needsY() const { return A.Active && (x.Active || a.Active); }
  void *augment(rg_arena *Arena) const {
    auto Kept = Tape<T>::make(Arena, (ptrdiff_t)(needsX() ? n : 0) +
                                         (needsY() ? n : 0));
    if (needsX())
      Kept.keepVector(n, x.P, incx);
    if (needsY())
      Kept.keepVector(n, y.P, incy);
    primal();
    return Kept.block();
  }
  void reverse(void *Block) {
    Tape<T> Kept(Block);
    const T *OldX = needsX() ? Kept.kept(n) : nullptr;
    const T *OldY = needsY() ? Kept.kept(n) : nullptr;
    if (A.active()) {
      if (a.Active) {
        Scratch<T> Product(n);
        memset((T *)Product, 0, n * sizeof(T));
        addTwice(u, n, T(1), (const T *)A.D, lda, OldY, (T *)Product, 1);
        a.D += dot(n, OldX, 1, Product, 1);
      }
      if (x.active())
        addTwice(u, n, a.P, (const T *)A.D, lda, OldY, x.D, incx);
      if (y.active())
        addTwice(u, n, a.P, (const T *)A.D, lda, OldX, y.D, incy);
    }
  }
};

/// x = op(A) x, A triangular; and x = op(A)^-1 x when Solve
template <class T, bool Solve> struct Triangular {
  char u, t, d;
  int n;
  Dual<const T> A;
  int lda;
  Dual<T> x;
  int incx;

  template <class F> void each(F f) {
    f(4, A);
    f(6, x);
  }

  void apply(char Op, T *V) const {
    if (Solve)
      trsv(u, Op, d, n, A.P, lda, V, incx);
    else
      trmv(u, Op, d, n, A.P, lda, V, incx);
  }
  void primal() const { apply(t, x.P); }
  /// V = op(dA) V, where a unit diagonal has no tangent.
  void applyTangent(T *V) const {
    Scratch<T> Old(n);
    copy(n, V, 1, (T *)Old, 1);
    trmv(u, t, d, n, A.D, lda, V, 1);
    if (unit(d))
      axpy(n, T(-1), (const T *)Old, 1, V, 1);
  }
  /// The tangent of op(A) x.
  void before() const {
    if (Solve || !x.active())
      return;
    apply(t, x.D);
    if (!A.active())
      return;
    Scratch<T> V(n);
    copy(n, x.P, incx, (T *)V, 1);
    applyTangent(V);
    axpy(n, T(1), (const T *)V, 1, x.D, incx);
  }
  /// op(A) dx = db - op(dA) x.
  void after() const {
    if (!Solve || !x.active())
      return;
    if (A.active()) {
      Scratch<T> V(n);
      copy(n, x.P, incx, (T *)V, 1);
      applyTangent(V);
      axpy(n, T(-1), (const T *)V, 1, x.D, incx);
    }
    apply(t, x.D);
  }
  void *augment(rg_arena *Arena) const {
    if (!x.Active) {
      primal();
      return Tape<T>::room(Arena, 0);
    }
    auto Kept = Tape<T>::make(Arena, (ptrdiff_t)n * n + n);
    Kept.keep(n, n, A.P, lda);
    if (!Solve)
      Kept.keepVector(n, x.P, incx);
    primal();
    if (Solve)
      Kept.keepVector(n, x.P, incx);
    return Kept.block();
  }
  void reverse(void *Block) const {
    if (!x.active())
      return;
    Tape<T> Kept(Block);
    const T *OldA = Kept.kept((ptrdiff_t)n * n), *V = Kept.kept(n);
    if (Solve)
      trsv(u, flipped(t), d, n, OldA, n, x.D, incx);
    if (A.active()) {
      T *Abar = A.D;
      const T *G = first(x.D, n, incx);
      T Sign = Solve ? -1 : 1;
      for (int j = 0; j < n; ++j)
        for (Rows R(u, n, j, unit(d)); R.Begin < R.End; ++R.Begin) {
          int i = R.Begin;
          Abar[i + (ptrdiff_t)j * lda] +=
              Sign * (none(t) ? G[(ptrdiff_t)i * incx] * V[j]
                              : V[i] * G[(ptrdiff_t)j * incx]);
        }
    }
    if (!Solve)
      trmv(u, flipped(t), d, n, OldA, n, x.D, incx);
  }
};

/// C = a op(A) op(B) + b C, C of m x n, inner size k
template <class T> struct Gemm {
  char ta, tb;
  int m, n, k;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Dual<const T> B;
  int ldb;
  Scalar<T> b;
  Dual<T> C;
  int ldc;

  template <class F> void each(F f) {
    f(5, a);
    f(6, A);
    f(8, B);
    f(10, b);
    f(11, C);
  }

  int rowsA() const { return none(ta) ? m : k; }
  int colsA() const { return none(ta) ? k : m; }
  int rowsB() const { return none(tb) ? k : n; }
  int colsB() const { return none(tb) ? n : k; }
  void primal() const {
    gemm(ta, tb, m, n, k, a.P, A.P, lda, B.P, ldb, b.P, C.P, ldc);
  }
  void before() const {
    if (C.active()) {
      scale(m, n, b.P, C.D, ldc);
      if (b.Active)
        add(m, n, b.D, (const T *)C.P, ldc, C.D, ldc);
      if (a.Active)
        gemm(ta, tb, m, n, k, a.D, A.P, lda, B.P, ldb, T(1), C.D, ldc);
      if (A.active())
        gemm(ta, tb, m, n, k, a.P, A.D, lda, B.P, ldb, T(1), C.D, ldc);
      if (B.active())
        gemm(ta, tb, m, n, k, a.P, A.P, lda, B.D, ldb, T(1), C.D, ldc);
    }
  }
  bool needsA() const { return C.Active && (B.Active || a.Active); }
  bool needsB() const { return C.Active && (A.Active || a.Active); }
  bool needsC() const { return C.Active && b.Active; }
  void *augment(rg_arena *Arena) const {
    auto Kept = Tape<T>::make(Arena, (needsA() ? (ptrdiff_t)m * k : 0) +
                                         (needsB() ? (ptrdiff_t)k * n : 0) +
                                         (needsC() ? (ptrdiff_t)m * n : 0));
    if (needsA())
      Kept.keep(rowsA(), colsA(), A.P, lda);
    if (needsB())
      Kept.keep(rowsB(), colsB(), B.P, ldb);
    if (needsC())
      Kept.keep(m, n, C.P, ldc);
    primal();
    return Kept.block();
  }
  void reverse(void *Block) {
    Tape<T> Kept(Block);
    const T *OldA = needsA() ? Kept.kept((ptrdiff_t)m * k) : nullptr;
    const T *OldB = needsB() ? Kept.kept((ptrdiff_t)k * n) : nullptr;
    if (C.active()) {
      if (b.Active)
        b.D += inner(m, n, (const T *)Kept.kept((ptrdiff_t)m * n), m,
                     (const T *)C.D, ldc);
      if (a.Active) {
        Scratch<T> Product((ptrdiff_t)m * n);
        gemm(ta, tb, m, n, k, T(1), OldA, rowsA(), OldB, rowsB(), T(0),
             (T *)Product, m);
        a.D += inner(m, n, (const T *)Product, m, (const T *)C.D, ldc);
      }
      if (A.active()) {
        T *Abar = A.D;
        if (none(ta))
          gemm('N', flipped(tb), m, k, n, a.P, C.D, ldc, OldB, rowsB(), T(1),
               Abar, lda);
        else
          gemm(tb, 'T', k, m, n, a.P, OldB, rowsB(), C.D, ldc, T(1), Abar, lda);
      }
      if (B.active()) {
        T *Bbar = B.D;
        if (none(tb))
          gemm(flipped(ta), 'N', k, n, m, a.P, OldA, rowsA(), C.D, ldc, T(1),
               Bbar, ldb);
        else
          gemm('T', ta, n, k, m, a.P, C.D, ldc, OldA, rowsA(), T(1), Bbar, ldb);
      }
      scale(m, n, b.P, C.D, ldc);
    }
  }
};

/// C = a A B + b C (side L) or a B A + b C (side R), A symmetric, C of m x n
template <class T> struct Symm {
  char s, u;
  int m, n;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Dual<const T> B;
  int ldb;
  Scalar<T> b;
  Dual<T> C;
  int ldc;

  template <class F> void each(F f) {
    f(4, a);
    f(5, A);
    f(7, B);
    f(9, b);
    f(10, C);
  }

  int sizeA() const { return left(s) ? m : n; }
  void primal() const {
    symm(s, u, m, n, a.P, A.P, lda, B.P, ldb, b.P, C.P, ldc);
  }
  void before() const {
    if (C.active()) {
      scale(m, n, b.P, C.D, ldc);
      if (b.Active)
        add(m, n, b.D, (const T *)C.P, ldc, C.D, ldc);
      if (a.Active)
        symm(s, u, m, n, a.D, A.P, lda, B.P, ldb, T(1), C.D, ldc);
      if (A.active())
        symm(s, u, m, n, a.P, A.D, lda, B.P, ldb, T(1), C.D, ldc);
      if (B.active())
        symm(s, u, m, n, a.P, A.P, lda, B.D, ldb, T(1), C.D, ldc);
    }
  }
  bool needsA() const { return C.Active && (B.Active || a.Active); }
  bool needsB() const { return C.Active && (A.Active || a.Active); }
  bool needsC() const { return C.Active && b.Active; }
  void *augment(rg_arena *Arena) const {
    int p = sizeA();
    auto Kept =
        Tape<T>::make(Arena, (needsA() ? (ptrdiff_t)p * p : 0) +
                                 (ptrdiff_t)m * n * (needsB() + needsC()));
    if (needsA())
      Kept.keep(p, p, A.P, lda);
    if (needsB())
      Kept.keep(m, n, B.P, ldb);
    if (needsC())
      Kept.keep(m, n, C.P, ldc);
    primal();
    return Kept.block();
  }
  void reverse(void *Block) {
    Tape<T> Kept(Block);
    int p = sizeA();
    const T *OldA = needsA() ? Kept.kept((ptrdiff_t)p * p) : nullptr;
    const T *OldB = needsB() ? Kept.kept((ptrdiff_t)m * n) : nullptr;
    if (C.active()) {
      if (b.Active)
        b.D += inner(m, n, (const T *)Kept.kept((ptrdiff_t)m * n), m,
                     (const T *)C.D, ldc);
      if (a.Active) {
        Scratch<T> Product((ptrdiff_t)m * n);
        symm(s, u, m, n, T(1), OldA, p, OldB, m, T(0), (T *)Product, m);
        a.D += inner(m, n, (const T *)Product, m, (const T *)C.D, ldc);
      }
      if (A.active()) {
        Scratch<T> G((ptrdiff_t)p * p);
        if (left(s))
          gemm('N', 'T', m, m, n, a.P, C.D, ldc, OldB, m, T(0), (T *)G, m);
        else
          gemm('T', 'N', n, n, m, a.P, OldB, m, C.D, ldc, T(0), (T *)G, n);
        addSymmetric(u, p, T(1), (const T *)G, p, A.D, lda);
      }
      if (B.active())
        symm(s, u, m, n, a.P, OldA, p, C.D, ldc, T(1), B.D, ldb);
      scale(m, n, b.P, C.D, ldc);
    }
  }
};

/// C = a A A^T + b C (N, A of n x k) or a A^T A + b C (T, A of k x n), triangle
/// u
template <class T> struct Syrk {
  char u, t;
  int n, k;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Scalar<T> b;
  Dual<T> C;
  int ldc;

  template <class F> void each(F f) {
    f(4, a);
    f(5, A);
    f(7, b);
    f(8, C);
  }

  int rows() const { return none(t) ? n : k; }
  int cols() const { return none(t) ? k : n; }
  void primal() const { syrk(u, t, n, k, a.P, A.P, lda, b.P, C.P, ldc); }
  void before() const {
    if (C.active()) {
      scaleTriangle(u, n, b.P, C.D, ldc);
      if (b.Active)
        addTriangle(u, false, n, b.D, (const T *)C.P, ldc, C.D, ldc);
      if (a.Active)
        syrk(u, t, n, k, a.D, A.P, lda, T(1), C.D, ldc);
      if (A.active())
        syr2k(u, t, n, k, a.P, A.P, lda, A.D, lda, T(1), C.D, ldc);
    }
  }
  bool needsA() const { return C.Active && (A.Active || a.Active); }
  bool needsC() const { return C.Active && b.Active; }
  void *augment(rg_arena *Arena) const {
    auto Kept = Tape<T>::make(Arena, (needsA() ? (ptrdiff_t)n * k : 0) +
                                         (needsC() ? (ptrdiff_t)n * n : 0));
    if (needsA())
      Kept.keep(rows(), cols(), A.P, lda);
    if (needsC())
      Kept.keep(n, n, C.P, ldc);
    primal();
    return Kept.block();
  }
  void reverse(void *Block) {
    Tape<T> Kept(Block);
    const T *OldA = needsA() ? Kept.kept((ptrdiff_t)n * k) : nullptr;
    if (C.active()) {
      if (b.Active)
        b.D += innerTriangle(u, n, (const T *)Kept.kept((ptrdiff_t)n * n), n,
                             (const T *)C.D, ldc);
      Scratch<T> Work((ptrdiff_t)n * n);
      if (a.Active) {
        syrk(u, t, n, k, T(1), OldA, rows(), T(0), (T *)Work, n);
        a.D += innerTriangle(u, n, (const T *)Work, n, (const T *)C.D, ldc);
      }
      if (A.active()) {
        symmetrise(u, n, T(2), (const T *)C.D, ldc, (T *)Work);
        symm(none(t) ? 'L' : 'R', u, rows(), cols(), a.P, Work, n, OldA, rows(),
             T(1), A.D, lda);
      }
      scaleTriangle(u, n, b.P, C.D, ldc);
    }
  }
};

/// C = a (A B^T + B A^T) + b C, or with transposed A and B; triangle u
template <class T> struct Syr2k {
  char u, t;
  int n, k;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Dual<const T> B;
  int ldb;
  Scalar<T> b;
  Dual<T> C;
  int ldc;

  template <class F> void each(F f) {
    f(4, a);
    f(5, A);
    f(7, B);
    f(9, b);
    f(10, C);
  }

  int rows() const { return none(t) ? n : k; }
  int cols() const { return none(t) ? k : n; }
  void primal() const {
    syr2k(u, t, n, k, a.P, A.P, lda, B.P, ldb, b.P, C.P, ldc);
  }
  void before() const {
    if (C.active()) {
      scaleTriangle(u, n, b.P, C.D, ldc);
      if (b.Active)
        addTriangle(u, false, n, b.D, (const T *)C.P, ldc, C.D, ldc);
      if (a.Active)
        syr2k(u, t, n, k, a.D, A.P, lda, B.P, ldb, T(1), C.D, ldc);
      if (A.active())
        syr2k(u, t, n, k, a.P, A.D, lda, B.P, ldb, T(1), C.D, ldc);
      if (B.active())
        syr2k(u, t, n, k, a.P, A.P, lda, B.D, ldb, T(1), C.D, ldc);
    }
  }
  bool needsA() const { return C.Active && (B.Active || a.Active); }
  bool needsB() const { return C.Active && (A.Active || a.Active); }
  bool needsC() const { return C.Active && b.Active; }
  void *augment(rg_arena *Arena) const {
    auto Kept = Tape<T>::make(Arena, (ptrdiff_t)n * k * (needsA() + needsB()) +
                                         (needsC() ? (ptrdiff_t)n * n : 0));
    if (needsA())
      Kept.keep(rows(), cols(), A.P, lda);
    if (needsB())
      Kept.keep(rows(), cols(), B.P, ldb);
    if (needsC())
      Kept.keep(n, n, C.P, ldc);
    primal();
    return Kept.block();
  }
  void reverse(void *Block) {
    Tape<T> Kept(Block);
    const T *OldA = needsA() ? Kept.kept((ptrdiff_t)n * k) : nullptr;
    const T *OldB = needsB() ? Kept.kept((ptrdiff_t)n * k) : nullptr;
    if (C.active()) {
      if (b.Active)
        b.D += innerTriangle(u, n, (const T *)Kept.kept((ptrdiff_t)n * n), n,
                             (const T *)C.D, ldc);
      Scratch<T> Work((ptrdiff_t)n * n);
      if (a.Active) {
        syr2k(u, t, n, k, T(1), OldA, rows(), OldB, rows(), T(0), (T *)Work, n);
        a.D += innerTriangle(u, n, (const T *)Work, n, (const T *)C.D, ldc);
      }
      symmetrise(u, n, T(2), (const T *)C.D, ldc, (T *)Work);
      char Side = none(t) ? 'L' : 'R';
      if (A.active())
        symm(Side, u, rows(), cols(), a.P, Work, n, OldB, rows(), T(1), A.D,
             lda);
      if (B.active())
        symm(Side, u, rows(), cols(), a.P, Work, n, OldA, rows(), T(1), B.D,
             ldb);
      scaleTriangle(u, n, b.P, C.D, ldc);
    }
  }
};

/// B = a op(A) B or a B op(A), A triangular; with op(A)^-1 when Solve. B of m x
/// n
template <class T, bool Solve> struct TriangularMatrix {
  char s, u, t, d;
  int m, n;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Dual<T> B;
  int ldb;

  template <class F> void each(F f) {
    f(6, a);
    f(7, A);
    f(9, B);
  }

  int sizeA() const { return left(s) ? m : n; }
  void apply(char Op, T Factor, const T *Matrix, int ld, T *X, int ldx) const {
    if (Solve)
      trsm(s, u, Op, d, m, n, Factor, Matrix, ld, X, ldx);
    else
      trmm(s, u, Op, d, m, n, Factor, Matrix, ld, X, ldx);
  }
  void primal() const { apply(t, a.P, A.P, lda, B.P, ldb); }
  /// X = Factor op(dA) X or X op(dA), where a unit diagonal has no tangent.
  void applyTangent(T Factor, T *X) const {
    Scratch<T> Old((ptrdiff_t)m * n);
    if (unit(d))
      assign(m, n, (const T *)X, m, (T *)Old, m);
    trmm(s, u, t, d, m, n, Factor, A.D, lda, X, m);
    if (unit(d))
      add(m, n, -Factor, (const T *)Old, m, X, m);
  }
  void before() const {
    if (!B.active())
      return;
    if (Solve) {
      scale(m, n, a.P, B.D, ldb);
      if (a.Active)
        add(m, n, a.D, (const T *)B.P, ldb, B.D, ldb);
      return;
    }
    Scratch<T> X((ptrdiff_t)m * n);
    apply(t, a.P, A.P, lda, B.D, ldb);
    if (A.active()) {
      assign(m, n, (const T *)B.P, ldb, (T *)X, m);
      applyTangent(a.P, X);
      add(m, n, T(1), (const T *)X, m, B.D, ldb);
    }
    if (a.Active) {
      assign(m, n, (const T *)B.P, ldb, (T *)X, m);
      apply(t, a.D, A.P, lda, X, m);
      add(m, n, T(1), (const T *)X, m, B.D, ldb);
    }
  }
  /// op(A) dX = a dB + da B - op(dA) X.
  void after() const {
    if (!Solve || !B.active())
      return;
    if (A.active()) {
      Scratch<T> X((ptrdiff_t)m * n);
      assign(m, n, (const T *)B.P, ldb, (T *)X, m);
      applyTangent(T(1), X);
      add(m, n, T(-1), (const T *)X, m, B.D, ldb);
    }
    apply(t, T(1), A.P, lda, B.D, ldb);
  }
  bool needsIn() const { return a.Active || (!Solve && A.Active); }
  bool needsOut() const { return Solve && A.Active; }
  void *augment(rg_arena *Arena) const {
    if (!B.Active) {
      primal();
      return Tape<T>::room(Arena, 0);
    }
    int p = sizeA();
    auto Kept = Tape<T>::make(
        Arena, (ptrdiff_t)p * p + (ptrdiff_t)m * n * (needsIn() + needsOut()));
    Kept.keep(p, p, A.P, lda);
    if (needsIn())
      Kept.keep(m, n, B.P, ldb);
    primal();
    if (needsOut())
      Kept.keep(m, n, B.P, ldb);
    return Kept.block();
  }
  void reverse(void *Block) {
    if (!B.active())
      return;
    Tape<T> Kept(Block);
    int p = sizeA();
    const T *OldA = Kept.kept((ptrdiff_t)p * p);
    const T *In = needsIn() ? Kept.kept((ptrdiff_t)m * n) : nullptr;
    const T *X = needsOut() ? Kept.kept((ptrdiff_t)m * n) : In;
    if (Solve)
      apply(flipped(t), T(1), OldA, p, B.D, ldb); // the adjoint of a B
    if (A.active()) {
      // Of op(A) = M in Y = M X, Y = X M, and X = M^-1 Y, X = Y M^-1.
      Scratch<T> G((ptrdiff_t)p * p);
      T Factor = Solve ? T(-1) : a.P;
      bool GFirst =
          left(s) ==
          none(t); // G = Bbar X^T or X Bbar^T (L), X^T Bbar or Bbar^T X (R)
      const T *Bbar = B.D;
      if (left(s))
        GFirst
            ? gemm('N', 'T', p, p, n, Factor, Bbar, ldb, X, m, T(0), (T *)G, p)
            : gemm('N', 'T', p, p, n, Factor, X, m, Bbar, ldb, T(0), (T *)G, p);
      else
        GFirst
            ? gemm('T', 'N', p, p, m, Factor, Bbar, ldb, X, m, T(0), (T *)G, p)
            : gemm('T', 'N', p, p, m, Factor, X, m, Bbar, ldb, T(0), (T *)G, p);
      addTriangle(u, unit(d), p, T(1), (const T *)G, p, A.D, lda);
    }
    if (a.Active) {
      if (Solve) {
        a.D += inner(m, n, (const T *)B.D, ldb, In, m);
      } else {
        Scratch<T> Product((ptrdiff_t)m * n);
        assign(m, n, In, m, (T *)Product, m);
        apply(t, T(1), OldA, p, Product, m);
        a.D += inner(m, n, (const T *)Product, m, (const T *)B.D, ldb);
      }
    }
    if (Solve)
      scale(m, n, a.P, B.D, ldb);
    else
      apply(flipped(t), a.P, OldA, p, B.D, ldb);
  }
};

} // namespace rg

#endif
