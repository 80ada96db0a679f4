/*===- lapack.h - derivatives of LAPACK -----------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Factorisations and solvers, in the manner of blas.h. The adjoint of a
|* factorisation reads the factors that it made, the adjoint of a solver the
|* solution; inputs are never kept. All cost as much as a few of the routines
|* themselves. The formulas are derived in docs/DenseLinearAlgebra.md.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_LAPACK_H
#define RETROGRAD_RUNTIME_LAPACK_H
#include "blas.h"

namespace rg {

/// Calls Run(work, lwork) with as much workspace as it says it wants.
template <class T, class F> inline int withWorkspace(F Run) {
  T Best = 1;
  Run(&Best, -1);
  Scratch<T> Work((ptrdiff_t)Best);
  return Run(Work, (int)Best);
}

/// The kept copy of a matrix with a vector of integers behind it.
template <class T> struct WithPivots {
  static void *make(rg_arena *Arena, int m, int n, const T *A, int lda, int k,
                    const int *ipiv, ptrdiff_t More = 0) {
    size_t Numbers = ((ptrdiff_t)m * n + More) * sizeof(T);
    void *Block = Tape<T>::room(Arena, Numbers + k * sizeof(int));
    assign(m, n, A, lda, numbers(Block), m);
    memcpy(numbers(Block) + (ptrdiff_t)m * n + More, ipiv, k * sizeof(int));
    return Block;
  }
  static T *numbers(void *Block) { return Tape<T>(Block).kept(0); }
  static const int *pivots(void *Block, int m, int n, ptrdiff_t More = 0) {
    return reinterpret_cast<const int *>(numbers(Block) + (ptrdiff_t)m * n +
                                         More);
  }
};

#include "factor_formulas.inc"

/// A (m x n) = P L U
template <class T> struct Getrf {
  int m, n;
  Dual<T> A;
  int lda;
  int *ipiv;

  template <class F> void each(F f) { f(2, A); }

  int rank() const { return m < n ? m : n; }
  int primal() const { return getrf(m, n, A.P, lda, ipiv); }
  void after() const {
    if (A.active())
      luTangent(m, n, A.P, lda, ipiv, A.D, lda);
  }
  void *augment(rg_arena *Arena, int &Info) const {
    Info = primal();
    return A.Active ? WithPivots<T>::make(Arena, m, n, A.P, lda, rank(), ipiv)
                    : Tape<T>::room(Arena, 0);
  }
  void reverse(void *Block) const {
    if (A.active())
      luAdjoint(m, n, WithPivots<T>::numbers(Block), m,
                WithPivots<T>::pivots(Block, m, n), A.D, lda);
  }
};

/// B = op(A)^-1 B (n x r) by the factors of getrf
template <class T> struct Getrs {
  char t;
  int n, r;
  Dual<const T> A;
  int lda;
  const int *ipiv;
  Dual<T> B;
  int ldb;

  template <class F> void each(F f) {
    f(3, A);
    f(6, B);
  }

  int primal() const { return getrs(t, n, r, A.P, lda, ipiv, B.P, ldb); }
  void after() const {
    if (B.active())
      luSolveTangent(t, n, r, A.P, (const T *)A.D, lda, ipiv, (const T *)B.P,
                     ldb, B.D, ldb);
  }
  void *augment(rg_arena *Arena, int &Info) const {
    Info = primal();
    if (!B.Active)
      return Tape<T>::room(Arena, 0);
    void *Block =
        WithPivots<T>::make(Arena, n, n, A.P, lda, n, ipiv, (ptrdiff_t)n * r);
    assign(n, r, (const T *)B.P, ldb,
           WithPivots<T>::numbers(Block) + (ptrdiff_t)n * n, n);
    return Block;
  }
  void reverse(void *Block) const {
    if (!B.active())
      return;
    const T *F = WithPivots<T>::numbers(Block), *X = F + (ptrdiff_t)n * n;
    luSolveAdjoint(t, n, r, F, n,
                   WithPivots<T>::pivots(Block, n, n, (ptrdiff_t)n * r), X, n,
                   B.D, ldb, A.D, lda);
  }
};

/// A^-1 from the factors of getrf, in their place
template <class T> struct Getri {
  int n;
  Dual<T> A;
  int lda;
  const int *ipiv;

  template <class F> void each(F f) { f(1, A); }

  int primal() const {
    return withWorkspace<T>([&](T *work, int lwork) {
      return getri(n, A.P, lda, ipiv, work, lwork);
    });
  }
  /// d(A^-1) = -A^-1 P (dL U + L dU) A^-1.
  void before() const {
    if (!A.active())
      return;
    Scratch<T> L((ptrdiff_t)n * n), U((ptrdiff_t)n * n);
    memset((T *)L, 0, sizeof(T) * n * n);
    memset((T *)U, 0, sizeof(T) * n * n);
    addTriangle('L', true, n, T(1), (const T *)A.D, lda, (T *)L, n);
    addTriangle('U', false, n, T(1), (const T *)A.D, lda, (T *)U, n);
    trmm('R', 'U', 'N', 'N', n, n, T(1), A.P, lda, L, n);
    trmm('L', 'L', 'N', 'U', n, n, T(1), A.P, lda, U, n);
    add(n, n, T(1), (const T *)U, n, (T *)L, n);
    permute(n, (T *)L, n, n, ipiv, true);
    assign(n, n, (const T *)L, n, A.D, lda);
  }
  void after() const {
    if (!A.active())
      return;
    Scratch<T> W((ptrdiff_t)n * n);
    gemm('N', 'N', n, n, n, T(1), A.P, lda, A.D, lda, T(0), (T *)W, n);
    gemm('N', 'N', n, n, n, T(-1), W, n, A.P, lda, T(0), A.D, lda);
  }
  void *augment(rg_arena *Arena, int &Info) const {
    if (!A.Active) {
      Info = primal();
      return Tape<T>::room(Arena, 0);
    }
    void *Block =
        WithPivots<T>::make(Arena, n, n, A.P, lda, n, ipiv, (ptrdiff_t)n * n);
    Info = primal();
    assign(n, n, (const T *)A.P, lda,
           WithPivots<T>::numbers(Block) + (ptrdiff_t)n * n, n);
    return Block;
  }
  /// With X the inverse, -X^T Xbar X^T is the adjoint of A, which goes on to
  /// its factors as in Getrs.
  void reverse(void *Block) const {
    if (!A.active())
      return;
    const T *F = WithPivots<T>::numbers(Block), *X = F + (ptrdiff_t)n * n;
    const int *Pivots = WithPivots<T>::pivots(Block, n, n, (ptrdiff_t)n * n);
    Scratch<T> G((ptrdiff_t)n * n), H((ptrdiff_t)n * n);
    gemm('T', 'N', n, n, n, T(1), X, n, A.D, lda, T(0), (T *)H, n);
    gemm('N', 'T', n, n, n, T(-1), H, n, X, n, T(0), (T *)G, n);
    permute(n, (T *)G, n, n, Pivots, false);
    assign(n, n, (const T *)G, n, (T *)H, n);
    trmm('R', 'U', 'T', 'N', n, n, T(1), F, n, G, n);
    trmm('L', 'L', 'T', 'U', n, n, T(1), F, n, H, n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        A.D[i + (ptrdiff_t)j * lda] = (i > j ? G : H)[i + (ptrdiff_t)j * n];
  }
};

/// A = L L^T or U^T U, triangle u
template <class T> struct Potrf {
  char u;
  int n;
  Dual<T> A;
  int lda;

  template <class F> void each(F f) { f(2, A); }

  int primal() const { return potrf(u, n, A.P, lda); }
  void after() const {
    if (A.active())
      choleskyTangent(u, n, (const T *)A.P, lda, A.D, lda);
  }
  void *augment(rg_arena *Arena, int &Info) const {
    Info = primal();
    if (!A.Active)
      return Tape<T>::room(Arena, 0);
    auto Kept = Tape<T>::make(Arena, (ptrdiff_t)n * n);
    Kept.keep(n, n, A.P, lda);
    return Kept.block();
  }
  void reverse(void *Block) const {
    if (A.active())
      choleskyAdjoint(u, n, Tape<T>(Block).kept(0), n, A.D, lda);
  }
};

/// B = A^-1 B (n x r) by the factor of potrf
template <class T> struct Potrs {
  char u;
  int n, r;
  Dual<const T> A;
  int lda;
  Dual<T> B;
  int ldb;

  template <class F> void each(F f) {
    f(3, A);
    f(5, B);
  }

  void primal() const { choleskySolve(u, n, r, A.P, lda, B.P, ldb); }
  void after() const {
    if (B.active())
      choleskySolveTangent(u, n, r, A.P, (const T *)A.D, lda, (const T *)B.P,
                           ldb, B.D, ldb);
  }
  void *augment(rg_arena *Arena) const {
    primal();
    if (!B.Active)
      return Tape<T>::room(Arena, 0);
    auto Kept = Tape<T>::make(Arena, (ptrdiff_t)n * n + (ptrdiff_t)n * r);
    Kept.keep(n, n, A.P, lda);
    Kept.keep(n, r, B.P, ldb);
    return Kept.block();
  }
  void reverse(void *Block) const {
    if (!B.active())
      return;
    const T *F = Tape<T>(Block).kept(0), *X = F + (ptrdiff_t)n * n;
    choleskySolveAdjoint(u, n, r, F, n, X, n, B.D, ldb, A.D, lda);
  }
};

/// One Householder reflection, I - tau v v^T with v[0] = 1 (not stored), of
/// length l.
template <class T> struct Reflection {
  int l;
  const T *v; ///< v[1..l)
  int step;   ///< 1: v lies in a column
  T tau;

  T at(int i) const { return i ? v[i] : T(1); }
  /// x := H x
  void apply(T *x, int inc) const {
    T w = 0;
    for (int i = 0; i < l; ++i)
      w += at(i) * x[(ptrdiff_t)i * inc];
    for (int i = 0; i < l; ++i)
      x[(ptrdiff_t)i * inc] -= tau * w * at(i);
  }
  /// As apply, with tangents of x, v and tau. x is still the old one.
  void tangent(const T *x, T *dx, int inc, const T *dv, T dtau) const {
    T w = 0, dw = 0;
    for (int i = 0; i < l; ++i) {
      ptrdiff_t p = (ptrdiff_t)i * inc;
      w += at(i) * x[p];
      dw += at(i) * dx[p] + (i ? dv[i] * x[p] : T(0));
    }
    for (int i = 0; i < l; ++i)
      dx[(ptrdiff_t)i * inc] -=
          dtau * w * at(i) + tau * dw * at(i) + (i ? tau * w * dv[i] : T(0));
  }
  /// Undoes apply on x and takes the adjoint xbar of the new x to that of the
  /// old one.
  void reverse(T *x, T *xbar, int inc, T *vbar, T &taubar) const {
    apply(x, inc); // a reflection is its own inverse
    T w = 0, s = 0;
    for (int i = 0; i < l; ++i) {
      w += at(i) * x[(ptrdiff_t)i * inc];
      s += at(i) * xbar[(ptrdiff_t)i * inc];
    }
    taubar -= w * s;
    for (int i = 1; i < l; ++i)
      vbar[i] -=
          tau * (w * xbar[(ptrdiff_t)i * inc] + s * x[(ptrdiff_t)i * inc]);
    for (int i = 0; i < l; ++i)
      xbar[(ptrdiff_t)i * inc] -= tau * s * at(i);
  }
};

/// A (m x n) = Q R; R above, the vectors of the reflections below the diagonal
template <class T> struct Geqrf {
  int m, n;
  Dual<T> A;
  int lda;
  Dual<T> tau;
  T *Old = nullptr; ///< the input, in forward mode

  template <class F> void each(F f) {
    f(2, A);
    f(4, tau);
  }

  int rank() const { return m < n ? m : n; }
  int primal() const {
    return withWorkspace<T>([&](T *work, int lwork) {
      return geqrf(m, n, A.P, lda, tau.P, work, lwork);
    });
  }
  static Reflection<T> reflection(int i, int m, const T *A, ptrdiff_t lda,
                                  const T *tau) {
    return {m - i, A + i + i * lda, 1, tau[i]};
  }
  /// The reflections once more, with tangents: their vectors come from the
  /// result.
  void remember() {
    Old = static_cast<T *>(malloc(((ptrdiff_t)m * n + 1) * sizeof(T)));
    assign(m, n, (const T *)A.P, lda, Old, m);
  }
  void forget() { free(Old); }
  void after() const {
    if (tau.active())
      memset(tau.D, 0, rank() * sizeof(T));
    if (!A.active())
      return;
    Scratch<T> W((ptrdiff_t)m * n), dtau(rank());
    assign(m, n, (const T *)Old, m, (T *)W, m);
    for (int i = 0; i < rank(); ++i) {
      auto H = reflection(i, m, A.P, lda, tau.P);
      T *x = W + i + (ptrdiff_t)i * m, *dx = A.D + i + (ptrdiff_t)i * lda;
      T alpha = x[0], beta = A.P[i + (ptrdiff_t)i * lda];
      dtau[i] = 0;
      if (H.tau != 0) {
        T dbeta = 0;
        for (int p = 0; p < H.l; ++p)
          dbeta += x[p] * dx[p];
        dbeta /= beta;
        T dalpha = dx[0];
        for (int p = 1; p < H.l; ++p)
          dx[p] = (dx[p] - H.v[p] * (dalpha - dbeta)) / (alpha - beta);
        dx[0] = dbeta;
        dtau[i] = (alpha * dbeta / beta - dalpha) / beta;
      }
      for (int j = i + 1; j < n; ++j) {
        T *c = W + i + (ptrdiff_t)j * m;
        H.tangent(c, A.D + i + (ptrdiff_t)j * lda, 1, dx, dtau[i]);
        H.apply(c, 1);
      }
    }
    if (tau.active())
      copy(rank(), (const T *)dtau, 1, tau.D, 1);
  }
  void *augment(rg_arena *Arena, int &Info) const {
    Info = primal();
    if (!A.Active)
      return Tape<T>::room(Arena, 0);
    auto Kept = Tape<T>::make(Arena, (ptrdiff_t)m * n + rank());
    Kept.keep(m, n, A.P, lda);
    Kept.keepVector(rank(), tau.P, 1);
    return Kept.block();
  }
  void reverse(void *Block) const {
    pull(Block);
    if (tau.active())
      memset(tau.D, 0, rank() * sizeof(T));
  }
  void pull(void *Block) const {
    if (!A.active())
      return;
    Tape<T> Kept(Block);
    Scratch<T> F((ptrdiff_t)m * n); // other lanes want the kept one, too
    assign(m, n, (const T *)Kept.kept((ptrdiff_t)m * n), m, (T *)F, m);
    const T *Taus = Kept.kept(rank());
    for (int i = rank() - 1; i >= 0; --i) {
      auto H = reflection(i, m, F, m, Taus);
      T *xbar =
          A.D + i + (ptrdiff_t)i * lda; // of beta and v, then of the column
      T taubar = tau.active() ? tau.D[i] : T(0);
      for (int j = i + 1; j < n; ++j)
        H.reverse(F + i + (ptrdiff_t)j * m, A.D + i + (ptrdiff_t)j * lda, 1,
                  xbar, taubar);
      T *x = F + i + (ptrdiff_t)i * m;
      if (H.tau == 0)
        continue;
      T beta = x[0], alpha = beta * (1 - H.tau), Distance = alpha - beta;
      T betabar = xbar[0], alphabar = 0, Sum = 0;
      for (int p = 1; p < H.l; ++p) {
        Sum += xbar[p] * H.v[p];
        xbar[p] /= Distance;
        x[p] *= Distance; // v becomes the column again
      }
      x[0] = alpha;
      alphabar -= Sum / Distance;
      betabar += Sum / Distance;
      alphabar -= taubar / beta;
      betabar += taubar * alpha / (beta * beta);
      xbar[0] = alphabar + betabar * alpha / beta;
      for (int p = 1; p < H.l; ++p)
        xbar[p] += betabar * x[p] / beta;
    }
  }
};

/// C (m x n) = op(Q) C or C op(Q), Q of k reflections
template <class T> struct Ormqr {
  char s, t;
  int m, n, k;
  Dual<const T> A;
  int lda;
  Dual<const T> tau;
  Dual<T> C;
  int ldc;

  template <class F> void each(F f) {
    f(5, A);
    f(7, tau);
    f(8, C);
  }

  int primal() const {
    return withWorkspace<T>([&](T *work, int lwork) {
      return ormqr(s, t, m, n, k, A.P, lda, tau.P, C.P, ldc, work, lwork);
    });
  }
  int sizeQ() const { return left(s) ? m : n; }
  /// Q = H0 H1 ...: which reflection comes as the step-th.
  int order(int Step) const { return left(s) == none(t) ? k - 1 - Step : Step; }
  void before() const {
    if (!C.active())
      return;
    Scratch<T> W((ptrdiff_t)m * n);
    assign(m, n, (const T *)C.P, ldc, (T *)W, m);
    Scratch<T> Zero(sizeQ());
    memset((T *)Zero, 0, sizeQ() * sizeof(T));
    for (int Step = 0; Step < k; ++Step) {
      int i = order(Step);
      auto H = Geqrf<T>::reflection(i, sizeQ(), A.P, lda, tau.P);
      const T *dv = A.active() ? A.D + i + (ptrdiff_t)i * lda : (const T *)Zero;
      T dtau = tau.active() ? tau.D[i] : T(0);
      // C and its copy have different leading dimensions.
      if (left(s))
        for (int j = 0; j < n; ++j) {
          T *c = W + i + (ptrdiff_t)j * m;
          H.tangent(c, C.D + i + (ptrdiff_t)j * ldc, 1, dv, dtau);
          H.apply(c, 1);
        }
      else
        rows(i, H, W, dv, dtau);
    }
  }
  void rows(int i, const Reflection<T> &H, T *W, const T *dv, T dtau) const {
    Scratch<T> x(H.l), dx(H.l);
    for (int j = 0; j < m; ++j) {
      T *c = W + j + (ptrdiff_t)i * m, *dc = C.D + j + (ptrdiff_t)i * ldc;
      copy(H.l, c, m, (T *)x, 1);
      copy(H.l, dc, ldc, (T *)dx, 1);
      H.tangent(x, dx, 1, dv, dtau);
      H.apply(x, 1);
      copy(H.l, (const T *)x, 1, c, m);
      copy(H.l, (const T *)dx, 1, dc, ldc);
    }
  }
  void *augment(rg_arena *Arena, int &Info) const {
    Info = primal();
    if (!C.Active)
      return Tape<T>::room(Arena, 0);
    auto Kept =
        Tape<T>::make(Arena, (ptrdiff_t)sizeQ() * k + k + (ptrdiff_t)m * n);
    Kept.keep(sizeQ(), k, A.P, lda);
    Kept.keepVector(k, tau.P, 1);
    Kept.keep(m, n, C.P, ldc);
    return Kept.block();
  }
  void reverse(void *Block) const {
    if (!C.active())
      return;
    Tape<T> Kept(Block);
    int q = sizeQ();
    const T *V = Kept.kept((ptrdiff_t)q * k), *Taus = Kept.kept(k);
    Scratch<T> W((ptrdiff_t)m * n), vbar(q), x(q), xbar(q);
    assign(m, n, (const T *)Kept.kept((ptrdiff_t)m * n), m, (T *)W, m);
    for (int Step = k - 1; Step >= 0; --Step) {
      int i = order(Step);
      auto H = Geqrf<T>::reflection(i, q, V, q, Taus);
      T taubar = 0;
      memset((T *)vbar, 0, q * sizeof(T));
      int Count = left(s) ? n : m;
      for (int j = 0; j < Count; ++j) {
        T *c = left(s) ? W + i + (ptrdiff_t)j * m : W + j + (ptrdiff_t)i * m;
        T *cbar = left(s) ? C.D + i + (ptrdiff_t)j * ldc
                          : C.D + j + (ptrdiff_t)i * ldc;
        int inc = left(s) ? 1 : m, incbar = left(s) ? 1 : ldc;
        copy(H.l, c, inc, (T *)x, 1);
        copy(H.l, cbar, incbar, (T *)xbar, 1);
        H.reverse(x, xbar, 1, vbar, taubar);
        copy(H.l, (const T *)x, 1, c, inc);
        copy(H.l, (const T *)xbar, 1, cbar, incbar);
      }
      if (A.active())
        for (int p = 1; p < H.l; ++p)
          A.D[i + p + (ptrdiff_t)i * lda] += vbar[p];
      if (tau.active())
        tau.D[i] += taubar;
    }
  }
};

/// A (m x n) = the first n columns of Q, of k reflections that A holds
template <class T> struct Orgqr {
  int m, n, k;
  Dual<T> A;
  int lda;
  Dual<const T> tau;

  template <class F> void each(F f) {
    f(3, A);
    f(5, tau);
  }

  int primal() const {
    return withWorkspace<T>([&](T *work, int lwork) {
      return orgqr(m, n, k, A.P, lda, tau.P, work, lwork);
    });
  }
  static void identity(int m, int n, T *C, int ldc) {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i)
        C[i + (ptrdiff_t)j * ldc] = i == j;
  }
  void before() const {
    if (!A.active())
      return;
    // Q I, with the tangents of the reflections.
    Scratch<T> V((ptrdiff_t)m * k), dV((ptrdiff_t)m * k), W((ptrdiff_t)m * n);
    assign(m, k, (const T *)A.P, lda, (T *)V, m);
    assign(m, k, (const T *)A.D, lda, (T *)dV, m);
    identity(m, n, W, m);
    for (int j = 0; j < n; ++j)
      memset(A.D + (ptrdiff_t)j * lda, 0, m * sizeof(T));
    for (int i = k - 1; i >= 0; --i) {
      auto H = Geqrf<T>::reflection(i, m, V, m, tau.P);
      T dtau = tau.active() ? tau.D[i] : T(0);
      for (int j = 0; j < n; ++j) {
        T *c = W + i + (ptrdiff_t)j * m;
        H.tangent(c, A.D + i + (ptrdiff_t)j * lda, 1, dV + i + (ptrdiff_t)i * m,
                  dtau);
        H.apply(c, 1);
      }
    }
  }
  void *augment(rg_arena *Arena, int &Info) const {
    if (!A.Active) {
      Info = primal();
      return Tape<T>::room(Arena, 0);
    }
    auto Kept = Tape<T>::make(Arena, (ptrdiff_t)m * k + k + (ptrdiff_t)m * n);
    Kept.keep(m, k, A.P, lda);
    Kept.keepVector(k, tau.P, 1);
    Info = primal();
    Kept.keep(m, n, A.P, lda);
    return Kept.block();
  }
  void reverse(void *Block) const {
    if (!A.active())
      return;
    Tape<T> Kept(Block);
    const T *V = Kept.kept((ptrdiff_t)m * k), *Taus = Kept.kept(k);
    Scratch<T> W((ptrdiff_t)m * n), Vbar((ptrdiff_t)m * k);
    assign(m, n, (const T *)Kept.kept((ptrdiff_t)m * n), m, (T *)W, m);
    memset((T *)Vbar, 0, sizeof(T) * m * k);
    for (int i = 0; i < k; ++i) {
      auto H = Geqrf<T>::reflection(i, m, V, m, Taus);
      T taubar = 0;
      for (int j = 0; j < n; ++j)
        H.reverse(W + i + (ptrdiff_t)j * m, A.D + i + (ptrdiff_t)j * lda, 1,
                  Vbar + i + (ptrdiff_t)i * m, taubar);
      if (tau.active())
        tau.D[i] += taubar;
    }
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i)
        A.D[i + (ptrdiff_t)j * lda] =
            j < k && i > j ? Vbar[i + (ptrdiff_t)j * m] : T(0);
  }
};

/// A = V diag(w) V^T, triangle u; V replaces A if j is V, and A is destroyed
/// otherwise
template <class T> struct Syev {
  char j, u;
  int n;
  Dual<T> A;
  int lda;
  Dual<T> w;
  T *Old =
      nullptr; ///< the vectors, in forward mode, when nobody asked for them

  template <class F> void each(F f) {
    f(3, A);
    f(5, w);
  }

  bool vectors() const { return j == 'V' || j == 'v'; }
  int primal() const {
    return withWorkspace<T>([&](T *work, int lwork) {
      return syev(j, u, n, A.P, lda, w.P, work, lwork);
    });
  }
  /// Values and vectors of the input, into V (n x n).
  int decompose(T *V) const {
    for (int c = 0; c < n; ++c)
      for (int i = 0; i < n; ++i)
        V[i + (ptrdiff_t)c * n] = A.P[i + (ptrdiff_t)c * lda];
    Scratch<T> Values(n);
    return withWorkspace<T>([&](T *work, int lwork) {
      return syev('V', u, n, V, n, Values, work, lwork);
    });
  }
  /// One over the distance of two values; vectors of equal ones have no
  /// derivative, and what does not depend on them has no use for it.
  static T gap(T From, T To, T Factor) {
    return Factor == 0 ? T(0) : Factor / (To - From);
  }

  /// dw = diag(V^T dA V), dV = V (F o (V^T dA V)), F_ij = 1 / (w_j - w_i).
  void remember() {
    if (vectors())
      return;
    Old = static_cast<T *>(malloc(((ptrdiff_t)n * n + 1) * sizeof(T)));
    decompose(Old);
  }
  void forget() { free(Old); }
  void after() const {
    if (w.active())
      memset(w.D, 0, n * sizeof(T));
    if (!A.active())
      return;
    Scratch<T> S((ptrdiff_t)n * n), W((ptrdiff_t)n * n), V((ptrdiff_t)n * n);
    symmetrise(u, n, T(1), (const T *)A.D, lda, (T *)S);
    if (vectors())
      assign(n, n, (const T *)A.P, lda, (T *)V, n);
    else
      assign(n, n, (const T *)Old, n, (T *)V, n);
    gemm('N', 'N', n, n, n, T(1), S, n, V, n, T(0), (T *)W, n);
    gemm('T', 'N', n, n, n, T(1), V, n, W, n, T(0), (T *)S, n);
    if (w.active())
      for (int i = 0; i < n; ++i)
        w.D[i] = S[i + (ptrdiff_t)i * n];
    if (!vectors())
      return;
    for (int c = 0; c < n; ++c)
      for (int i = 0; i < n; ++i)
        W[i + (ptrdiff_t)c * n] =
            i == c ? T(0) : gap(w.P[i], w.P[c], S[i + (ptrdiff_t)c * n]);
    gemm('N', 'N', n, n, n, T(1), V, n, W, n, T(0), A.D, lda);
  }
  void *augment(rg_arena *Arena, int &Info) const {
    if (!A.Active) {
      Info = primal();
      return Tape<T>::room(Arena, 0);
    }
    auto Kept = Tape<T>::make(Arena, (ptrdiff_t)n * n + n);
    T *V = Kept.kept((ptrdiff_t)n * n);
    if (!vectors())
      decompose(V);
    Info = primal();
    if (vectors())
      assign(n, n, (const T *)A.P, lda, V, n);
    Kept.keepVector(n, w.P, 1);
    return Kept.block();
  }
  /// Abar = V (diag(wbar) + F o (V^T Vbar)) V^T.
  void reverse(void *Block) const {
    pull(Block);
    if (w.active())
      memset(w.D, 0, n * sizeof(T));
  }
  void pull(void *Block) const {
    if (!A.active())
      return;
    Tape<T> Kept(Block);
    const T *V = Kept.kept((ptrdiff_t)n * n), *Values = Kept.kept(n);
    Scratch<T> S((ptrdiff_t)n * n), W((ptrdiff_t)n * n);
    memset((T *)S, 0, sizeof(T) * n * n);
    if (vectors()) {
      gemm('T', 'N', n, n, n, T(1), V, n, A.D, lda, T(0), (T *)S, n);
      // Only the antisymmetric part moves the vectors.
      for (int c = 0; c < n; ++c)
        for (int i = 0; i < c; ++i) {
          T Turn = (S[i + (ptrdiff_t)c * n] - S[c + (ptrdiff_t)i * n]) / 2;
          S[i + (ptrdiff_t)c * n] = S[c + (ptrdiff_t)i * n] =
              gap(Values[i], Values[c], Turn);
        }
    }
    for (int i = 0; i < n; ++i)
      S[i + (ptrdiff_t)i * n] = w.active() ? w.D[i] : T(0);
    gemm('N', 'N', n, n, n, T(1), V, n, S, n, T(0), (T *)W, n);
    gemm('N', 'T', n, n, n, T(1), W, n, V, n, T(0), (T *)S, n);
    for (int c = 0; c < n; ++c)
      memset(A.D + (ptrdiff_t)c * lda, 0, n * sizeof(T));
    addSymmetric(u, n, T(1), (const T *)S, n, A.D, lda);
  }
};

} // namespace rg

#endif
