// Bits of numbers that a program keeps in members and elements of other types: declared integers, pointers, characters.
// Their derivatives would be lost without a sign. Where two loops are joined, another check sees them first.
// RUN: not %rgcxx -O0 -DMEMBER -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=JOINED %s
// RUN: not %rgcxx -O0 -DMEMBER -mllvm -rg-disable=join-loops -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=STORE %s
// RUN: not %rgcxx -O2 -DMEMBER -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=JOINED %s
// RUN: not %rgcxx -O2 -DMEMBER -mllvm -rg-disable=join-loops -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=STORE %s
// RUN: not %rgcxx -O0 -DBYTES -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=STORE %s
// RUN: not %rgcxx -O2 -DBYTES -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=STORE %s
// RUN: not %rgcxx -O0 -DPOINTERS -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=COPY %s
// RUN: not %rgcxx -O2 -DPOINTERS -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=COPY %s
// RUN: not %rgcxx -O0 -DUNION -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=PARTS %s
// RUN: not %rgcxx -O2 -DUNION -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=PARTS %s
// RUN: not %rgcxx -O0 -DUNION -DNAMED -c %s -o /dev/null 2>&1 | FileCheck --check-prefix=PARTS %s
// PARTS: error: instruction '{{load|store}}' cannot be differentiated here: {{.*}} [RG2002]
// STORE: error: instruction 'store' cannot be differentiated here: a store of integers that may be parts of floating-point numbers [RG2002]
// JOINED: error: instruction 'store' cannot be differentiated here: the bits of an active number in a member that is declared an integer [RG2002]
// COPY: error: the type of every byte that derivatives may flow through must be known, {{.*}} moves bytes of unknown type: a run-time number of bytes [RG1103]
#include <algorithm>
#include <cstring>
#include <vector>
extern int enzyme_dup, enzyme_const;
template <class... T> void __enzyme_autodiff(void *, T...);
#ifdef MEMBER
struct Place { long Word; double Z; };
double f(const double *X, int N) {
  auto *U = new Place[N](), *T = new Place[N]();
  for (int I = 0; I < N; ++I) {
    double V = X[I] * X[I];
    memcpy(&U[I].Word, &V, 8);
    U[I].Z = X[I];
  }
  double S = 0;
  for (int I = 0; I < N; ++I) {
    T[I].Word = U[I].Word;
    T[I].Z = U[I].Z;
  }
  for (int I = 0; I < N; ++I) {
    double V;
    memcpy(&V, &T[I].Word, 8);
    S += V * T[I].Z;
  }
  delete[] U;
  delete[] T;
  return S;
}
#elif defined(UNION)
#ifdef NAMED
struct Words { unsigned Low, High; };
union Number { double D; Words W; };
#else
union Number { double D; struct { unsigned Low, High; } W; };
#endif
double f(const double *X, int N) {
  auto *U = new Number[N](), *T = new Number[N]();
  for (int I = 0; I < N; ++I)
    U[I].D = X[I] * X[I];
  for (int I = 0; I < N; ++I) {
    T[I].W.Low = U[I].W.Low;
    T[I].W.High = U[I].W.High;
  }
  double S = 0;
  for (int I = 0; I < N; ++I)
    S += T[I].D;
  delete[] U;
  delete[] T;
  return S;
}
#elif defined(BYTES)
struct Byte { unsigned char Value; };
double f(const double *X, int N) {
  auto *P = new Byte[8 * N], *Q = new Byte[8 * N];
  for (int I = 0; I < N; ++I) {
    double V = X[I] * X[I];
    memcpy(P + 8 * I, &V, 8);
  }
  for (int I = 0; I < 8 * N; ++I)
    Q[I ^ 1].Value = P[I].Value;
  double S = 0;
  for (int I = 0; I < N; ++I) {
    double V;
    memcpy(&V, Q + 8 * I, 8);
    S += V;
  }
  delete[] P;
  delete[] Q;
  return S;
}
#else
double f(const double *X, int N) {
  std::vector<void *> B(N);
  for (int I = 0; I < N; ++I) {
    double V = X[I] * X[I];
    memcpy(&B[I], &V, 8);
  }
  std::vector<void *> C(B), D(N);
  std::copy(C.begin(), C.end(), D.begin());
  double S = 0;
  for (int I = 0; I < N; ++I) {
    double V;
    memcpy(&V, &D[I], 8);
    S += V;
  }
  return S;
}
#endif
void g(double *X, double *DX, int N) { __enzyme_autodiff((void *)f, enzyme_dup, X, DX, enzyme_const, N); }
