/*===- cublas_others.h - banded and packed matrices, rotations ------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Included once by cublas_rules.h, for real and complex numbers. Routines of
|* packed matrices are those of full ones, between two that unpack and pack
|* (cublas_others_names.inc).
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_CUBLAS_OTHERS_H
#define RETROGRAD_RUNTIME_CUBLAS_OTHERS_H

namespace rg::device {

/// A_ij += v_i w_j, where conj() is of one of them, on the diagonals i - j =
/// From to To of a band matrix of m x n with u diagonals above the main one.
template <class T>
inline void addToBand(Queue q, int m, int n, int From, int To, int u,
                      Strided<const T> v, Strided<const T> w, bool OfRows, T *A,
                      int lda) {
  for (int d = From; d <= To; ++d) {
    int j = d < 0 ? -d : 0, End = n < m - d ? n : m - d;
    if (j >= End)
      continue;
    Strided<const T> V{v.P + (int64_t)(j + d) * v.s0, v.s0, 0},
        W{w.P + (int64_t)j * w.s0, w.s0, 0};
    addProductOf(q, End - j, 1, true, OfRows ? V : W, OfRows ? W : V,
                 Strided<T>{A + u + d + (int64_t)j * lda, lda, 0});
  }
}

/// y = a op(A) x + b y, A of m x n with l diagonals below the main one and u
/// above.
template <class T> struct Gbmv {
  int t, m, n, l, u;
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
    f(First + 5, a);
    f(First + 5 + Width<T>, A);
    f(First + 7 + Width<T>, x);
    f(First + 9 + Width<T>, b);
    f(First + 9 + 2 * Width<T>, y);
  }
  int sizeX() const { return none(t) ? n : m; }
  int sizeY() const { return none(t) ? m : n; }
  int rows() const { return l + u + 1; }
  int product(int op, T f, const T *M, int ld, const T *v, int inc, T beta,
              T *w, int incw) const {
    return gbmv(q, op, m, n, l, u, f, M, ld, v, inc, beta, w, incw);
  }
  int primal() const {
    return product(t, a.P, A.P, lda, x.P, incx, b.P, y.P, incy);
  }
  void before() const {
    if (!y.active())
      return;
    scaleBy(q, sizeY(), 1, b.P, byRow(y.D, sizeY(), incy));
    if (b.Active)
      must(axpy(q, sizeY(), b.D, (const T *)y.P, incy, y.D, incy), "axpy");
    if (a.Active)
      must(product(t, a.D, A.P, lda, x.P, incx, T(1), y.D, incy), "gbmv");
    if (A.active())
      must(product(t, a.P, A.D, lda, x.P, incx, T(1), y.D, incy), "gbmv");
    if (x.active())
      must(product(t, a.P, A.P, lda, x.D, incx, T(1), y.D, incy), "gbmv");
  }
  void keep(Keeper k) const {
    if (!y.Active)
      return;
    if (x.Active || a.Active)
      k.in(0, rows(), n, A.P, lda);
    if (A.Active || a.Active)
      k.in(1, sizeX(), x.P, incx);
    if (b.Active)
      k.old(2, sizeY(), y.P, incy);
  }
  void addOuter(Strided<const T> v, Strided<const T> w, bool OfRows) const {
    addToBand(q, m, n, -u, l, u, v, w, OfRows, A.D, lda);
  }
  void reverse(const Kept &K) {
    if (!y.active() || m <= 0 || n <= 0)
      return;
    auto M = was(K, 0, rows(), n, A.P, lda);
    auto X = wasVector(K, 1, x.P, incx);
    if (b.Active) {
      auto Old = wasVector(K, 2, (const T *)y.P, incy);
      b.D += dot(q, sizeY(), Old.P, Old.ld, (const T *)y.D, incy);
    }
    if (a.Active) {
      Scratch<T> Product(q, sizeY());
      must(product(t, T(1), M.P, M.ld, X.P, X.ld, T(0), (T *)Product, 1),
           "gbmv");
      a.D += dot<T>(q, sizeY(), Product, 1, y.D, incy);
    }
    if (A.active()) {
      // Of A^H the adjoint is a x ybar^H, else conj(a) times ybar and conj(x).
      bool Hermitian = !none(t) && !plainly<T>(t);
      int Size = Hermitian ? sizeX() : sizeY();
      Scratch<T> V(q, Size);
      Strided<T> To{V, 1, 0};
      auto Of = byRow(X.P, sizeX(), X.ld);
      auto G = byRow((const T *)y.D, sizeY(), incy);
      assignTo(q, Size, 1, Hermitian ? a.P : conj(a.P), Hermitian ? Of : G, To);
      if (none(t))
        addOuter(constant(To), Of, false);
      else if (Hermitian)
        addOuter(constant(To), G, false);
      else
        addOuter(Of, constant(To), true);
    }
    if (x.active()) {
      Flipped<T> F(q, t, rows(), n, M);
      must(product(F.op, conj(a.P), F.P, F.ld, y.D, incy, T(1), x.D, incx),
           "gbmv");
    }
    scaleBy(q, sizeY(), 1, conj(b.P), byRow(y.D, sizeY(), incy));
  }
};

/// x = op(A) x, or op(A)^-1 x: A a triangle of n x n with k diagonals beside
/// the main one.
template <class T, bool Solve> struct TriangularBand {
  int u, t, d, n, k;
  Dual<const T> A;
  int lda;
  Dual<T> x;
  int incx;
  Queue q = {};

  template <class F> void each(F f) {
    f(First + 5, A);
    f(First + 7, x);
  }
  int apply(int Op, const T *M, int ld, T *V, int inc) const {
    return Solve ? tbsv(q, u, Op, d, n, k, M, ld, V, inc)
                 : tbmv(q, u, Op, d, n, k, M, ld, V, inc);
  }
  int primal() const { return apply(t, A.P, lda, x.P, incx); }
  /// x.D += f op(dA) x, where a unit diagonal has no tangent.
  void addTangent(T f) const {
    Scratch<T> V(q, n);
    must(copy(q, n, (const T *)x.P, incx, (T *)V, 1), "copy");
    must(tbmv(q, u, t, d, n, k, (const T *)A.D, lda, (T *)V, 1), "tbmv");
    if (unit(d))
      must(axpy(q, n, -f, (const T *)x.P, incx, x.D, incx), "axpy");
    must(axpy(q, n, f, (const T *)(T *)V, 1, x.D, incx), "axpy");
  }
  void before() const {
    if (Solve || !x.active())
      return;
    must(apply(t, A.P, lda, x.D, incx), "tbmv");
    if (A.active())
      addTangent(T(1));
  }
  /// op(A) dx = db - op(dA) x.
  void after() const {
    if (!Solve || !x.active())
      return;
    if (A.active())
      addTangent(T(-1));
    must(apply(t, A.P, lda, x.D, incx), "tbsv");
  }
  void keep(Keeper K) const {
    if (!x.Active)
      return;
    K.in(0, k + 1, n, A.P, lda);
    if (!Solve && A.Active)
      K.old(1, n, x.P, incx);
  }
  void keepAfter(Keeper K) const {
    if (x.Active && Solve && A.Active)
      K.in(1, n, x.P, incx);
  }
  /// Of y = op(A) x with the adjoint G of y: A^bar += G x^H, conj(x) G^T or
  /// x G^H. Of a solution x, G is op(A)^-H xbar, and the sign the other.
  void reverse(const Kept &K) const {
    if (!x.active() || n <= 0)
      return;
    auto M = was(K, 0, k + 1, n, A.P, lda);
    auto V = wasVector(K, 1, (const T *)x.P, incx);
    Flipped<T> F(q, t, k + 1, n, M);
    if (Solve)
      must(apply(F.op, F.P, F.ld, x.D, incx), "tbsv");
    if (A.active()) {
      Scratch<T> G(q, n);
      Strided<T> To{G, 1, 0};
      assignTo(q, n, 1, T(Solve ? -1 : 1), byRow((const T *)x.D, n, incx), To);
      auto X = byRow(V.P, n, V.ld);
      bool Up = u == Upper, Plain = plainly<T>(t);
      int Main = unit(d) ? 1 : 0;
      addToBand(q, n, n, Up ? -k : Main, Up ? -Main : k, Up ? k : 0,
                none(t) ? constant(To) : X, none(t) ? X : constant(To), Plain,
                A.D, lda);
    }
    if (!Solve)
      must(apply(F.op, F.P, F.ld, x.D, incx), "tbmv");
  }
};

/// The triangle of A is what is packed in P.
template <class T> struct Unpack {
  int u, n;
  Dual<const T> P;
  Dual<T> A;
  int lda;
  Queue q = {};

  template <class F> void each(F f) {
    f(First + 2, P);
    f(First + 3, A);
  }
  int64_t size() const { return (int64_t)n * (n + 1) / 2; }
  int primal() const { return tpttr(q, u, n, P.P, A.P, lda); }
  void before() const {
    if (!A.active())
      return;
    if (P.active())
      must(tpttr(q, u, n, P.D, A.D, lda), "tpttr");
    else
      scaleBy(q, n, n, T(0), matrix(A.D, lda), triangle(u));
  }
  void keep(Keeper) const {}
  void reverse(const Kept &) const {
    if (!A.active() || n <= 0)
      return;
    if (P.active()) {
      Scratch<T> W(q, size());
      must(trttp(q, u, n, A.D, lda, (T *)W), "trttp");
      addTo(q, size(), 1, T(1), Strided<const T>{W, 1, 0},
            Strided<T>{P.D, 1, 0});
    }
    scaleBy(q, n, n, T(0), matrix(A.D, lda), triangle(u));
  }
};
/// P is the triangle of A, packed.
template <class T> struct Pack {
  int u, n;
  Dual<const T> A;
  int lda;
  Dual<T> P;
  Queue q = {};

  template <class F> void each(F f) {
    f(First + 2, A);
    f(First + 4, P);
  }
  int64_t size() const { return (int64_t)n * (n + 1) / 2; }
  int primal() const { return trttp(q, u, n, A.P, lda, P.P); }
  void before() const {
    if (!P.active())
      return;
    if (A.active())
      must(trttp(q, u, n, A.D, lda, P.D), "trttp");
    else
      scaleBy(q, size(), 1, T(0), Strided<T>{P.D, 1, 0});
  }
  void keep(Keeper) const {}
  void reverse(const Kept &) const {
    if (!P.active() || n <= 0)
      return;
    if (A.active()) {
      Scratch<T> W(q, (int64_t)n * n);
      must(tpttr(q, u, n, P.D, (T *)W, n), "tpttr");
      addTo(q, n, n, T(1), Strided<const T>{W, 1, n}, matrix(A.D, lda),
            triangle(u));
    }
    scaleBy(q, size(), 1, T(0), Strided<T>{P.D, 1, 0});
  }
};

/// x = c x + s y and y = e x + f y, at once.
template <class T> struct Rotation {
  int n;
  Dual<T> x;
  int incx;
  Dual<T> y;
  int incy;
  Scalar<T> c, s, e, f;
  Queue q = {};

  template <class F> void each(F F_) {
    F_(First + 1, x);
    F_(First + 3, y);
    F_(First + 5, c);
    F_(First + 5 + Width<T>, s);
    F_(First + 5 + 2 * Width<T>, e);
    F_(First + 5 + 3 * Width<T>, f);
  }
  bool numbers() const { return c.Active || s.Active || e.Active || f.Active; }
  int primal() const {
    return rotate(q, n, x.P, incx, y.P, incy, c.P, s.P, e.P, f.P);
  }
  /// To += g V, of vectors that may not be there.
  void add(T g, const T *V, int inc, Strided<T> To) const {
    if (V)
      addTo(q, n, 1, g, byRow(V, n, inc), To);
  }
  /// (X, Y) = (p X + r Y, v X + w Y), of shadows.
  void mix(T p, T r, T v, T w, bool Tangents) const {
    Scratch<T> NewX(q, n), NewY(q, n);
    Strided<T> X{NewX, 1, 0}, Y{NewY, 1, 0};
    clear(q, n, 1, X);
    clear(q, n, 1, Y);
    add(p, x.D, incx, X);
    add(r, y.D, incy, X);
    add(v, x.D, incx, Y);
    add(w, y.D, incy, Y);
    if (Tangents) {
      if (c.Active)
        add(c.D, x.P, incx, X);
      if (s.Active)
        add(s.D, y.P, incy, X);
      if (e.Active)
        add(e.D, x.P, incx, Y);
      if (f.Active)
        add(f.D, y.P, incy, Y);
    }
    if (x.active())
      assignTo(q, n, 1, T(1), constant(X), byRow(x.D, n, incx));
    if (y.active())
      assignTo(q, n, 1, T(1), constant(Y), byRow(y.D, n, incy));
  }
  void before() const {
    if (n > 0 && (x.active() || y.active()))
      mix(c.P, s.P, e.P, f.P, true);
  }
  void keep(Keeper k) const {
    if (!numbers())
      return;
    k.old(0, n, x.P, incx);
    k.old(1, n, y.P, incy);
  }
  void reverse(const Kept &K) {
    if (n <= 0 || !(x.active() || y.active()))
      return;
    auto X = wasVector(K, 0, (const T *)x.P, incx);
    auto Y = wasVector(K, 1, (const T *)y.P, incy);
    auto Share = [&](Scalar<T> &Of, const Was<T> &V, const Dual<T> &G,
                     int inc) {
      if (Of.Active && G.active())
        Of.D += dot(q, n, V.P, V.ld, (const T *)G.D, inc);
    };
    Share(c, X, x, incx);
    Share(s, Y, x, incx);
    Share(e, X, y, incy);
    Share(f, Y, y, incy);
    mix(conj(c.P), conj(e.P), conj(s.P), conj(f.P), false);
  }
};

/// On a triangle: C = a op(A) op(B)^T + b C, C of n x n and op(A) of n x k,
/// which the program says is symmetric. Hermitian: of op(B)^H.
template <class T, bool Hermitian> struct ProductOnTriangle {
  int u, t, n, k;
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
  int rows() const { return none(t) ? n : k; }
  int cols() const { return none(t) ? k : n; }
  int opOfB() const { return Hermitian ? OpC : OpT; }
  int primal() const {
    return rankx(q, Hermitian, u, t, n, k, a.P, A.P, lda, B.P, ldb, b.P, C.P,
                 ldc);
  }
  /// To (n x n) = f op(X) op(Y)^T, and its like.
  void product(T f, const T *X, int ldx, const T *Y, int ldy, T *To) const {
    must(none(t)
             ? gemm(q, OpN, opOfB(), n, n, k, f, X, ldx, Y, ldy, T(0), To, n)
             : gemm(q, opOfB(), OpN, n, n, k, f, X, ldx, Y, ldy, T(0), To, n),
         "gemm");
  }
  void realDiagonalOf(T *M, int ld) const {
    if constexpr (Hermitian)
      realDiagonal(q, n, M, ld);
  }
  void before() const {
    if (!C.active() || n <= 0)
      return;
    Strided<T> To = matrix(C.D, ldc);
    scaleBy(q, n, n, b.P, To, triangle(u));
    if (b.Active)
      addTo(q, n, n, b.D, matrix((const T *)C.P, ldc), To, triangle(u));
    Scratch<T> W(q, (int64_t)n * n);
    auto Add = [&](T f, const T *X, int ldx, const T *Y, int ldy) {
      product(f, X, ldx, Y, ldy, W);
      addTo(q, n, n, T(1), Strided<const T>{W, 1, n}, To, triangle(u));
    };
    if (a.Active)
      Add(a.D, A.P, lda, B.P, ldb);
    if (A.active())
      Add(a.P, A.D, lda, B.P, ldb);
    if (B.active())
      Add(a.P, A.P, lda, B.D, ldb);
    realDiagonalOf(C.D, ldc);
  }
  void keep(Keeper K) const {
    if (!C.Active)
      return;
    if (B.Active || a.Active)
      K.in(0, rows(), cols(), A.P, lda);
    if (A.Active || a.Active)
      K.in(1, rows(), cols(), B.P, ldb);
    if (b.Active)
      K.old(2, n, n, C.P, ldc);
  }
  void reverse(const Kept &K) {
    if (!C.active() || n <= 0)
      return;
    auto X = was(K, 0, rows(), cols(), A.P, lda);
    auto Y = was(K, 1, rows(), cols(), B.P, ldb);
    realDiagonalOf(C.D, ldc);
    if (b.Active) {
      auto Old = was(K, 2, n, n, (const T *)C.P, ldc);
      b.D += inner<T>(q, n, n, matrix(Old.P, Old.ld),
                      matrix((const T *)C.D, ldc), triangle(u));
    }
    // The triangle alone; G = conj(a) Cbar.
    Scratch<T> W(q, (int64_t)n * n);
    T *G = W;
    if (a.Active && k > 0) {
      product(T(1), X.P, X.ld, Y.P, Y.ld, G);
      a.D += inner<T>(q, n, n, Strided<const T>{G, 1, n},
                      matrix((const T *)C.D, ldc), triangle(u));
    }
    clear(q, n, n, Strided<T>{G, 1, n});
    assignTo(q, n, n, conj(a.P), matrix((const T *)C.D, ldc),
             Strided<T>{G, 1, n}, triangle(u));
    // A B^T: Abar += G conj(B), Bbar += G^T conj(A); A B^H: Abar += G B,
    // Bbar += G^H A. A^T B: Abar += conj(B) G^T, Bbar += conj(A) G; A^H B:
    // Abar += B G^H, Bbar += A G.
    OtherOp<T> U(q, OpN, !Hermitian, rows(), cols(), X, 1),
        V(q, OpN, !Hermitian, rows(), cols(), Y, 1);
    int Other = Hermitian ? OpC : OpT;
    if (k > 0 && A.active())
      must(none(t) ? gemm(q, OpN, OpN, n, k, n, T(1), (const T *)G, n, V.P,
                          V.ld, T(1), A.D, lda)
                   : gemm(q, OpN, Other, k, n, n, T(1), V.P, V.ld, (const T *)G,
                          n, T(1), A.D, lda),
           "gemm");
    if (k > 0 && B.active())
      must(none(t) ? gemm(q, Other, OpN, n, k, n, T(1), (const T *)G, n, U.P,
                          U.ld, T(1), B.D, ldb)
                   : gemm(q, OpN, OpN, k, n, n, T(1), U.P, U.ld, (const T *)G,
                          n, T(1), B.D, ldb),
           "gemm");
    scaleBy(q, n, n, conj(b.P), matrix(C.D, ldc), triangle(u));
  }
};

/// The sum of the magnitudes of real and imaginary parts.
template <class T, class R> struct AsumOfParts {
  int n;
  Dual<const T> x;
  int incx;
  Queue q = {};

  template <class F> void each(F f) { f(First + 1, x); }
  int primal(R &Sum) const { return asumTo(q, n, x.P, incx, &Sum); }
  R tangent(R) const {
    if (!x.active() || n <= 0 || incx <= 0)
      return 0;
    Scratch<R> Sign(q, n);
    R Sum = 0;
    for (int Which : {0, 1}) {
      map(q, RG_MAP_SIGN, RG_ALL, false, n, 1, R(1),
          part(byRow(x.P, n, incx), Which), nothing<R>(), R(0),
          Strided<R>{Sign, 1, 0});
      Sum += dot<R>(q, n, (R *)Sign, 1,
                    reinterpret_cast<const R *>(x.D) + Which, 2 * incx);
    }
    return Sum;
  }
  void keep(Keeper k) const {
    if (x.Active && incx > 0)
      k.in(0, n, x.P, incx);
  }
  void reverse(const Kept &K, R Seed, R) const {
    auto X = wasVector(K, 0, x.P, incx);
    if (x.active() && incx > 0)
      for (int Which : {0, 1})
        map(q, RG_MAP_SIGN, RG_ALL, false, n, 1, Seed,
            part(byRow(X.P, n, X.ld), Which), nothing<R>(), R(1),
            part(byRow(x.D, n, incx), Which));
  }
};

} // namespace rg::device

#endif
