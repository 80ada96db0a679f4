/*===- cublas_complex.h - symmetric and Hermitian matrices of cuBLAS ------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Included once by cublas_rules.h: routines of complex numbers in which a
|* matrix is given by one triangle. Of a Hermitian diagonal the library reads
|* and writes real parts alone. Adjoints go through the full matrix, so that
|* each is a product of matrices.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_CUBLAS_COMPLEX_H
#define RETROGRAD_RUNTIME_CUBLAS_COMPLEX_H

namespace rg::device {

/// B = b B + a conj(A), for b = 0 or 1.
template <class R>
inline void combineConjugate(Queue q, int64_t m, int64_t n, ComplexOf<R> a,
                             Strided<const ComplexOf<R>> A, R b,
                             Strided<ComplexOf<R>> B, int Triangle = RG_ALL,
                             bool Strict = false) {
  auto Map = [&](int From, R f, R Keep, int To) {
    map(q, RG_MAP_COPY, Triangle, Strict, m, n, f, part(A, From), nothing<R>(),
        Keep, part(B, To));
  };
  for (int To : {0, 1}) {
    Map(To, To ? -a.re : a.re, b, To);
    if (a.im != 0)
      Map(1 - To, a.im, R(1), To);
  }
}
/// Imaginary parts of the diagonal become zero.
template <class R>
inline void realDiagonal(Queue q, int n, ComplexOf<R> *A, int lda) {
  map(q, RG_MAP_ONE, RG_ALL, false, n, 1, R(0), nothing<R>(), nothing<R>(),
      R(0), part(diagonal(A, lda), 1));
}
/// S (n x n, full) = triangle of A and its mirror image, conjugated where the
/// matrix is Hermitian; the diagonal times d.
template <bool Hermitian, class R>
inline void fill(Queue q, int u, int n, R d, const ComplexOf<R> *A, int lda,
                 ComplexOf<R> *S) {
  using T = ComplexOf<R>;
  Strided<T> To = matrix(S, n);
  assignTo(q, n, n, T(1), matrix(A, lda), To, triangle(u), true);
  if (Hermitian)
    combineConjugate(q, n, n, T(1), matrix(A, lda), R(0), To.transposed(),
                     triangle(u), true);
  else
    assignTo(q, n, n, T(1), matrix(A, lda), To.transposed(), triangle(u), true);
  assignTo(q, n, 1, T(d), diagonal(A, lda), diagonal(S, n));
  if (Hermitian)
    realDiagonal(q, n, S, n);
}
/// The stored triangle of the adjoint of such a matrix += what the full one
/// has, G (n x n, packed).
template <bool Hermitian, class R>
inline void addFull(Queue q, int u, int n, ComplexOf<R> *G, ComplexOf<R> *A,
                    int lda) {
  using T = ComplexOf<R>;
  Strided<const T> From{G, 1, n};
  if (Hermitian)
    realDiagonal(q, n, G, n);
  addTo(q, n, n, T(1), From, matrix(A, lda), triangle(u));
  if (Hermitian)
    combineConjugate(q, n, n, T(1), From.transposed(), R(1), matrix(A, lda),
                     triangle(u), true);
  else
    addTo(q, n, n, T(1), From.transposed(), matrix(A, lda), triangle(u), true);
}
/// C = a A B + b C (left) or a B A + b C (right), A symmetric or Hermitian
template <class T, bool Hermitian> struct FromTriangle {
  int s, u, m, n;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Dual<const T> B;
  int ldb;
  Scalar<T> b;
  Dual<T> C;
  int ldc;
  Queue q = {};

  template <class F> void each(F f) {
    f(First + 4, a);
    f(First + 4 + Width<T>, A);
    f(First + 6 + Width<T>, B);
    f(First + 8 + Width<T>, b);
    f(First + 8 + 2 * Width<T>, C);
  }
  int sizeA() const { return left(s) ? m : n; }
  int product(T f, const T *X, int ldx, const T *Y, int ldy, T beta, T *Z,
              int ldz) const {
    return Hermitian ? hemm(q, s, u, m, n, f, X, ldx, Y, ldy, beta, Z, ldz)
                     : symm(q, s, u, m, n, f, X, ldx, Y, ldy, beta, Z, ldz);
  }
  int primal() const { return product(a.P, A.P, lda, B.P, ldb, b.P, C.P, ldc); }
  void before() const {
    if (!C.active())
      return;
    scaleBy(q, m, n, b.P, matrix(C.D, ldc));
    if (b.Active)
      addTo(q, m, n, b.D, matrix((const T *)C.P, ldc), matrix(C.D, ldc));
    if (a.Active)
      must(product(a.D, A.P, lda, B.P, ldb, T(1), C.D, ldc), "symm");
    if (A.active())
      must(product(a.P, A.D, lda, B.P, ldb, T(1), C.D, ldc), "symm");
    if (B.active())
      must(product(a.P, A.P, lda, B.D, ldb, T(1), C.D, ldc), "symm");
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
    if (!C.active() || m <= 0 || n <= 0)
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
      must(product(T(1), X.P, X.ld, Y.P, Y.ld, T(0), Product, m), "symm");
      a.D += inner<T>(q, m, n, matrix((const T *)(T *)Product, m), G);
    }
    Scratch<T> W(q, (int64_t)p * p);
    if (A.active()) {
      must(left(s) ? gemm(q, OpN, OpC, m, m, n, conj(a.P), G.P, ldc, Y.P, Y.ld,
                          T(0), (T *)W, m)
                   : gemm(q, OpC, OpN, n, n, m, conj(a.P), Y.P, Y.ld, G.P, ldc,
                          T(0), (T *)W, n),
           "gemm");
      addFull<Hermitian>(q, u, p, (T *)W, A.D, lda);
    }
    if (B.active()) {
      fill<Hermitian>(q, u, p, decltype(T::re)(1), X.P, X.ld, (T *)W);
      must(left(s) ? gemm(q, OpC, OpN, m, n, m, conj(a.P), (const T *)(T *)W, m,
                          G.P, ldc, T(1), B.D, ldb)
                   : gemm(q, OpN, OpC, m, n, n, conj(a.P), G.P, ldc,
                          (const T *)(T *)W, n, T(1), B.D, ldb),
           "gemm");
    }
    scaleBy(q, m, n, conj(b.P), matrix(C.D, ldc));
  }
};

/// On a triangle: C = a A A^T + b C, A of n x k, or a A^T A + b C, A of k x n;
/// with Two C = a (A B^T + B A^T) + b C, and its like. Hermitian:
/// C = a A A^H + b C, and a A B^H + conj(a) B A^H + b C, where b and, but for
/// Two, a are real.
template <class T, bool Two, bool Hermitian> struct ToTriangle {
  int u, t, n, k;
  Scalar<T> a, b;
  Dual<const T> A;
  int lda;
  Dual<const T> B;
  int ldb;
  Dual<T> C;
  int ldc;
  Queue q = {};

  template <class F> void each(F f) {
    f(First + 4, a);
    f(First + 4 + Width<T>, A);
    if (Two)
      f(First + 6 + Width<T>, B);
    f(First + (Two ? 8 : 6) + Width<T>, b);
    f(First + (Two ? 8 : 6) + 2 * Width<T>, C);
  }
  int rows() const { return none(t) ? n : k; }
  int cols() const { return none(t) ? k : n; }
  int product(T f, const T *X, int ldx, const T *Y, int ldy, T beta, T *Z,
              int ldz, bool OfTwo = Two) const {
    if (Hermitian)
      return OfTwo ? her2k(q, u, t, n, k, f, X, ldx, Y, ldy, beta.re, Z, ldz)
                   : herk(q, u, t, n, k, f.re, X, ldx, beta.re, Z, ldz);
    return OfTwo ? syr2k(q, u, t, n, k, f, X, ldx, Y, ldy, beta, Z, ldz)
                 : syrk(q, u, t, n, k, f, X, ldx, beta, Z, ldz);
  }
  int primal() const { return product(a.P, A.P, lda, B.P, ldb, b.P, C.P, ldc); }
  /// Imaginary parts of the diagonal are zero behind the routine, unless it
  /// has nothing to do.
  void realDiagonalOf(T *M) const {
    if (Hermitian && !(b.P == T(1) && (a.P == T(0) || k <= 0)))
      realDiagonal(q, n, M, ldc);
  }
  void before() const {
    if (!C.active())
      return;
    scaleBy(q, n, n, b.P, matrix(C.D, ldc), triangle(u));
    if (b.Active)
      addTo(q, n, n, b.D, matrix((const T *)C.P, ldc), matrix(C.D, ldc),
            triangle(u));
    realDiagonalOf(C.D);
    if (a.Active)
      must(product(a.D, A.P, lda, B.P, ldb, T(1), C.D, ldc), "syrk");
    if (A.active())
      must(product(a.P, A.D, lda, Two ? B.P : A.P, Two ? ldb : lda, T(1), C.D,
                   ldc, true),
           "syr2k");
    if (Two && B.active())
      must(product(a.P, A.P, lda, B.D, ldb, T(1), C.D, ldc, true), "syr2k");
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
  /// Xbar += f S V, or f V S, of the full matrix S. V is conj(Y) where S is
  /// symmetric.
  void addShare(T f, const T *S, const Was<T> &Y, T *Xbar, int ldx) const {
    OtherOp<T> V(q, OpN, !Hermitian, rows(), cols(), Y, 1);
    must(none(t)
             ? gemm(q, OpN, OpN, n, k, n, f, S, n, V.P, V.ld, T(1), Xbar, ldx)
             : gemm(q, OpN, OpN, k, n, n, f, V.P, V.ld, S, n, T(1), Xbar, ldx),
         "gemm");
  }
  void reverse(const Kept &K) {
    if (!C.active() || n <= 0)
      return;
    auto X = was(K, 0, rows(), cols(), A.P, lda);
    auto Y = Two ? was(K, 1, rows(), cols(), B.P, ldb) : X;
    auto G = matrix((const T *)C.D, ldc);
    realDiagonalOf(C.D);
    if (b.Active) {
      auto Old = was(K, 2, n, n, (const T *)C.P, ldc);
      b.D += inner<T>(q, n, n, matrix(Old.P, Old.ld), G, triangle(u));
    }
    Scratch<T> W(q, (int64_t)n * n);
    const T *S = (T *)W;
    if (a.Active && !(Two && Hermitian)) {
      must(product(T(1), X.P, X.ld, Y.P, Y.ld, T(0), (T *)W, n), "syrk");
      a.D += inner<T>(q, n, n, matrix(S, n), G, triangle(u));
    }
    fill<Hermitian>(q, u, n, decltype(T::re)(2), C.D, ldc, (T *)W);
    if (a.Active && Two && Hermitian && k > 0) {
      // The product is on one side of the diagonal, its mirror image on the
      // other.
      Scratch<T> Product(q, (int64_t)n * n);
      must(none(t) ? gemm(q, OpN, OpC, n, n, k, T(1), X.P, X.ld, Y.P, Y.ld,
                          T(0), (T *)Product, n)
                   : gemm(q, OpC, OpN, n, n, k, T(1), X.P, X.ld, Y.P, Y.ld,
                          T(0), (T *)Product, n),
           "gemm");
      a.D +=
          inner<T>(q, n, n, matrix((const T *)(T *)Product, n), matrix(S, n));
    }
    // Of A A^T the two halves have one sum.
    bool Plain = Hermitian && !none(t);
    if (A.active())
      addShare(Plain ? a.P : conj(a.P), S, Y, A.D, lda);
    if (Two && B.active())
      addShare(Hermitian && !Plain ? a.P : conj(a.P), S, X, B.D, ldb);
    scaleBy(q, n, n, conj(b.P), matrix(C.D, ldc), triangle(u));
  }
};
template <class T, bool Hermitian = false>
struct Rank : ToTriangle<T, false, Hermitian> {
  Rank(int u, int t, int n, int k, Scalar<T> a, Dual<const T> A, int lda,
       Scalar<T> b, Dual<T> C, int ldc)
      : ToTriangle<T, false, Hermitian>{u,   t, n,   k, a,   b, A,
                                        lda, A, lda, C, ldc, {}} {}
};
template <class T, bool Hermitian = false>
struct RankTwo : ToTriangle<T, true, Hermitian> {
  RankTwo(int u, int t, int n, int k, Scalar<T> a, Dual<const T> A, int lda,
          Dual<const T> B, int ldb, Scalar<T> b, Dual<T> C, int ldc)
      : ToTriangle<T, true, Hermitian>{u,   t, n,   k, a,   b, A,
                                       lda, B, ldb, C, ldc, {}} {}
};

/// y = a A x + b y, A symmetric or Hermitian
template <class T, bool Hermitian> struct TriangleTimes {
  int u, n;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Dual<const T> x;
  int incx;
  Scalar<T> b;
  Dual<T> y;
  int incy;
  Queue q = {};

  template <class F> void each(F f) {
    f(First + 2, a);
    f(First + 2 + Width<T>, A);
    f(First + 4 + Width<T>, x);
    f(First + 6 + Width<T>, b);
    f(First + 6 + 2 * Width<T>, y);
  }
  int product(T f, const T *M, int ld, const T *v, int inc, T beta, T *w,
              int incw) const {
    return Hermitian ? hemv(q, u, n, f, M, ld, v, inc, beta, w, incw)
                     : symv(q, u, n, f, M, ld, v, inc, beta, w, incw);
  }
  int primal() const {
    return product(a.P, A.P, lda, x.P, incx, b.P, y.P, incy);
  }
  void before() const {
    if (!y.active())
      return;
    scaleBy(q, n, 1, b.P, byRow(y.D, n, incy));
    if (b.Active)
      must(axpy(q, n, b.D, (const T *)y.P, incy, y.D, incy), "axpy");
    if (a.Active)
      must(product(a.D, A.P, lda, x.P, incx, T(1), y.D, incy), "symv");
    if (A.active())
      must(product(a.P, A.D, lda, x.P, incx, T(1), y.D, incy), "symv");
    if (x.active())
      must(product(a.P, A.P, lda, x.D, incx, T(1), y.D, incy), "symv");
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
    if (!y.active() || n <= 0)
      return;
    auto M = was(K, 0, n, n, A.P, lda);
    auto X = wasVector(K, 1, x.P, incx);
    if (b.Active) {
      auto Old = wasVector(K, 2, (const T *)y.P, incy);
      b.D += dot(q, n, Old.P, Old.ld, (const T *)y.D, incy);
    }
    if (a.Active) {
      Scratch<T> Product(q, n);
      must(product(T(1), M.P, M.ld, X.P, X.ld, T(0), Product, 1), "symv");
      a.D += dot<T>(q, n, Product, 1, y.D, incy);
    }
    Scratch<T> W(q, (int64_t)n * n);
    if (A.active()) {
      clear(q, n, n, Strided<T>{W, 1, n});
      must(gerc(q, n, n, conj(a.P), y.D, incy, X.P, X.ld, W, n), "gerc");
      addFull<Hermitian>(q, u, n, (T *)W, A.D, lda);
    }
    if (x.active()) {
      fill<Hermitian>(q, u, n, decltype(T::re)(1), M.P, M.ld, (T *)W);
      must(gemv(q, OpC, n, n, conj(a.P), W, n, y.D, incy, T(1), x.D, incx),
           "gemv");
    }
    scaleBy(q, n, 1, conj(b.P), byRow(y.D, n, incy));
  }
};

/// On a triangle: A += a x x^T, and a (x y^T + y x^T) with Two. Hermitian:
/// a x x^H, a real, and a x y^H + conj(a) y x^H.
template <class T, bool Two, bool Hermitian> struct VectorToTriangle {
  int u, n;
  Scalar<T> a;
  Dual<const T> x;
  int incx;
  Dual<const T> y;
  int incy;
  Dual<T> A;
  int lda;
  Queue q = {};

  template <class F> void each(F f) {
    f(First + 2, a);
    f(First + 2 + Width<T>, x);
    if (Two)
      f(First + 4 + Width<T>, y);
    f(First + (Two ? 6 : 4) + Width<T>, A);
  }
  int add(T f, const T *v, int incv, const T *w, int incw, T *M,
          bool OfTwo = Two) const {
    if (Hermitian)
      return OfTwo ? her2(q, u, n, f, v, incv, w, incw, M, lda)
                   : her(q, u, n, f.re, v, incv, M, lda);
    return OfTwo ? syr2(q, u, n, f, v, incv, w, incw, M, lda)
                 : syr(q, u, n, f, v, incv, M, lda);
  }
  int primal() const { return add(a.P, x.P, incx, y.P, incy, A.P); }
  void realDiagonalOf(T *M) const {
    if (Hermitian && !(a.P == T(0)))
      realDiagonal(q, n, M, lda);
  }
  void before() const {
    if (!A.active())
      return;
    realDiagonalOf(A.D);
    if (a.Active)
      must(add(a.D, x.P, incx, y.P, incy, A.D), "syr");
    if (x.active())
      must(add(a.P, x.D, incx, Two ? y.P : x.P, Two ? incy : incx, A.D, true),
           "syr2");
    if (Two && y.active())
      must(add(a.P, x.P, incx, y.D, incy, A.D, true), "syr2");
  }
  void keep(Keeper k) const {
    if (!A.Active)
      return;
    if ((Two ? y.Active : x.Active) || a.Active)
      k.in(0, n, x.P, incx);
    if (Two && (x.Active || a.Active))
      k.in(1, n, y.P, incy);
  }
  void reverse(const Kept &K) {
    if (!A.active() || n <= 0)
      return;
    using R = decltype(T::re);
    auto X = wasVector(K, 0, x.P, incx);
    auto Y = Two ? wasVector(K, 1, y.P, incy) : X;
    realDiagonalOf(A.D);
    Scratch<T> W(q, (int64_t)n * n), V(q, n);
    fill<Hermitian>(q, u, n, R(2), A.D, lda, (T *)W);
    // V = S v, where v is conjugated if S is symmetric.
    auto Times = [&](const Was<T> &v) {
      Conjugate<T> C(q, n, v.P, v.ld, !Hermitian);
      must(gemv(q, OpN, n, n, T(1), W, n, C.P, C.ld, T(0), V, 1), "gemv");
    };
    if (x.active() || a.Active) {
      Times(Y);
      if (a.Active) {
        T Sum = dot<T>(q, n, X.P, X.ld, V, 1);
        a.D += Two ? Sum : T(Sum.re / 2, Sum.im / 2);
      }
      if (x.active())
        must(axpy(q, n, conj(a.P), V, 1, x.D, incx), "axpy");
    }
    if (Two && y.active()) {
      Times(X);
      must(axpy(q, n, Hermitian ? a.P : conj(a.P), V, 1, y.D, incy), "axpy");
    }
  }
};
template <class T, bool Hermitian>
struct VectorRank : VectorToTriangle<T, false, Hermitian> {
  VectorRank(int u, int n, Scalar<T> a, Dual<const T> x, int incx, Dual<T> A,
             int lda)
      : VectorToTriangle<T, false, Hermitian>{u, n,    a, x,   incx,
                                              x, incx, A, lda, {}} {}
};

/// x = op(A) x, A triangular; and x = op(A)^-1 x when Solve
template <class T, bool Solve> struct TriangularComplex {
  int u, t, d, n;
  Dual<const T> A;
  int lda;
  Dual<T> x;
  int incx;
  Queue q = {};

  template <class F> void each(F f) {
    f(First + 4, A);
    f(First + 6, x);
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
    if (unit(d))
      must(axpy(q, n, -f, (const T *)x.P, incx, x.D, incx), "axpy");
    must(axpy(q, n, f, (const T *)(T *)V, 1, x.D, incx), "axpy");
  }
  void before() const {
    if (Solve || !x.active())
      return;
    must(apply(t, A.P, lda, x.D, incx), "trmv");
    if (A.active())
      addTangent(T(1));
  }
  void after() const {
    if (!Solve || !x.active())
      return;
    if (A.active())
      addTangent(T(-1));
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
    if (!x.active() || n <= 0)
      return;
    auto M = was(K, 0, n, n, A.P, lda);
    auto V = wasVector(K, 1, (const T *)x.P, incx);
    Flipped<T> F(q, t, n, n, M);
    if (Solve)
      must(apply(F.op, F.P, F.ld, x.D, incx), "trsv");
    if (A.active()) {
      Scratch<T> G(q, n), X(q, n);
      must(copy(q, n, (const T *)x.D, incx, (T *)G, 1), "copy");
      must(copy(q, n, V.P, V.ld, (T *)X, 1), "copy");
      Trsm<T>::addMatrixAdjoint(q, Left, u, t, d, n, 1, T(Solve ? -1 : 1), G, n,
                                X, n, A.D, lda);
    }
    if (!Solve)
      must(apply(F.op, F.P, F.ld, x.D, incx), "trmv");
  }
};

/// C = a op(A) + b op(B), C of m x n, which may be A or B
template <class T> struct GeamComplex {
  int ta, tb, m, n;
  Scalar<T> a;
  Dual<const T> A;
  int lda;
  Scalar<T> b;
  Dual<const T> B;
  int ldb;
  Dual<T> C;
  int ldc;
  Queue q = {};

  template <class F> void each(F f) {
    f(First + 4, a);
    f(First + 4 + Width<T>, A);
    f(First + 6 + Width<T>, b);
    f(First + 6 + 2 * Width<T>, B);
    f(First + 8 + 2 * Width<T>, C);
  }
  template <class U> static Strided<U> op(int t, U *X, int ld) {
    return none(t) ? matrix(X, ld) : matrix(X, ld).transposed();
  }
  int primal() const {
    return geam(q, ta, tb, m, n, a.P, A.P, lda, b.P, B.P, ldb, C.P, ldc);
  }
  /// To += f op(X)
  void add(int t, T f, const T *X, int ld, Strided<T> To) const {
    if (t == OpC)
      combineConjugate(q, m, n, f, op(t, X, ld), decltype(T::re)(1), To);
    else
      addTo(q, m, n, f, op(t, X, ld), To);
  }
  /// Adjoint of X in f op(X).
  void addAdjoint(int t, T f, Strided<const T> G, T *X, int ld) const {
    if (t == OpC)
      combineConjugate(q, m, n, f, G, decltype(T::re)(1), op(t, X, ld));
    else
      addTo(q, m, n, conj(f), G, op(t, X, ld));
  }
  T innerWith(int t, const Was<T> &X, Strided<const T> G) const {
    Scratch<T> V(q, (int64_t)m * n);
    Strided<T> To{V, 1, m};
    clear(q, m, n, To);
    add(t, T(1), X.P, X.ld, To);
    return inner<T>(q, m, n, constant(To), G);
  }
  void before() const {
    if (!C.active())
      return;
    Scratch<T> Sum(q, (int64_t)m * n);
    Strided<T> To{Sum, 1, m};
    clear(q, m, n, To);
    if (A.active())
      add(ta, a.P, A.D, lda, To);
    if (a.Active)
      add(ta, a.D, A.P, lda, To);
    if (B.active())
      add(tb, b.P, B.D, ldb, To);
    if (b.Active)
      add(tb, b.D, B.P, ldb, To);
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
    if (a.Active)
      a.D += innerWith(
          ta, was(K, 0, none(ta) ? m : n, none(ta) ? n : m, A.P, lda), G);
    if (b.Active)
      b.D += innerWith(
          tb, was(K, 1, none(tb) ? m : n, none(tb) ? n : m, B.P, ldb), G);
    if (A.active())
      addAdjoint(ta, a.P, G, A.D, lda);
    if (B.active())
      addAdjoint(tb, b.P, G, B.D, ldb);
  }
};

} // namespace rg::device

#endif
