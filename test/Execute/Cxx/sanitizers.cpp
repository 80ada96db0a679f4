// REQUIRES: asan
// -fsanitize=address,undefined: what is put beside the program has no derivative and
// says what it says; sized and array deletes that are delayed free what they would.
// RUN: %rgcxx -O0 -fsanitize=address,undefined -I%root/test/include %s -lm -o %t && %t
// RUN: %rgcxx -O2 -fsanitize=address,undefined -I%root/test/include %s -lm -o %t && %t
// RUN: %rgcxx -O2 -mllvm -rg-plan=naive -fsanitize=address -I%root/test/include %s -lm -o %t && %t
#include "rgtest.h"
#include <cmath>
#include <memory>
#include <new>
#include <vector>
extern int enzyme_dup, enzyme_const;
extern "C" {
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
}
double blocks(double X, int N) {
  std::vector<double> V;
  for (int I = 0; I < N; ++I)
    V.push_back(X * I);
  double *A = new double[N];
  double *B = new (std::nothrow) double(X * X);
  auto P = std::make_unique<double>(std::sin(X));
  auto Q = std::make_unique<double[]>(2);
  for (int I = 0; I < N; ++I)
    A[I] = V[I] * *B;
  Q[1] = A[N - 1] * *P;
  double S = Q[1] + A[N / 2];
  delete[] A;
  delete B;
  return S;
}
int main() {
  double X = 1.3;
  RG_GRAD(__enzyme_autodiff((void *)blocks, X, enzyme_const, 5), blocks(X, 5), X);
  RG_GRAD(__enzyme_fwddiff((void *)blocks, X, 1.0, enzyme_const, 5), blocks(X, 5), X);
  return rgReport();
}
int enzyme_dup, enzyme_const;
