/*===- cublas_rules.h - a struct per routine of cuBLAS --------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* See cublas.h. The formulas are those of docs/DenseLinearAlgebra.md.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_CUBLAS_RULES_H
#define RETROGRAD_RUNTIME_CUBLAS_RULES_H
#include "cublas.h"

namespace rg::device {

/// x . y
template <class T> struct Dot {
  Queue q;
  int n;
  Dual<const T> x;
  int incx;
  Dual<const T> y;
  int incy;

  template <class F> void each(F f) {
    f(2, x);
    f(4, y);
  }
  int primal(T &R) const { return dotTo(q, n, x.P, incx, y.P, incy, &R); }
  T tangent(T) const {
    T R = 0;
    if (x.active())
      R += dot(q, n, (const T *)x.D, incx, y.P, incy);
    if (y.active())
      R += dot(q, n, x.P, incx, (const T *)y.D, incy);
    return R;
  }
  void keep(Keeper k) const {
    if (y.Active)
      k.in(0, n, x.P, incx);
    if (x.Active)
      k.in(1, n, y.P, incy);
  }
  void reverse(const Kept &K, T Seed, T) const {
    auto X = wasVector(K, 0, x.P, incx), Y = wasVector(K, 1, y.P, incy);
    if (y.active())
      must(axpy(q, n, Seed, X.P, X.ld, y.D, incy), "axpy");
    if (x.active())
      must(axpy(q, n, Seed, Y.P, Y.ld, x.D, incx), "axpy");
  }
};

/// The Euclidean norm; its derivative at the origin is zero.
template <class T> struct Nrm2 {
  Queue q;
  int n;
  Dual<const T> x;
  int incx;

  template <class F> void each(F f) { f(2, x); }
  int primal(T &R) const { return nrm2To(q, n, x.P, incx, &R); }
  T tangent(T Norm) const {
    return x.active() && Norm != 0
               ? dot(q, n, x.P, incx, (const T *)x.D, incx) / Norm
               : 0;
  }
  void keep(Keeper k) const {
    if (x.Active && incx > 0)
      k.in(0, n, x.P, incx);
  }
  void reverse(const Kept &K, T Seed, T Norm) const {
    auto X = wasVector(K, 0, x.P, incx);
    if (x.active() && Norm != 0)
      must(axpy(q, n, Seed / Norm, X.P, X.ld, x.D, incx), "axpy");
  }
};

/// The sum of the magnitudes; 0 has the derivative 0.
template <class T> struct Asum {
  Queue q;
  int n;
  Dual<const T> x;
  int incx;

  template <class F> void each(F f) { f(2, x); }
  int primal(T &R) const { return asumTo(q, n, x.P, incx, &R); }
  T tangent(T) const {
    if (!x.active() || n <= 0 || incx <= 0)
      return 0;
    Scratch<T> Sign(q, n);
    map(q, RG_MAP_SIGN, RG_ALL, false, n, 1, T(1), byRow(x.P, n, incx),
        nothing<T>(), T(0), Strided<T>{Sign, 1, 0});
    return dot(q, n, (const T *)(T *)Sign, 1, (const T *)x.D, incx);
  }
  void keep(Keeper k) const {
    if (x.Active && incx > 0)
      k.in(0, n, x.P, incx);
  }
  void reverse(const Kept &K, T Seed, T) const {
    auto X = wasVector(K, 0, x.P, incx);
    if (x.active() && incx > 0)
      map(q, RG_MAP_SIGN, RG_ALL, false, n, 1, Seed, byRow(X.P, n, X.ld),
          nothing<T>(), T(1), byRow(x.D, n, incx));
  }
};

/// y += a x
template <class T> struct Axpy {
  Queue q;
  int n;
  Scalar<T> a;
  Dual<const T> x;
  int incx;
  Dual<T> y;
  int incy;

  template <class F> void each(F f) {
    f(2, a);
    f(3, x);
    f(5, y);
  }
  int primal() const { return axpy(q, n, a.P, x.P, incx, y.P, incy); }
  void before() const {
    if (!y.active())
      return;
    if (x.active())
      must(axpy(q, n, a.P, (const T *)x.D, incx, y.D, incy), "axpy");
    if (a.Active)
      must(axpy(q, n, a.D, x.P, incx, y.D, incy), "axpy");
  }
  void keep(Keeper k) const {
    if (a.Active && y.Active)
      k.in(0, n, x.P, incx);
  }
  void reverse(const Kept &K) {
    if (!y.active())
      return;
    if (a.Active) {
      auto X = wasVector(K, 0, x.P, incx);
      a.D += dot(q, n, X.P, X.ld, (const T *)y.D, incy);
    }
    if (x.active())
      must(axpy(q, n, a.P, (const T *)y.D, incy, x.D, incx), "axpy");
  }
};

/// x *= a
template <class T> struct Scal {
  Queue q;
  int n;
  Scalar<T> a;
  Dual<T> x;
  int incx;

  template <class F> void each(F f) {
    f(2, a);
    f(3, x);
  }
  int primal() const { return scal(q, n, a.P, x.P, incx); }
  void before() const {
    if (!x.active() || incx <= 0)
      return;
    scaleBy(q, n, 1, a.P, byRow(x.D, n, incx));
    if (a.Active)
      must(axpy(q, n, a.D, x.P, incx, x.D, incx), "axpy");
  }
  void keep(Keeper k) const {
    if (a.Active && x.Active && incx > 0)
      k.old(0, n, x.P, incx);
  }
  void reverse(const Kept &K) {
    if (!x.active() || incx <= 0)
      return;
    if (a.Active) {
      auto X = wasVector(K, 0, x.P, incx);
      a.D += dot(q, n, X.P, X.ld, (const T *)x.D, incx);
    }
    scaleBy(q, n, 1, a.P, byRow(x.D, n, incx));
  }
};

/// y = x
template <class T> struct Copy {
  Queue q;
  int n;
  Dual<const T> x;
  int incx;
  Dual<T> y;
  int incy;

  template <class F> void each(F f) {
    f(2, x);
    f(4, y);
  }
  int primal() const { return copy(q, n, x.P, incx, y.P, incy); }
  void before() const {
    if (!y.active())
      return;
    if (x.active())
      must(copy(q, n, (const T *)x.D, incx, y.D, incy), "copy");
    else
      clear(q, n, 1, byRow(y.D, n, incy));
  }
  void keep(Keeper) const {}
  void reverse(const Kept &) {
    if (!y.active())
      return;
    if (x.active())
      must(axpy(q, n, T(1), (const T *)y.D, incy, x.D, incx), "axpy");
    clear(q, n, 1, byRow(y.D, n, incy));
  }
};

/// x and y change places.
template <class T> struct Swap {
  Queue q;
  int n;
  Dual<T> x;
  int incx;
  Dual<T> y;
  int incy;

  template <class F> void each(F f) {
    f(2, x);
    f(4, y);
  }
  int primal() const { return swap(q, n, x.P, incx, y.P, incy); }
  void exchange() const {
    if (x.active() && y.active())
      must(swap(q, n, x.D, incx, y.D, incy), "swap");
    else if (x.active())
      clear(q, n, 1, byRow(x.D, n, incx));
    else if (y.active())
      clear(q, n, 1, byRow(y.D, n, incy));
  }
  void before() const { exchange(); }
  void keep(Keeper) const {}
  void reverse(const Kept &) { exchange(); }
};

/// y = a op(A) x + b y, A of m x n
template <class T> struct Gemv {
  Queue q;
  int t, m, n;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Dual<const T> x;
  int incx;
  Scalar<T> b;
  Dual<T> y;
  int incy;

  template <class F> void each(F f) {
    f(4, a);
    f(5, A);
    f(7, x);
    f(9, b);
    f(10, y);
  }
  int sizeX() const { return none(t) ? n : m; }
  int sizeY() const { return none(t) ? m : n; }
  Strided<T> ybar() const { return byRow(y.D, sizeY(), incy); }
  int primal() const {
    return gemv(q, t, m, n, a.P, A.P, lda, x.P, incx, b.P, y.P, incy);
  }
  void times(T f, const T *M, int ld, const T *v, int inc, T *w, int incw,
             int op) const {
    must(gemv(q, op, m, n, f, M, ld, v, inc, T(1), w, incw), "gemv");
  }
  void before() const {
    if (!y.active())
      return;
    scaleBy(q, sizeY(), 1, b.P, ybar());
    if (b.Active)
      must(axpy(q, sizeY(), b.D, (const T *)y.P, incy, y.D, incy), "axpy");
    if (a.Active)
      times(a.D, A.P, lda, x.P, incx, y.D, incy, t);
    if (A.active())
      times(a.P, A.D, lda, x.P, incx, y.D, incy, t);
    if (x.active())
      times(a.P, A.P, lda, x.D, incx, y.D, incy, t);
  }
  void keep(Keeper k) const {
    if (!y.Active)
      return;
    if (x.Active || a.Active)
      k.in(0, m, n, A.P, lda);
    if (A.Active || a.Active)
      k.in(1, sizeX(), x.P, incx);
    if (b.Active)
      k.old(2, sizeY(), y.P, incy);
  }
  void reverse(const Kept &K) {
    if (!y.active())
      return;
    auto M = was(K, 0, m, n, A.P, lda);
    auto X = wasVector(K, 1, x.P, incx);
    if (b.Active) {
      auto Y = wasVector(K, 2, (const T *)y.P, incy);
      b.D += dot(q, sizeY(), Y.P, Y.ld, (const T *)y.D, incy);
    }
    if (a.Active) {
      Scratch<T> Product(q, sizeY());
      must(gemv(q, t, m, n, T(1), M.P, M.ld, X.P, X.ld, T(0), (T *)Product, 1),
           "gemv");
      a.D += dot<T>(q, sizeY(), Product, 1, y.D, incy);
    }
    if (A.active()) {
      if (none(t))
        must(ger(q, m, n, a.P, (const T *)y.D, incy, X.P, X.ld, A.D, lda),
             "ger");
      else
        must(ger(q, m, n, a.P, X.P, X.ld, (const T *)y.D, incy, A.D, lda),
             "ger");
    }
    if (x.active())
      times(a.P, M.P, M.ld, y.D, incy, x.D, incx, flipped(t));
    scaleBy(q, sizeY(), 1, b.P, ybar());
  }
};

/// A += a x y^T, A of m x n
template <class T> struct Ger {
  Queue q;
  int m, n;
  Scalar<T> a;
  Dual<const T> x;
  int incx;
  Dual<const T> y;
  int incy;
  Dual<T> A;
  int lda;

  template <class F> void each(F f) {
    f(3, a);
    f(4, x);
    f(6, y);
    f(8, A);
  }
  int primal() const {
    return ger(q, m, n, a.P, x.P, incx, y.P, incy, A.P, lda);
  }
  void before() const {
    if (!A.active())
      return;
    if (a.Active)
      must(ger(q, m, n, a.D, x.P, incx, y.P, incy, A.D, lda), "ger");
    if (x.active())
      must(ger(q, m, n, a.P, (const T *)x.D, incx, y.P, incy, A.D, lda), "ger");
    if (y.active())
      must(ger(q, m, n, a.P, x.P, incx, (const T *)y.D, incy, A.D, lda), "ger");
  }
  void keep(Keeper k) const {
    if (!A.Active)
      return;
    if (y.Active || a.Active)
      k.in(0, m, x.P, incx);
    if (x.Active || a.Active)
      k.in(1, n, y.P, incy);
  }
  void reverse(const Kept &K) {
    if (!A.active())
      return;
    auto X = wasVector(K, 0, x.P, incx), Y = wasVector(K, 1, y.P, incy);
    const T *Abar = A.D;
    if (a.Active) {
      Scratch<T> Product(q, m);
      must(
          gemv(q, OpN, m, n, T(1), Abar, lda, Y.P, Y.ld, T(0), (T *)Product, 1),
          "gemv");
      a.D += dot<T>(q, m, X.P, X.ld, Product, 1);
    }
    if (x.active())
      must(gemv(q, OpN, m, n, a.P, Abar, lda, Y.P, Y.ld, T(1), x.D, incx),
           "gemv");
    if (y.active())
      must(gemv(q, OpT, m, n, a.P, Abar, lda, X.P, X.ld, T(1), y.D, incy),
           "gemv");
  }
};

/// y = a A x + b y, A symmetric with triangle u stored
template <class T> struct Symv {
  Queue q;
  int u, n;
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
  int primal() const {
    return symv(q, u, n, a.P, A.P, lda, x.P, incx, b.P, y.P, incy);
  }
  void times(T f, const T *M, int ld, const T *v, int inc, T *w,
             int incw) const {
    must(symv(q, u, n, f, M, ld, v, inc, T(1), w, incw), "symv");
  }
  void before() const {
    if (!y.active())
      return;
    scaleBy(q, n, 1, b.P, byRow(y.D, n, incy));
    if (b.Active)
      must(axpy(q, n, b.D, (const T *)y.P, incy, y.D, incy), "axpy");
    if (a.Active)
      times(a.D, A.P, lda, x.P, incx, y.D, incy);
    if (A.active())
      times(a.P, A.D, lda, x.P, incx, y.D, incy);
    if (x.active())
      times(a.P, A.P, lda, x.D, incx, y.D, incy);
  }
  void keep(Keeper k) const {
    if (!y.Active)
      return;
    if (x.Active || a.Active)
      k.in(0, n, n, A.P, lda);
    if (A.Active || a.Active)
      k.in(1, n, x.P, incx);
    if (b.Active)
      k.old(2, n, y.P, incy);
  }
  void reverse(const Kept &K) {
    if (!y.active())
      return;
    auto M = was(K, 0, n, n, A.P, lda);
    auto X = wasVector(K, 1, x.P, incx);
    if (b.Active) {
      auto Y = wasVector(K, 2, (const T *)y.P, incy);
      b.D += dot(q, n, Y.P, Y.ld, (const T *)y.D, incy);
    }
    if (a.Active) {
      Scratch<T> Product(q, n);
      clear(q, n, 1, Strided<T>{Product, 1, 0});
      times(T(1), M.P, M.ld, X.P, X.ld, Product, 1);
      a.D += dot<T>(q, n, Product, 1, y.D, incy);
    }
    if (A.active()) {
      // a (ybar x^T + x ybar^T), of which the diagonal counts once.
      const T *Y = y.D;
      addProduct(q, n, n, a.P, byRow(Y, n, incy), byColumn(X.P, n, X.ld),
                 matrix(A.D, lda), triangle(u));
      addProduct(q, n, n, a.P, byRow(X.P, n, X.ld), byColumn(Y, n, incy),
                 matrix(A.D, lda), triangle(u), true);
    }
    if (x.active())
      times(a.P, M.P, M.ld, y.D, incy, x.D, incx);
    scaleBy(q, n, 1, b.P, byRow(y.D, n, incy));
  }
};

/// A += a x x^T, triangle u
template <class T> struct Syr {
  Queue q;
  int u, n;
  Scalar<T> a;
  Dual<const T> x;
  int incx;
  Dual<T> A;
  int lda;

  template <class F> void each(F f) {
    f(3, a);
    f(4, x);
    f(6, A);
  }
  int primal() const { return syr(q, u, n, a.P, x.P, incx, A.P, lda); }
  void before() const {
    if (!A.active())
      return;
    if (a.Active)
      must(syr(q, u, n, a.D, x.P, incx, A.D, lda), "syr");
    if (x.active())
      must(syr2(q, u, n, a.P, x.P, incx, (const T *)x.D, incx, A.D, lda),
           "syr2");
  }
  void keep(Keeper k) const {
    if (A.Active)
      k.in(0, n, x.P, incx);
  }
  void reverse(const Kept &K) {
    if (!A.active())
      return;
    auto X = wasVector(K, 0, x.P, incx);
    if (a.Active) {
      Scratch<T> Product(q, n);
      clear(q, n, 1, Strided<T>{Product, 1, 0});
      addTwice<T>(q, u, n, T(1), A.D, lda, X.P, X.ld, Product, 1);
      a.D += dot<T>(q, n, X.P, X.ld, Product, 1) / 2;
    }
    if (x.active())
      addTwice<T>(q, u, n, a.P, A.D, lda, X.P, X.ld, x.D, incx);
  }
};

/// A += a (x y^T + y x^T), triangle u
template <class T> struct Syr2 {
  Queue q;
  int u, n;
  Scalar<T> a;
  Dual<const T> x;
  int incx;
  Dual<const T> y;
  int incy;
  Dual<T> A;
  int lda;

  template <class F> void each(F f) {
    f(3, a);
    f(4, x);
    f(6, y);
    f(8, A);
  }
  int primal() const {
    return syr2(q, u, n, a.P, x.P, incx, y.P, incy, A.P, lda);
  }
  void before() const {
    if (!A.active())
      return;
    if (a.Active)
      must(syr2(q, u, n, a.D, x.P, incx, y.P, incy, A.D, lda), "syr2");
    if (x.active())
      must(syr2(q, u, n, a.P, (const T *)x.D, incx, y.P, incy, A.D, lda),
           "syr2");
    if (y.active())
      must(syr2(q, u, n, a.P, x.P, incx, (const T *)y.D, incy, A.D, lda),
           "syr2");
  }
  void keep(Keeper k) const {
    if (!A.Active)
      return;
    if (y.Active || a.Active)
      k.in(0, n, x.P, incx);
    if (x.Active || a.Active)
      k.in(1, n, y.P, incy);
  }
  void reverse(const Kept &K) {
    if (!A.active())
      return;
    auto X = wasVector(K, 0, x.P, incx), Y = wasVector(K, 1, y.P, incy);
    if (a.Active) {
      Scratch<T> Product(q, n);
      clear(q, n, 1, Strided<T>{Product, 1, 0});
      addTwice<T>(q, u, n, T(1), A.D, lda, Y.P, Y.ld, Product, 1);
      a.D += dot<T>(q, n, X.P, X.ld, Product, 1);
    }
    if (x.active())
      addTwice<T>(q, u, n, a.P, A.D, lda, Y.P, Y.ld, x.D, incx);
    if (y.active())
      addTwice<T>(q, u, n, a.P, A.D, lda, X.P, X.ld, y.D, incy);
  }
};

/// x = op(A) x, A triangular; and x = op(A)^-1 x when Solve
template <class T, bool Solve> struct Triangular {
  Queue q;
  int u, t, d, n;
  Dual<const T> A;
  int lda;
  Dual<T> x;
  int incx;

  template <class F> void each(F f) {
    f(5, A);
    f(7, x);
  }
  int apply(int Op, const T *M, int ld, T *V, int inc) const {
    return Solve ? trsv(q, u, Op, d, n, M, ld, V, inc)
                 : trmv(q, u, Op, d, n, M, ld, V, inc);
  }
  int primal() const { return apply(t, A.P, lda, x.P, incx); }
  /// x.D += f op(dA) x, where a unit diagonal has no tangent.
  void addTangent(T f) const {
    Scratch<T> V(q, n);
    must(copy(q, n, (const T *)x.P, incx, (T *)V, 1), "copy");
    must(trmv(q, u, t, d, n, (const T *)A.D, lda, (T *)V, 1), "trmv");
    if (d == Unit)
      must(axpy(q, n, -f, (const T *)x.P, incx, x.D, incx), "axpy");
    must(axpy(q, n, f, (const T *)(T *)V, 1, x.D, incx), "axpy");
  }
  void before() const {
    if (Solve || !x.active())
      return;
    must(apply(t, A.P, lda, x.D, incx), "trmv");
    if (A.active())
      addTangent(1);
  }
  /// op(A) dx = db - op(dA) x.
  void after() const {
    if (!Solve || !x.active())
      return;
    if (A.active())
      addTangent(-1);
    must(apply(t, A.P, lda, x.D, incx), "trsv");
  }
  void keep(Keeper k) const {
    if (!x.Active)
      return;
    k.in(0, n, n, A.P, lda);
    if (!Solve && A.Active)
      k.old(1, n, x.P, incx);
  }
  void keepAfter(Keeper k) const {
    if (x.Active && Solve && A.Active)
      k.in(1, n, x.P, incx);
  }
  void reverse(const Kept &K) const {
    if (!x.active())
      return;
    auto M = was(K, 0, n, n, A.P, lda);
    auto V = wasVector(K, 1, (const T *)x.P, incx);
    if (Solve)
      must(apply(flipped(t), M.P, M.ld, x.D, incx), "trsv");
    if (A.active()) {
      const T *G = x.D;
      auto Row = none(t) ? byRow(G, n, incx) : byRow(V.P, n, V.ld);
      auto Column = none(t) ? byColumn(V.P, n, V.ld) : byColumn(G, n, incx);
      addProduct(q, n, n, T(Solve ? -1 : 1), Row, Column, matrix(A.D, lda),
                 triangle(u), d == Unit);
    }
    if (!Solve)
      must(apply(flipped(t), M.P, M.ld, x.D, incx), "trmv");
  }
};

/// C = a op(A) op(B) + b C, C of m x n, inner size k; N of them, `s` apart
template <class T> struct Gemm {
  Queue q;
  int ta, tb, m, n, k;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Dual<const T> B;
  int ldb;
  Scalar<T> b;
  Dual<T> C;
  int ldc;
  long long sa = 0, sb = 0, sc = 0;
  int N = 1;
  bool Batched = false;

  template <class F> void each(F f) {
    f(6, a);
    f(7, A);
    f(Batched ? 10 : 9, B);
    f(Batched ? 13 : 11, b);
    f(Batched ? 14 : 12, C);
  }
  int rowsA() const { return none(ta) ? m : k; }
  int colsA() const { return none(ta) ? k : m; }
  int rowsB() const { return none(tb) ? k : n; }
  int colsB() const { return none(tb) ? n : k; }
  /// Z += f op(X) op(Y). What many products add to, they add to one by one.
  int product(int tx, int ty, int rows, int cols, int inner, T f, const T *X,
              int ldx, long long sx, const T *Y, int ldy, long long sy, T beta,
              T *Z, int ldz, long long sz) const {
    if (N == 1)
      return gemm(q, tx, ty, rows, cols, inner, f, X, ldx, Y, ldy, beta, Z,
                  ldz);
    if (sz)
      return gemms(q, tx, ty, rows, cols, inner, f, X, ldx, sx, Y, ldy, sy,
                   beta, Z, ldz, sz, N);
    for (int I = 0; I < N; ++I)
      if (int Error = gemm(q, tx, ty, rows, cols, inner, f, X + I * sx, ldx,
                           Y + I * sy, ldy, beta, Z, ldz))
        return Error;
    return 0;
  }
  int primal() const {
    if (Batched)
      return gemms(q, ta, tb, m, n, k, a.P, A.P, lda, sa, B.P, ldb, sb, b.P,
                   C.P, ldc, sc, N);
    return gemm(q, ta, tb, m, n, k, a.P, A.P, lda, B.P, ldb, b.P, C.P, ldc);
  }
  void addC(T f, const T *X, int ldx, long long sx) const {
    for (int I = 0; I < N; ++I)
      addTo(q, m, n, f, matrix(X + I * sx, ldx), matrix(C.D + I * sc, ldc));
  }
  void scaleC() const {
    if (b.P != 1)
      for (int I = 0; I < N; ++I)
        scaleBy(q, m, n, b.P, matrix(C.D + I * sc, ldc));
  }
  T innerC(const T *X, int ldx, long long sx) const {
    T Sum = 0;
    for (int I = 0; I < N; ++I)
      Sum += inner<T>(q, m, n, matrix(X + I * sx, ldx),
                      matrix((const T *)C.D + I * sc, ldc));
    return Sum;
  }
  void before() const {
    if (!C.active())
      return;
    scaleC();
    if (b.Active)
      addC(b.D, C.P, ldc, sc);
    if (a.Active)
      must(product(ta, tb, m, n, k, a.D, A.P, lda, sa, B.P, ldb, sb, T(1), C.D,
                   ldc, sc),
           "gemm");
    if (A.active())
      must(product(ta, tb, m, n, k, a.P, A.D, lda, sa, B.P, ldb, sb, T(1), C.D,
                   ldc, sc),
           "gemm");
    if (B.active())
      must(product(ta, tb, m, n, k, a.P, A.P, lda, sa, B.D, ldb, sb, T(1), C.D,
                   ldc, sc),
           "gemm");
  }
  void keep(Keeper K) const {
    if (!C.Active)
      return;
    if (B.Active || a.Active)
      K.in(0, rowsA(), colsA(), A.P, lda, N, sa);
    if (A.Active || a.Active)
      K.in(1, rowsB(), colsB(), B.P, ldb, N, sb);
    if (b.Active)
      K.old(2, m, n, C.P, ldc, N, sc);
  }
  void reverse(const Kept &K) {
    if (!C.active() || m <= 0 || n <= 0)
      return;
    auto X = was(K, 0, rowsA(), colsA(), A.P, lda, sa);
    auto Y = was(K, 1, rowsB(), colsB(), B.P, ldb, sb);
    const T *G = C.D;
    if (b.Active) {
      auto Old = was(K, 2, m, n, (const T *)C.P, ldc, sc);
      b.D += innerC(Old.P, Old.ld, Old.Stride);
    }
    if (a.Active) {
      Scratch<T> Product(q, (int64_t)m * n * N);
      must(product(ta, tb, m, n, k, T(1), X.P, X.ld, X.Stride, Y.P, Y.ld,
                   Y.Stride, T(0), Product, m, (long long)m * n),
           "gemm");
      a.D += innerC(Product, m, (long long)m * n);
    }
    if (A.active()) {
      if (none(ta))
        must(product(OpN, flipped(tb), m, k, n, a.P, G, ldc, sc, Y.P, Y.ld,
                     Y.Stride, T(1), A.D, lda, sa),
             "gemm");
      else
        must(product(tb, OpT, k, m, n, a.P, Y.P, Y.ld, Y.Stride, G, ldc, sc,
                     T(1), A.D, lda, sa),
             "gemm");
    }
    if (B.active()) {
      if (none(tb))
        must(product(flipped(ta), OpN, k, n, m, a.P, X.P, X.ld, X.Stride, G,
                     ldc, sc, T(1), B.D, ldb, sb),
             "gemm");
      else
        must(product(OpT, ta, n, k, m, a.P, G, ldc, sc, X.P, X.ld, X.Stride,
                     T(1), B.D, ldb, sb),
             "gemm");
    }
    scaleC();
  }
};

/// C = a A B + b C (left) or a B A + b C (right), A symmetric, C of m x n
template <class T> struct Symm {
  Queue q;
  int s, u, m, n;
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
  int sizeA() const { return s == Left ? m : n; }
  int primal() const {
    return symm(q, s, u, m, n, a.P, A.P, lda, B.P, ldb, b.P, C.P, ldc);
  }
  void times(T f, const T *X, int ldx, const T *Y, int ldy, T *Z,
             int ldz) const {
    must(symm(q, s, u, m, n, f, X, ldx, Y, ldy, T(1), Z, ldz), "symm");
  }
  void before() const {
    if (!C.active())
      return;
    scaleBy(q, m, n, b.P, matrix(C.D, ldc));
    if (b.Active)
      addTo(q, m, n, b.D, matrix((const T *)C.P, ldc), matrix(C.D, ldc));
    if (a.Active)
      times(a.D, A.P, lda, B.P, ldb, C.D, ldc);
    if (A.active())
      times(a.P, A.D, lda, B.P, ldb, C.D, ldc);
    if (B.active())
      times(a.P, A.P, lda, B.D, ldb, C.D, ldc);
  }
  void keep(Keeper k) const {
    if (!C.Active)
      return;
    if (B.Active || a.Active)
      k.in(0, sizeA(), sizeA(), A.P, lda);
    if (A.Active || a.Active)
      k.in(1, m, n, B.P, ldb);
    if (b.Active)
      k.old(2, m, n, C.P, ldc);
  }
  void reverse(const Kept &K) {
    if (!C.active())
      return;
    int p = sizeA();
    auto X = was(K, 0, p, p, A.P, lda);
    auto Y = was(K, 1, m, n, B.P, ldb);
    auto G = matrix((const T *)C.D, ldc);
    if (b.Active) {
      auto Old = was(K, 2, m, n, (const T *)C.P, ldc);
      b.D += inner<T>(q, m, n, matrix(Old.P, Old.ld), G);
    }
    if (a.Active) {
      Scratch<T> Product(q, (int64_t)m * n);
      clear(q, m, n, Strided<T>{Product, 1, m});
      times(T(1), X.P, X.ld, Y.P, Y.ld, Product, m);
      a.D += inner<T>(q, m, n, matrix((const T *)(T *)Product, m), G);
    }
    if (A.active()) {
      Scratch<T> W(q, (int64_t)p * p);
      if (s == Left)
        must(gemm(q, OpN, OpT, m, m, n, a.P, G.P, ldc, Y.P, Y.ld, T(0), (T *)W,
                  m),
             "gemm");
      else
        must(gemm(q, OpT, OpN, n, n, m, a.P, Y.P, Y.ld, G.P, ldc, T(0), (T *)W,
                  n),
             "gemm");
      addSymmetric<T>(q, u, p, T(1), matrix((const T *)(T *)W, p), A.D, lda);
    }
    if (B.active())
      times(a.P, X.P, X.ld, G.P, ldc, B.D, ldb);
    scaleBy(q, m, n, b.P, matrix(C.D, ldc));
  }
};

/// C = a A A^T + b C (N, A of n x k) or a A^T A + b C (T, A of k x n), triangle
/// u; with Two, C = a (A B^T + B A^T) + b C and its like
template <class T, bool Two> struct SyrkBase {
  Queue q;
  int u, t, n, k;
  Scalar<T> a, b;
  Dual<const T> A;
  int lda;
  Dual<const T> B;
  int ldb;
  Dual<T> C;
  int ldc;

  template <class F> void each(F f) {
    f(5, a);
    f(6, A);
    if (Two)
      f(8, B);
    f(Two ? 10 : 8, b);
    f(Two ? 11 : 9, C);
  }
  int rows() const { return none(t) ? n : k; }
  int cols() const { return none(t) ? k : n; }
  int product(T f, const T *X, int ldx, const T *Y, int ldy, T beta, T *Z,
              int ldz) const {
    return Two ? syr2k(q, u, t, n, k, f, X, ldx, Y, ldy, beta, Z, ldz)
               : syrk(q, u, t, n, k, f, X, ldx, beta, Z, ldz);
  }
  int primal() const { return product(a.P, A.P, lda, B.P, ldb, b.P, C.P, ldc); }
  void before() const {
    if (!C.active())
      return;
    scaleBy(q, n, n, b.P, matrix(C.D, ldc), triangle(u));
    if (b.Active)
      addTo(q, n, n, b.D, matrix((const T *)C.P, ldc), matrix(C.D, ldc),
            triangle(u));
    if (a.Active)
      must(product(a.D, A.P, lda, B.P, ldb, T(1), C.D, ldc), "syrk");
    if (A.active())
      must(syr2k(q, u, t, n, k, a.P, (const T *)A.D, lda, Two ? B.P : A.P,
                 Two ? ldb : lda, T(1), C.D, ldc),
           "syr2k");
    if (Two && B.active())
      must(syr2k(q, u, t, n, k, a.P, A.P, lda, (const T *)B.D, ldb, T(1), C.D,
                 ldc),
           "syr2k");
  }
  void keep(Keeper K) const {
    if (!C.Active)
      return;
    if ((Two ? B.Active : A.Active) || a.Active)
      K.in(0, rows(), cols(), A.P, lda);
    if (Two && (A.Active || a.Active))
      K.in(1, rows(), cols(), B.P, ldb);
    if (b.Active)
      K.old(2, n, n, C.P, ldc);
  }
  void reverse(const Kept &K) {
    if (!C.active() || n <= 0)
      return;
    auto X = was(K, 0, rows(), cols(), A.P, lda);
    auto Y = Two ? was(K, 1, rows(), cols(), B.P, ldb) : X;
    auto G = matrix((const T *)C.D, ldc);
    if (b.Active) {
      auto Old = was(K, 2, n, n, (const T *)C.P, ldc);
      b.D += inner<T>(q, n, n, matrix(Old.P, Old.ld), G, triangle(u));
    }
    Scratch<T> W(q, (int64_t)n * n);
    if (a.Active) {
      must(product(T(1), X.P, X.ld, Y.P, Y.ld, T(0), (T *)W, n), "syrk");
      a.D += inner<T>(q, n, n, matrix((const T *)(T *)W, n), G, triangle(u));
    }
    symmetrise<T>(q, u, n, T(2), C.D, ldc, W);
    int Side = none(t) ? Left : 1 - Left;
    if (A.active())
      must(symm(q, Side, u, rows(), cols(), a.P, (const T *)(T *)W, n, Y.P,
                Y.ld, T(1), A.D, lda),
           "symm");
    if (Two && B.active())
      must(symm(q, Side, u, rows(), cols(), a.P, (const T *)(T *)W, n, X.P,
                X.ld, T(1), B.D, ldb),
           "symm");
    scaleBy(q, n, n, b.P, matrix(C.D, ldc), triangle(u));
  }
};

/// B = a op(A)^-1 B or a B op(A)^-1, A triangular, B of m x n
template <class T> struct Trsm {
  Queue q;
  int s, u, t, d, m, n;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Dual<T> B;
  int ldb;

  template <class F> void each(F f) {
    f(7, a);
    f(8, A);
    f(10, B);
  }
  int sizeA() const { return s == Left ? m : n; }
  int primal() const {
    return trsm(q, s, u, t, d, m, n, a.P, A.P, lda, B.P, ldb);
  }
  void before() const {
    if (!B.active())
      return;
    scaleBy(q, m, n, a.P, matrix(B.D, ldb));
    if (a.Active)
      addTo(q, m, n, a.D, matrix((const T *)B.P, ldb), matrix(B.D, ldb));
  }
  /// op(A) dX = a dB + da B - op(dA) X, where a unit diagonal has no tangent.
  void after() const {
    if (!B.active())
      return;
    if (A.active()) {
      Scratch<T> X(q, (int64_t)m * n);
      must(trmm(q, s, u, t, d, m, n, T(1), (const T *)A.D, lda, (const T *)B.P,
                ldb, (T *)X, m),
           "trmm");
      addTo(q, m, n, T(-1), matrix((const T *)(T *)X, m), matrix(B.D, ldb));
      if (d == Unit)
        addTo(q, m, n, T(1), matrix((const T *)B.P, ldb), matrix(B.D, ldb));
    }
    must(trsm(q, s, u, t, d, m, n, T(1), A.P, lda, B.D, ldb), "trsm");
  }
  void keep(Keeper k) const {
    if (!B.Active)
      return;
    k.in(0, sizeA(), sizeA(), A.P, lda);
    if (a.Active)
      k.old(1, m, n, B.P, ldb);
  }
  void keepAfter(Keeper k) const {
    if (B.Active && A.Active)
      k.in(2, m, n, B.P, ldb);
  }
  void reverse(const Kept &K) {
    if (!B.active() || m <= 0 || n <= 0)
      return;
    int p = sizeA();
    auto M = was(K, 0, p, p, A.P, lda);
    auto G = matrix((const T *)B.D, ldb);
    must(trsm(q, s, u, flipped(t), d, m, n, T(1), M.P, M.ld, B.D, ldb), "trsm");
    if (A.active()) {
      // Of op(A) = M in X = M^-1 Y, or Y M^-1.
      auto X = was(K, 2, m, n, (const T *)B.P, ldb);
      addMatrixAdjoint(q, s, u, t, d, m, n, T(-1), G.P, ldb, X.P, X.ld, A.D,
                       lda);
    }
    if (a.Active) {
      auto In = was(K, 1, m, n, (const T *)B.P, ldb);
      a.D += inner<T>(q, m, n, G, matrix(In.P, In.ld));
    }
    scaleBy(q, m, n, a.P, matrix(B.D, ldb));
  }
  /// Abar += f tri(G X^T), or what it is on the other side or of a transpose.
  static void addMatrixAdjoint(Queue q, int s, int u, int t, int d, int m,
                               int n, T f, const T *G, int ldg, const T *X,
                               int ldx, T *Abar, int lda) {
    int p = s == Left ? m : n;
    Scratch<T> W(q, (int64_t)p * p);
    bool GFirst = (s == Left) == none(t);
    const T *P1 = GFirst ? G : X, *P2 = GFirst ? X : G;
    int l1 = GFirst ? ldg : ldx, l2 = GFirst ? ldx : ldg;
    must(s == Left
             ? gemm(q, OpN, OpT, p, p, n, f, P1, l1, P2, l2, T(0), (T *)W, p)
             : gemm(q, OpT, OpN, p, p, m, f, P1, l1, P2, l2, T(0), (T *)W, p),
         "gemm");
    addTo(q, p, p, T(1), matrix((const T *)(T *)W, p), matrix(Abar, lda),
          triangle(u), d == Unit);
  }
};

/// C = a op(A) B or a B op(A), A triangular, C of m x n, which may be B
template <class T> struct Trmm {
  Queue q;
  int s, u, t, d, m, n;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Dual<const T> B;
  int ldb;
  Dual<T> C;
  int ldc;

  template <class F> void each(F f) {
    f(7, a);
    f(8, A);
    f(10, B);
    f(12, C);
  }
  int sizeA() const { return s == Left ? m : n; }
  int product(int op, T f, const T *X, int ldx, const T *Y, int ldy, T *Z,
              int ldz) const {
    return trmm(q, s, u, op, d, m, n, f, X, ldx, Y, ldy, Z, ldz);
  }
  int primal() const { return product(t, a.P, A.P, lda, B.P, ldb, C.P, ldc); }
  void before() const {
    if (!C.active())
      return;
    Scratch<T> Sum(q, (int64_t)m * n), X(q, (int64_t)m * n);
    Strided<T> To{Sum, 1, m};
    auto Add = [&](T f, const T *M, const T *Y, int ldy) {
      must(product(t, f, M, lda, Y, ldy, X, m), "trmm");
      addTo(q, m, n, T(1), matrix((const T *)(T *)X, m), To);
    };
    clear(q, m, n, To);
    if (B.active())
      Add(a.P, A.P, B.D, ldb);
    if (a.Active)
      Add(a.D, A.P, B.P, ldb);
    if (A.active()) {
      Add(a.P, A.D, B.P, ldb);
      if (d == Unit)
        addTo(q, m, n, -a.P, matrix(B.P, ldb), To);
    }
    assignTo(q, m, n, T(1), constant(To), matrix(C.D, ldc));
  }
  void keep(Keeper k) const {
    if (!C.Active)
      return;
    if (B.Active || a.Active)
      k.in(0, sizeA(), sizeA(), A.P, lda);
    if (A.Active || a.Active) {
      if (B.P == C.P)
        k.old(1, m, n, B.P, ldb);
      else
        k.in(1, m, n, B.P, ldb);
    }
  }
  void reverse(const Kept &K) {
    if (!C.active() || m <= 0 || n <= 0)
      return;
    int p = sizeA();
    auto M = was(K, 0, p, p, A.P, lda);
    auto X = was(K, 1, m, n, B.P, ldb);
    Scratch<T> G(q, (int64_t)m * n), W(q, (int64_t)m * n);
    assignTo(q, m, n, T(1), matrix((const T *)C.D, ldc), Strided<T>{G, 1, m});
    clear(q, m, n, matrix(C.D, ldc));
    if (A.active())
      Trsm<T>::addMatrixAdjoint(q, s, u, t, d, m, n, a.P, G, m, X.P, X.ld, A.D,
                                lda);
    if (a.Active) {
      must(product(t, T(1), M.P, M.ld, X.P, X.ld, W, m), "trmm");
      a.D += inner<T>(q, m, n, matrix((const T *)(T *)W, m),
                      matrix((const T *)(T *)G, m));
    }
    if (B.active()) {
      must(product(flipped(t), a.P, M.P, M.ld, G, m, W, m), "trmm");
      addTo(q, m, n, T(1), matrix((const T *)(T *)W, m), matrix(B.D, ldb));
    }
  }
};

/// C = a op(A) + b op(B), C of m x n, which may be A or B
template <class T> struct Geam {
  Queue q;
  int ta, tb, m, n;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Scalar<T> b;
  Dual<const T> B;
  int ldb;
  Dual<T> C;
  int ldc;

  template <class F> void each(F f) {
    f(5, a);
    f(6, A);
    f(8, b);
    f(9, B);
    f(11, C);
  }
  template <class U> static Strided<U> op(int t, U *X, int ld) {
    return none(t) ? matrix(X, ld) : matrix(X, ld).transposed();
  }
  int primal() const {
    return geam(q, ta, tb, m, n, a.P, A.P, lda, b.P, B.P, ldb, C.P, ldc);
  }
  void before() const {
    if (!C.active())
      return;
    Scratch<T> Sum(q, (int64_t)m * n);
    Strided<T> To{Sum, 1, m};
    clear(q, m, n, To);
    if (A.active())
      addTo(q, m, n, a.P, op(ta, (const T *)A.D, lda), To);
    if (a.Active)
      addTo(q, m, n, a.D, op(ta, A.P, lda), To);
    if (B.active())
      addTo(q, m, n, b.P, op(tb, (const T *)B.D, ldb), To);
    if (b.Active)
      addTo(q, m, n, b.D, op(tb, B.P, ldb), To);
    assignTo(q, m, n, T(1), constant(To), matrix(C.D, ldc));
  }
  void keep(Keeper k) const {
    if (!C.Active)
      return;
    int ra = none(ta) ? m : n, rb = none(tb) ? m : n;
    if (a.Active) {
      if (A.P == C.P)
        k.old(0, ra, m + n - ra, A.P, lda);
      else
        k.in(0, ra, m + n - ra, A.P, lda);
    }
    if (b.Active) {
      if (B.P == C.P)
        k.old(1, rb, m + n - rb, B.P, ldb);
      else
        k.in(1, rb, m + n - rb, B.P, ldb);
    }
  }
  void reverse(const Kept &K) {
    if (!C.active() || m <= 0 || n <= 0)
      return;
    Scratch<T> W(q, (int64_t)m * n);
    Strided<const T> G{W, 1, m};
    assignTo(q, m, n, T(1), matrix((const T *)C.D, ldc), Strided<T>{W, 1, m});
    clear(q, m, n, matrix(C.D, ldc));
    if (a.Active) {
      auto X = was(K, 0, none(ta) ? m : n, none(ta) ? n : m, A.P, lda);
      a.D += inner<T>(q, m, n, op(ta, X.P, X.ld), G);
    }
    if (b.Active) {
      auto X = was(K, 1, none(tb) ? m : n, none(tb) ? n : m, B.P, ldb);
      b.D += inner<T>(q, m, n, op(tb, X.P, X.ld), G);
    }
    if (A.active())
      addTo(q, m, n, a.P, G, op(ta, A.D, lda));
    if (B.active())
      addTo(q, m, n, b.P, G, op(tb, B.D, ldb));
  }
};

/// C = diag(x) A (left) or A diag(x) (right), C of m x n, which may be A
template <class T> struct Dgmm {
  Queue q;
  int s, m, n;
  Dual<const T> A;
  int lda;
  Dual<const T> x;
  int incx;
  Dual<T> C;
  int ldc;

  template <class F> void each(F f) {
    f(4, A);
    f(6, x);
    f(8, C);
  }
  int sizeX() const { return s == Left ? m : n; }
  template <class U> Strided<U> spread(U *X, int inc) const {
    return s == Left ? byRow(X, m, inc) : byColumn(X, n, inc);
  }
  int primal() const { return dgmm(q, s, m, n, A.P, lda, x.P, incx, C.P, ldc); }
  void before() const {
    if (!C.active())
      return;
    Scratch<T> Sum(q, (int64_t)m * n);
    Strided<T> To{Sum, 1, m};
    clear(q, m, n, To);
    if (A.active())
      addProduct(q, m, n, T(1), matrix((const T *)A.D, lda), spread(x.P, incx),
                 To);
    if (x.active())
      addProduct(q, m, n, T(1), matrix(A.P, lda), spread((const T *)x.D, incx),
                 To);
    assignTo(q, m, n, T(1), constant(To), matrix(C.D, ldc));
  }
  void keep(Keeper k) const {
    if (!C.Active)
      return;
    if (A.Active)
      k.in(0, sizeX(), x.P, incx);
    if (x.Active) {
      if (A.P == C.P)
        k.old(1, m, n, A.P, lda);
      else
        k.in(1, m, n, A.P, lda);
    }
  }
  void reverse(const Kept &K) {
    if (!C.active() || m <= 0 || n <= 0)
      return;
    Scratch<T> W(q, (int64_t)m * n);
    Strided<const T> G{W, 1, m};
    assignTo(q, m, n, T(1), matrix((const T *)C.D, ldc), Strided<T>{W, 1, m});
    clear(q, m, n, matrix(C.D, ldc));
    if (A.active()) {
      auto X = wasVector(K, 0, x.P, incx);
      addProduct(q, m, n, T(1), G, spread(X.P, X.ld), matrix(A.D, lda));
    }
    if (x.active()) {
      auto X = was(K, 1, m, n, A.P, lda);
      Scratch<T> P(q, (int64_t)m * n), One(q, m + n);
      clear(q, m, n, Strided<T>{P, 1, m});
      addProduct(q, m, n, T(1), G, matrix(X.P, X.ld), Strided<T>{P, 1, m});
      map(q, RG_MAP_ONE, RG_ALL, false, m + n, 1, T(1), nothing<T>(),
          nothing<T>(), T(0), Strided<T>{One, 1, 0});
      must(gemv(q, s == Left ? OpN : OpT, m, n, T(1), (const T *)(T *)P, m,
                (const T *)(T *)One, 1, T(1), x.D, incx),
           "gemv");
    }
  }
};

} // namespace rg::device

#endif
