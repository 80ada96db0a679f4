// A chain of elements: the element is a call of its own, views are made in a function with the derivative call.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>
#include <map>
extern int enzyme_dup, enzyme_dupnoneed, enzyme_const;
template <typename R, typename... A> R __enzyme_autodiff(void *, A...);
template <typename R, typename... A> R __enzyme_fwddiff(void *, A...);
template <typename R, typename... A> R __enzyme_todense(A...);
typedef std::map<std::pair<long,long>, double> Mat;
struct Params { double K; long N; };
__attribute__((noinline)) static double element(const double *X, long I, const Params &P) { double D = X[I + 1] - X[I]; return P.K * D * D * (1 + X[I] * D); }
static double energy(const double *X, const Params *P) { double E = 0; for (long I = 0; I + 1 < P->N; ++I) E += element(X, I, *P); return E; }
__attribute__((noinline)) static void grad(const double *X, double *G, const Params *P) { __enzyme_autodiff<void>((void *)energy, enzyme_dup, X, G, enzyme_const, P); }
static double one(size_t At, long I) { return At / 8 == (size_t)I; }
static void none(double, size_t, long) {}
static double zero(int64_t) { return 0; }
static void put(double V, int64_t At, long I, Mat *M) { if (V) (*M)[{I, At / 8}] += V; }
static void column(const double *X, const Params &P, long I, Mat &M) {
  double *DG = __enzyme_todense<double *>(zero, put, I, &M);
  __enzyme_fwddiff<void>((void *)grad, enzyme_dup, X, __enzyme_todense<double *>(one, none, I), enzyme_dupnoneed, nullptr, DG, enzyme_const, &P);
}
int main() {
  const long N = 6; double X[N] = {.1, .5, -.2, .7, 1.1, .3}; Params P{2, N};
  Mat M;
  for (long I = 0; I < N; ++I) column(X, P, I, M);
  for (long I = 0; I < N; ++I) {
    double T[N] = {}, G[N] = {}, D[N] = {};
    T[I] = 1;
    __enzyme_fwddiff<void>((void *)grad, enzyme_dup, X, T, enzyme_dup, G, D, enzyme_const, &P);
    for (long J = 0; J < N; ++J)
      RG_NEAR(M.count({I, J}) ? (M[{I, J}]) : 0, D[J]);
    // And by differences of the gradient.
    for (long J = 0; J < N; ++J) {
      const double E = 1e-5;
      double Up[N] = {}, Down[N] = {}, Old = X[I];
      X[I] = Old + E;
      grad(X, Up, &P);
      X[I] = Old - E;
      grad(X, Down, &P);
      X[I] = Old;
      RG_WITHIN(D[J], (Up[J] - Down[J]) / (2 * E), 1e-6);
    }
  }
  RG_NEAR(M.size(), 3 * N - 2);
  return rgReport();
}
