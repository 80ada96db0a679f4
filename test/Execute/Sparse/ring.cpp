// Hessian of a ring of springs by forward mode over reverse mode: the columns of the identity and the result
// are views (__enzyme_todense), the gradient itself is nowhere.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
extern int enzyme_dup, enzyme_dupnoneed, enzyme_const;
template <typename R, typename... A> R __enzyme_autodiff(void *, A...);
template <typename R, typename... A> R __enzyme_fwddiff(void *, A...);
template <typename R, typename... A> R __enzyme_todense(A...) noexcept;
template <typename R, typename... A> R __enzyme_post_sparse_todense(A...) noexcept;
struct Triplet { size_t Row, Col; double Value; };
template <typename T> static T energy(size_t N, const T *X) {
  T S = 0;
  for (size_t I = 0; I < N; ++I) {
    T L = sqrt((X[I + 1 == N ? 0 : I + 1] - X[I]) * (X[I + 1 == N ? 0 : I + 1] - X[I])) - 1;
    S += L * L * L;
  }
  return S;
}
template <typename T> static void gradient(size_t N, const T *X, T *G) {
  __enzyme_autodiff<void>((void *)energy<T>, enzyme_const, N, enzyme_dup, X, G);
}
template <typename T> static T unitLoad(int64_t At, size_t I) { return At / sizeof(T) == I; }
template <typename T> static void unitStore(T, int64_t, size_t) { abort(); }
template <typename T> static T resultLoad(int64_t, size_t, std::vector<Triplet> &) { return 0; }
template <typename T> static void resultStore(T V, int64_t At, size_t I, std::vector<Triplet> &R) {
  if (V != 0) R.push_back({I, At / sizeof(T), V});
}
template <typename T> __attribute__((noinline)) static std::vector<Triplet> hessian(size_t N, T *X) {
  std::vector<Triplet> R;
  for (size_t I = 0; I < N; ++I) {
    T *DX = __enzyme_todense<T *>(unitLoad<T>, unitStore<T>, I);
    T *DG = __enzyme_todense<T *>(resultLoad<T>, resultStore<T>, I, &R);
    __enzyme_fwddiff<void>((void *)gradient<T>, enzyme_const, N, enzyme_dup, X, DX, enzyme_dupnoneed, (T *)0x1, DG);
  }
  return R;
}
template <typename T> static void test(double Tol) {
  const size_t N = 7;
  T X[N];
  for (size_t I = 0; I < N; ++I) X[I] = (I + 1) * (I + 1) * T(0.5);
  double H[N][N] = {};
  for (auto &R : hessian<T>(N, X)) H[R.Row][R.Col] += R.Value;
  for (size_t I = 0; I < N; ++I)
    for (size_t J = 0; J < N; ++J) {
      double Y[N], S = 0, E = 1e-3;
      for (int A : {-1, 1})
        for (int B : {-1, 1}) {
          for (size_t K = 0; K < N; ++K) Y[K] = X[K];
          Y[I] += A * E;
          Y[J] += B * E;
          S += A * B * energy<double>(N, Y);
        }
      RG_WITHIN(H[I][J], S / (4 * E * E), Tol);
    }
}
// The same with the ring closed by a view of the positions, which has no end.
template <typename T> static T chain(size_t N, const T *X) {
  T S = 0;
  for (size_t I = 0; I < N; ++I) S += (X[I + 1] - X[I]) * (X[I + 1] - X[I]) * X[I];
  return S;
}
template <typename T> static void chainGradient(size_t N, const T *X, T *G) {
  __enzyme_autodiff<void>((void *)chain<T>, enzyme_const, N, enzyme_dup, X, G);
}
template <typename T> static T ringLoad(int64_t At, T *X, size_t N) { return X[At / sizeof(T) % N]; }
template <typename T> static void ringStore(T, int64_t, T *, size_t) { abort(); }
template <typename T> static T ringUnit(int64_t At, size_t I, size_t N) { return At / sizeof(T) % N == I; }
__attribute__((enzyme_sparse_accumulate)) static void keep(size_t Row, size_t Col, double V, std::vector<Triplet> &R) {
  R.push_back({Row, Col, V});
}
template <typename T> static void ringResult(T V, int64_t At, size_t I, size_t N, std::vector<Triplet> &R) {
  if (V == 0) return;
  keep(I, At / sizeof(T) % N, V, R);
}
template <typename T> static T ringNothing(int64_t, size_t, size_t, std::vector<Triplet> &) { return 0; }
__attribute__((noinline)) static std::vector<Triplet> ringHessian(size_t N, double *X) {
  std::vector<Triplet> R;
  X = __enzyme_post_sparse_todense<double *>((void *)ringLoad<double>, (void *)ringStore<double>, X, N);
  __builtin_assume(N > 0);
  for (size_t I = 0; I < N; ++I) {
    double *DX = __enzyme_todense<double *>((void *)ringUnit<double>, (void *)unitStore<double>, I, N);
    double *DG = __enzyme_todense<double *>((void *)ringNothing<double>, (void *)ringResult<double>, I, N, &R);
    __enzyme_fwddiff<void>((void *)chainGradient<double>, enzyme_const, N, enzyme_dup, X, DX, enzyme_dupnoneed,
                           nullptr, DG);
  }
  return R;
}
int main() {
  test<double>(1e-4);
  test<float>(1e-2);
  const size_t N = 5;
  double X[N] = {1, 2.5, 3, 1.5, 2}, H[N][N] = {};
  for (auto &R : ringHessian(N, X)) H[R.Row][R.Col] += R.Value;
  for (size_t I = 0; I < N; ++I) {
    size_t J = (I + 1) % N, K = (I + N - 1) % N;
    RG_NEAR(H[I][I], 6 * X[I] - 4 * X[J] + 2 * X[K]);
    RG_NEAR(H[I][J], 2 * X[J] - 4 * X[I]);
    RG_NEAR(H[J][I], 2 * X[J] - 4 * X[I]);
    RG_NEAR(H[I][(I + 2) % N], 0);
  }
  return rgReport();
}
