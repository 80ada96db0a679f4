/*===- cublas_rules.h - a struct per routine of cuBLAS --------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* The formulas of BLAS for memory of a device, and the routines that are
|* cuBLAS's own or, on the host, loops that are differentiated as such.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_CUBLAS_RULES_H
#define RETROGRAD_RUNTIME_CUBLAS_RULES_H
#include "cublas.h"

namespace rg::device {

#include "blas_formulas.inc"

template <class R> struct ConjugateCopy<ComplexOf<R>> {
  Queue q;
  rg_room Room = {};
  ConjugateCopy(Queue q, int64_t Count) : q(q) {
    if (Count > 0)
      Room = rg_gpu_room(Count * sizeof(ComplexOf<R>), "cuBLAS");
  }
  ConjugateCopy(const ConjugateCopy &) = delete;
  ~ConjugateCopy() {
    if (!Room.at)
      return;
    if (q.stream)
      cudaStreamSynchronize(q.stream);
    rg_gpu_room_back(Room);
  }
  operator const ComplexOf<R> *() const {
    return reinterpret_cast<const ComplexOf<R> *>(Room.at);
  }
  /// Elements of a matrix, to where `At` numbers are in use.
  void take(Strided<const ComplexOf<R>> A, int m, int n, int64_t At) {
    Strided<ComplexOf<R>> To{reinterpret_cast<ComplexOf<R> *>(Room.at) + At, 1,
                             m};
    for (int Which : {0, 1})
      assignTo(q, m, n, R(Which ? -1 : 1), part(A, Which), part(To, Which));
  }
};

/// r = x^T y, or x^H y when Conjugated: complex numbers, of which r lies on the
/// host
template <class T, bool Conjugated> struct DotOnHost {
  int n;
  Dual<const T> x;
  int incx;
  Dual<const T> y;
  int incy;
  Dual<T> r;
  Queue q = {};

  template <class F> void each(F f) {
    f(First + 1, x);
    f(First + 3, y);
    f(First + 5, r);
  }
  T product(const T *x, const T *y) const {
    T R = 0;
    must(Conjugated ? dotTo(q, n, x, incx, y, incy, &R)
                    : dotuTo(q, n, x, incx, y, incy, &R),
         "dot");
    return R;
  }
  int primal() const {
    return Conjugated ? dotTo(q, n, x.P, incx, y.P, incy, r.P)
                      : dotuTo(q, n, x.P, incx, y.P, incy, r.P);
  }
  void before() const {
    if (!r.active())
      return;
    T R = 0;
    if (x.active())
      R += product(x.D, y.P);
    if (y.active())
      R += product(x.P, y.D);
    *r.D = R;
  }
  void keep(Keeper k) const {
    if (!r.Active)
      return;
    if (y.Active)
      k.in(0, n, x.P, incx);
    if (x.Active)
      k.in(1, n, y.P, incy);
  }
  void reverse(const Kept &K) const {
    if (!r.active())
      return;
    T Seed = *r.D;
    *r.D = 0;
    if (y.active()) { // seed conj(x), or seed x
      auto X = wasVector(K, 0, x.P, incx);
      Conjugate<T> V(q, n, X.P, X.ld, !Conjugated);
      must(axpy(q, n, Seed, V.P, V.ld, y.D, incy), "axpy");
    }
    if (x.active()) { // seed conj(y), or conj(seed) y
      auto Y = wasVector(K, 1, y.P, incy);
      Conjugate<T> V(q, n, Y.P, Y.ld, !Conjugated);
      must(axpy(q, n, Conjugated ? conj(Seed) : Seed, V.P, V.ld, x.D, incx),
           "axpy");
    }
  }
};

/// The sum of the magnitudes; 0 has the derivative 0.
template <class T> struct Asum {
  int n;
  Dual<const T> x;
  int incx;
  Queue q = {};

  template <class F> void each(F f) { f(First + 1, x); }
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

/// y = x
template <class T> struct Copy {
  int n;
  Dual<const T> x;
  int incx;
  Dual<T> y;
  int incy;
  Queue q = {};

  template <class F> void each(F f) {
    f(First + 1, x);
    f(First + 3, y);
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
  int n;
  Dual<T> x;
  int incx;
  Dual<T> y;
  int incy;
  Queue q = {};

  template <class F> void each(F f) {
    f(First + 1, x);
    f(First + 3, y);
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

/// C = a op(A) + b op(B), C of m x n, which may be A or B
template <class T> struct Geam {
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
    f(First + 5, A);
    f(First + 7, b);
    f(First + 8, B);
    f(First + 10, C);
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
  int s, m, n;
  Dual<const T> A;
  int lda;
  Dual<const T> x;
  int incx;
  Dual<T> C;
  int ldc;
  Queue q = {};

  template <class F> void each(F f) {
    f(First + 3, A);
    f(First + 5, x);
    f(First + 7, C);
  }
  int sizeX() const { return left(s) ? m : n; }
  template <class U> Strided<U> spread(U *X, int inc) const {
    return left(s) ? byRow(X, m, inc) : byColumn(X, n, inc);
  }
  int primal() const { return dgmm(q, s, m, n, A.P, lda, x.P, incx, C.P, ldc); }
  void before() const {
    if (!C.active())
      return;
    Scratch<T> Sum(q, (int64_t)m * n);
    Strided<T> To{Sum, 1, m};
    clear(q, m, n, To);
    if (A.active())
      addProductOf(q, m, n, false, matrix((const T *)A.D, lda),
                   spread(x.P, incx), To);
    if (x.active())
      addProductOf(q, m, n, false, matrix(A.P, lda),
                   spread((const T *)x.D, incx), To);
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
      addProductOf(q, m, n, true, spread(X.P, X.ld), G, matrix(A.D, lda));
    }
    if (x.active()) {
      auto X = was(K, 1, m, n, A.P, lda);
      Scratch<T> P(q, (int64_t)m * n), One(q, m + n);
      clear(q, m, n, Strided<T>{P, 1, m});
      addProductOf(q, m, n, true, matrix(X.P, X.ld), G, Strided<T>{P, 1, m});
      ones(q, m + n, (T *)One);
      must(gemv(q, left(s) ? OpN : OpT, m, n, T(1), (const T *)(T *)P, m,
                (const T *)(T *)One, 1, T(1), x.D, incx),
           "gemv");
    }
  }
};

//===-- Half precision
//------------------------------------------------------===//

/// Numbers of 16 bits, which are moved here, and not computed with.
struct Half {
  uint16_t Bits;
};
struct Brain {
  uint16_t Bits;
};
template <class E> constexpr int kindOf = RG_FLOAT;
template <> constexpr int kindOf<Half> = RG_HALF;
template <> constexpr int kindOf<Brain> = RG_BFLOAT;
/// As cudaDataType.
template <class E> constexpr int typeOf = 0;
template <> constexpr int typeOf<Half> = 2;
template <> constexpr int typeOf<Brain> = 14;

/// N matrices as floats.
class Widened {
  Queue q;
  int m, n, N;
  Scratch<float> Room;

  template <class A, class B>
  void convert(const A *From, int lda, B *To, int ldb, bool Add) const {
    if (m <= 0 || n <= 0)
      return;
    rg_convert C = {kindOf<A>, kindOf<B>, Add, m, n, lda, ldb, From, To};
    rg_device_convert(&C, q.stream);
  }

public:
  Widened(Queue q, int m, int n, int N)
      : q(q), m(m), n(n), N(N), Room(q, (int64_t)m * n * N) {}
  float *at() { return Room; }
  int ld() const { return m > 1 ? m : 1; }
  long long stride() const { return (long long)m * n; }
  template <class E> void take(const E *A, int lda, long long s) {
    for (int I = 0; I < N; ++I)
      convert(A + I * s, lda, at() + I * stride(), ld(), false);
  }
  template <class E> void giveTo(E *A, int lda, long long s, bool Add) {
    for (int I = 0; I < N; ++I)
      convert(at() + I * stride(), ld(), A + I * s, lda, Add);
  }
  void clear() {
    device::clear(q, (int64_t)m * n * N, 1, Strided<float>{at(), 1, 0});
  }
};

/// C = a op(A) op(B) + b C where A and B are of 16 bits, C of as many or of 32.
/// Its derivative is that of the product of floats: sums of adjoints are
/// rounded once.
template <class E, class O> struct NarrowGemm {
  int ta, tb, m, n, k;
  Scalar<float> a;
  Dual<const E> A;
  int lda;
  long long sa;
  Dual<const E> B;
  int ldb;
  long long sb;
  Scalar<float> b;
  Dual<O> C;
  int ldc;
  long long sc;
  int N, Compute, Algorithm;
  Queue q = {};

  template <class F> void each(F f) {
    f(First + 5, a);
    f(First + 6, A);
    f(First + 9, B);
    f(First + 12, b);
    f(First + 13, C);
  }
  int rowsA() const { return none(ta) ? m : k; }
  int colsA() const { return none(ta) ? k : m; }
  int rowsB() const { return none(tb) ? k : n; }
  int colsB() const { return none(tb) ? n : k; }
  int primal() const {
    float Numbers[] = {a.P, b.P};
    _Float16 Halves[] = {(_Float16)a.P, (_Float16)b.P};
    bool Narrow = Compute == 64 || Compute == 65; // CUBLAS_COMPUTE_16F
    const void *Alpha = Narrow ? (void *)&Halves[0] : &Numbers[0];
    const void *Beta = Narrow ? (void *)&Halves[1] : &Numbers[1];
    if (N == 1)
      return cublasGemmEx(q.h, ta, tb, m, n, k, Alpha, A.P, typeOf<E>, lda, B.P,
                          typeOf<E>, ldb, Beta, C.P, typeOf<O>, ldc, Compute,
                          Algorithm);
    return cublasGemmStridedBatchedEx(
        q.h, ta, tb, m, n, k, Alpha, A.P, typeOf<E>, lda, sa, B.P, typeOf<E>,
        ldb, sb, Beta, C.P, typeOf<O>, ldc, sc, N, Compute, Algorithm);
  }
  /// The product of floats that this one is. The other way on, tangents and
  /// adjoints are those of it.
  Gemm<float> wide(Widened &X, Widened &Y, Widened &Z) const {
    Gemm<float> G = {ta,         tb,     m,      n,          k,
                     a.P,        X.at(), X.ld(), Y.at(),     Y.ld(),
                     b.P,        Z.at(), Z.ld(), X.stride(), Y.stride(),
                     Z.stride(), N,      false,  q};
    G.a.Active = a.Active;
    G.a.D = a.D;
    G.b.Active = b.Active;
    G.b.D = b.D;
    G.A.Active = A.Active;
    G.B.Active = B.Active;
    G.C.Active = C.Active;
    return G;
  }
  void before() const {
    if (!C.active() || m <= 0 || n <= 0 || N <= 0)
      return;
    Widened X(q, rowsA(), colsA(), N), Y(q, rowsB(), colsB(), N), Z(q, m, n, N);
    Widened dX(q, rowsA(), colsA(), N), dY(q, rowsB(), colsB(), N),
        dZ(q, m, n, N);
    X.take(A.P, lda, sa);
    Y.take(B.P, ldb, sb);
    if (b.Active)
      Z.take((const O *)C.P, ldc, sc);
    dZ.take((const O *)C.D, ldc, sc);
    Gemm<float> G = wide(X, Y, Z);
    if (A.active()) {
      dX.take((const E *)A.D, lda, sa);
      G.A.D = dX.at();
    }
    if (B.active()) {
      dY.take((const E *)B.D, ldb, sb);
      G.B.D = dY.at();
    }
    G.C.D = dZ.at();
    G.before();
    dZ.giveTo(C.D, ldc, sc, false);
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
    if (!C.active() || m <= 0 || n <= 0 || N <= 0)
      return;
    Widened X(q, rowsA(), colsA(), N), Y(q, rowsB(), colsB(), N), Z(q, m, n, N);
    Widened Xbar(q, rowsA(), colsA(), N), Ybar(q, rowsB(), colsB(), N),
        Zbar(q, m, n, N);
    if (B.Active || a.Active) {
      auto Old = was(K, 0, rowsA(), colsA(), A.P, lda, sa);
      X.take(Old.P, Old.ld, Old.Stride);
    }
    if (A.Active || a.Active) {
      auto Old = was(K, 1, rowsB(), colsB(), B.P, ldb, sb);
      Y.take(Old.P, Old.ld, Old.Stride);
    }
    if (b.Active) {
      auto Old = was(K, 2, m, n, (const O *)C.P, ldc, sc);
      Z.take(Old.P, Old.ld, Old.Stride);
    }
    Zbar.take((const O *)C.D, ldc, sc);
    Gemm<float> G = wide(X, Y, Z);
    Xbar.clear();
    Ybar.clear();
    if (A.active())
      G.A.D = Xbar.at();
    if (B.active())
      G.B.D = Ybar.at();
    G.C.D = Zbar.at();
    G.reverse(device::Kept{});
    a.D = G.a.D;
    b.D = G.b.D;
    if (A.active())
      Xbar.giveTo(A.D, lda, sa, true);
    if (B.active())
      Ybar.giveTo(B.D, ldb, sb, true);
    Zbar.giveTo(C.D, ldc, sc, false);
  }
};

} // namespace rg::device

#include "cublas_complex.h"
#include "cublas_others.h"

#endif
