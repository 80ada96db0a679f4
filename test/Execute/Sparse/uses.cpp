// What the address of a view can be used for: as primal of ordinary code, as shadow of both modes, as seed of
// reverse mode.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
extern int enzyme_dup, enzyme_dupnoneed, enzyme_const;
double __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
extern "C" double *__enzyme_todense(void *, ...);
extern "C" double *__enzyme_post_sparse_todense(void *, ...);
static std::map<long, double> Cells;
static double cellLoad(int64_t At, double Default) { auto It = Cells.find(At / 8); return It == Cells.end() ? Default : It->second; }
static void cellStore(double V, int64_t At, double) { Cells[At / 8] = V; }
static double modLoad(int64_t At, double *X, size_t N) { return X[At / 8 % N]; }
static void noStore(double, int64_t, double *, size_t) { abort(); }
static void neverStored(uint64_t, double *, size_t) { abort(); } // of another form: the view is only read
static double *cells(double Default) { return __enzyme_todense((void *)cellLoad, (void *)cellStore, Default); }
static double *row(double *A, long I, long N) { return A + I * N; }
__attribute__((noinline)) double dot(const double *A, const double *B, int N) { double S = 0; for (int I = 0; I < N; I++) S += A[I] * B[I]; return S; }
static double f(const double *X, int N) { double S = 0; for (int I = 0; I < N; I++) S += X[I] * X[I + 1] * X[I]; return S; }
static void g(const double *X, double *Y, int N) { for (int I = 0; I < N; I++) Y[I] = sin(X[I]) * X[(I + 1) % N]; }
static double at(long I) { auto It = Cells.find(I); return It == Cells.end() ? 0 : It->second; }
static double *twice(double *P) { return P + (Cells.size() & 1 ? 2 : 1); }
static float halfLoad(int64_t At) { return Cells[At / 4]; }
static void halfStore(float V, int64_t At) { Cells[At / 4] = V; }
extern "C" double __enzyme_sum(double, ...);
extern "C" double __enzyme_product(double, ...);
static double folded(double X) { return __enzyme_sum(X, __enzyme_product(X, X, 3.0), 1.0); }
struct Pair { float A, B; };
struct Span {
  double *P;
  long N;
  double operator[](long I) const { return P[I]; }
};
static double squares(Span S) {
  double R = 0;
  for (long I = 0; I < S.N; ++I)
    R += S[I] * S[I];
  return R;
}
static double scaledLoad(int64_t At, double *X, double A) { return X[At / 8] * A; }
static void scaledStore(double V, int64_t At, double *X, double A) { X[At / 8] = V / A; }
// A view of an active argument, in the function that is differentiated, with an active extra argument.
static double inside(double *X, double A) {
  double *V = __enzyme_todense((void *)scaledLoad, (void *)scaledStore, X, A);
  double R = squares(Span{V, 3});
  V[0] = V[1] * V[2];
  return R + X[0];
}
int main() {
  const int N = 4;
  double X[N] = {1, 2, 3, 4};
  // Ordinary code.
  double *V = cells(0.5);
  V[3] += 2;
  V[10] = V[3] * 2;
  double *R = row(V, 2, 5);
  R[1] -= 1;
  RG_NEAR(V[0], 0.5);
  RG_NEAR(V[3], 2.5);
  RG_NEAR(V[10], 5);
  RG_NEAR(V[11], -0.5);
  double B[N] = {1, 1, 1, 2};
  RG_NEAR(dot(V, B, N), 6.5);
  RG_NEAR(dot(B, twice(V + 9), 1), V[9 + (Cells.size() & 1 ? 2 : 1)]);
  std::memset(V, 0, 3 * sizeof(double));
  std::memcpy(V + 4, X, sizeof X);
  double C[N];
  std::memcpy(C, V + 3, sizeof C);
  std::memmove(V + 5, V + 4, 3 * sizeof(double));
  for (int I = 0; I < N; ++I) {
    RG_NEAR(C[I], I ? X[I - 1] : 2.5);
    RG_NEAR(at(4 + I), I ? X[I - 1] : 1);
    RG_NEAR(V[I], I < 3 ? 0 : 2.5);
  }
  RG_NEAR(V == nullptr, 0);
  RG_NEAR(V + 1 == &V[1], 1);
  RG_NEAR(&V[7] - V, 7);
  double *W = cells(0.5);
  for (double *P = W + 4; P != W + 8; ++P) // a pointer that walks
    *P = -1;
  RG_NEAR(at(7), -1);
  // Two numbers of the functions in one access.
  Cells.clear();
  float *Half = (float *)__enzyme_todense((void *)halfLoad, (void *)halfStore);
  Pair Two = {1.5f, 2.5f};
  std::memcpy(Half + 2, &Two, sizeof Two);
  long long Word;
  std::memcpy(&Word, Half + 2, sizeof Word);
  std::memcpy(&Two, &Word, sizeof Two);
  RG_NEAR(at(2) + Two.B, 4);

  // The shadow of reverse mode adds up.
  Cells.clear();
  Cells[1] = 100;
  __enzyme_autodiff((void *)f, enzyme_dup, X, cells(0), enzyme_const, N - 1);
  const double G[N] = {4, 113, 28, 9};
  for (int I = 0; I < N; ++I)
    RG_NEAR(at(I), G[I]);
  // A primal without end.
  double *P = __enzyme_post_sparse_todense((void *)modLoad, (void *)noStore, X, (size_t)N);
  RG_NEAR(f(P, N), 66);
  Cells.clear();
  __enzyme_autodiff((void *)f, enzyme_dup, P, cells(0), enzyme_const, N);
  RG_NEAR(at(3), 17);
  RG_NEAR(at(4), 16);
  // A column of the Jacobian by forward mode, a row by reverse mode.
  Cells.clear();
  double T[N] = {0, 1, 0, 0}, Y[N];
  __enzyme_fwddiff((void *)g, enzyme_dup, X, T, enzyme_dupnoneed, Y, cells(0), enzyme_const, N);
  RG_NEAR(at(0), sin(1));
  RG_NEAR(at(1), cos(2) * 3);
  RG_NEAR(at(2), 0);
  Cells.clear();
  Cells[2] = 1;
  double D[N] = {};
  __enzyme_autodiff((void *)g, enzyme_dup, X, D, enzyme_dup, Y, cells(0), enzyme_const, N);
  RG_NEAR(D[0], 0);
  RG_NEAR(D[2], cos(3) * 4);
  RG_NEAR(D[3], sin(3));

  double *Only = __enzyme_post_sparse_todense((void *)modLoad, (void *)neverStored, X, size_t(N));
  double DOnly[N + 1] = {};
  __enzyme_autodiff((void *)f, enzyme_dup, Only, DOnly, enzyme_const, N);
  RG_NEAR(DOnly[1], 2 * X[1] * X[2] + X[0] * X[0]);
  RG_NEAR(DOnly[N], X[N - 1] * X[N - 1]);

  double S[3] = {1, 2, 3}, DS[3] = {};
  double DA = __enzyme_autodiff((void *)inside, enzyme_dup, S, DS, 2.0);
  RG_NEAR(DS[0], 8);
  RG_NEAR(DS[1], 16 + 2 * 3);
  RG_NEAR(DS[2], 24 + 2 * 2);
  RG_NEAR(DA, 2 * 2 * 14 + 6);
  auto Closure = [V = cells(0.25)](int I) { return V[I]; };
  RG_NEAR(Closure(1000), 0.25);

  double Z = 1.5;
  RG_NEAR(folded(Z), 1.5 + 3 * 2.25 + 1);
  RG_NEAR(__enzyme_autodiff((void *)folded, Z), 1 + 6 * Z);
  return rgReport();
}
