// Bits of numbers that a program keeps in elements of other types, which the standard library copies in bulk: records that
// have an integer there, floats of the caller's records.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>
template <class... T> double __enzyme_autodiff(void *, T...);
template <class... T> double __enzyme_fwddiff(void *, T...);
extern int enzyme_dup, enzyme_const;

struct Element { double Z; long Word; };
static double inRecords(const double *X, int N) {
  std::vector<Element> B(N);
  for (int I = 0; I < N; ++I) {
    double V = X[I] * X[I];
    B[I].Z = std::sin(X[I]);
    memcpy(&B[I].Word, &V, 8);
  }
  std::vector<Element> C(B), D(N);
  std::copy(C.begin(), C.end(), D.begin());
  double S = 0;
  for (int I = 0; I < N; ++I) {
    double V;
    memcpy(&V, &D[I].Word, 8);
    S += V * (I + 1) + D[I].Z;
  }
  return S;
}

// The copy of the caller's records keeps a member that is never used here; the loops are unrolled.
struct Atom { float X, Y, Z; int Kind; };
struct Parameters { std::vector<Atom> Big, Small; std::vector<float> Turns[2]; };
static float docked(const Parameters *P) {
  int N = P->Big.size(), M = P->Small.size(), Poses = P->Turns[0].size();
  auto *A = (Atom *)malloc(sizeof(Atom) * N), *B = (Atom *)malloc(sizeof(Atom) * M);
  float *T[2];
  for (int I = 0; I < 2; ++I) {
    T[I] = (float *)malloc(4 * Poses);
    for (int J = 0; J < Poses; ++J)
      T[I][J] = P->Turns[I][J];
  }
  for (int I = 0; I < N; ++I)
    A[I] = P->Big[I];
  for (int I = 0; I < M; ++I)
    B[I] = P->Small[I];
  float S = 0;
  for (int G = 0; G < Poses / 4; ++G) {
    float E[4] = {};
    for (int L = 0; L < M; ++L)
      for (int K = 0; K < N; ++K)
        for (int J = 0; J < 4; ++J)
          E[J] += std::sin(A[K].X * T[0][4 * G + J]) * B[L].X + A[K].Y * (A[K].Kind == B[L].Kind ? 2 : 3) +
                  A[K].Z * T[1][4 * G + J] * B[L].Y;
    for (float V : E)
      S += V;
  }
  free(A);
  free(B);
  free(T[0]);
  free(T[1]);
  return S;
}

template <double (*F)(const double *, int)> static void check() {
  double X[6] = {1, 1.2, 0.3, 2, -1, 0.7}, D[6] = {};
  __enzyme_autodiff((void *)F, enzyme_dup, X, D, enzyme_const, 6);
  for (int I = 0; I < 6; ++I) {
    double T[6] = {};
    T[I] = 1;
    RG_GRAD(D[I], F(X, 6), X[I]);
    RG_NEAR(__enzyme_fwddiff((void *)F, enzyme_dup, X, T, enzyme_const, 6), D[I]);
  }
}

int main() {
  check<inRecords>();
  Parameters P, D;
  P.Big = {{1, 2, 3, -1}, {0.5f, 1, 2, 7}, {0.25f, 0.125f, 2, 1}};
  P.Small = {{1, 3, 2, 7}, {2, 1, 1, -1}};
  D.Big = {{0, 0, 0, -1}, {0, 0, 0, 7}, {0, 0, 0, 1}};
  D.Small = {{0, 0, 0, 7}, {0, 0, 0, -1}};
  for (int I = 0; I < 2; ++I) {
    P.Turns[I].assign(8, 0.5f);
    D.Turns[I].assign(8, 0.f);
  }
  __enzyme_autodiff((void *)docked, enzyme_dup, &P, &D);
  // By hand: 8 poses with T = 1/2.
  for (int K = 0; K < 3; ++K) {
    const Atom &A = P.Big[K];
    float DX = 8 * std::cos(A.X / 2) / 2 * 3, DY = 0, DZ = 8 * (3 + 1) / 2.f;
    for (const Atom &B : P.Small)
      DY += 8 * (A.Kind == B.Kind ? 2 : 3);
    RG_NEARF(D.Big[K].X, DX);
    RG_NEARF(D.Big[K].Y, DY);
    RG_NEARF(D.Big[K].Z, DZ);
    RG_NEARF(D.Big[K].Kind, A.Kind);
  }
  return rgReport();
}
