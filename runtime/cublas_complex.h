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
/// with Two C = a (A B^T + B A^T) + b C, and its like.
template <class T, bool Two> struct ToTriangle {
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
  /// Xbar += conj(a) S conj(Y), or conj(a) conj(Y) S, of the full matrix S.
  void addShare(const T *S, const Was<T> &Y, T *Xbar, int ldx) const {
    OtherOp<T> V(q, OpN, true, rows(), cols(), Y, 1);
    must(none(t) ? gemm(q, OpN, OpN, n, k, n, conj(a.P), S, n, V.P, V.ld, T(1),
                        Xbar, ldx)
                 : gemm(q, OpN, OpN, k, n, n, conj(a.P), V.P, V.ld, S, n, T(1),
                        Xbar, ldx),
         "gemm");
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
    const T *S = (T *)W;
    if (a.Active) {
      must(product(T(1), X.P, X.ld, Y.P, Y.ld, T(0), (T *)W, n), "syrk");
      a.D += inner<T>(q, n, n, matrix(S, n), G, triangle(u));
    }
    fill<false>(q, u, n, decltype(T::re)(2), C.D, ldc, (T *)W);
    // Of A A^T the two halves have one sum.
    if (A.active())
      addShare(S, Y, A.D, lda);
    if (Two && B.active())
      addShare(S, X, B.D, ldb);
    scaleBy(q, n, n, conj(b.P), matrix(C.D, ldc), triangle(u));
  }
};
template <class T> struct Rank : ToTriangle<T, false> {
  Rank(int u, int t, int n, int k, Scalar<T> a, Dual<const T> A, int lda,
       Scalar<T> b, Dual<T> C, int ldc)
      : ToTriangle<T, false>{u, t, n, k, a, b, A, lda, A, lda, C, ldc, {}} {}
};
template <class T> struct RankTwo : ToTriangle<T, true> {
  RankTwo(int u, int t, int n, int k, Scalar<T> a, Dual<const T> A, int lda,
          Dual<const T> B, int ldb, Scalar<T> b, Dual<T> C, int ldc)
      : ToTriangle<T, true>{u, t, n, k, a, b, A, lda, B, ldb, C, ldc, {}} {}
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
