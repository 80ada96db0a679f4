// Programs define letters (-DN=1024). Our headers have none of their own.
// RUN: %rgcxx -std=c++17 -O1 -w %s -o %t -DA=7 -DB=7 -DC=7 -DD=7 -DE=7 -DF=7 -DG=7 -DH=7 -DI=7 -DJ=7 -DK=7 -DL=7 -DM=7 -DN=7 -DO=7 -DP=7 -DQ=7 -DR=7 -DS=7 -DT=7 -DU=7 -DV=7 -DW=7 -DX=7 -DY=7 -DZ=7 && %t
// RUN: %rgcxx -std=c++20 -O1 -w %s -o %t -DA=7 -DB=7 -DC=7 -DD=7 -DE=7 -DF=7 -DG=7 -DH=7 -DI=7 -DJ=7 -DK=7 -DL=7 -DM=7 -DN=7 -DO=7 -DP=7 -DQ=7 -DR=7 -DS=7 -DT=7 -DU=7 -DV=7 -DW=7 -DX=7 -DY=7 -DZ=7 && %t
#include <enzyme/enzyme>
#include <enzyme/fprt/fprt.h>
#include <retrograd/checkpoint.hpp>
#include <retrograd/retrograd.h>
#include <retrograd/retrograd.hpp>
#include <retrograd/sparse.hpp>

static double square(double x) { return x * x + N; }
static double product(const std::array<double, 2> &x) { return x[0] * x[0] * x[1]; }

int main() {
  double First = rg::gradient(square)(3.0);
  double Second = enzyme::get<0>(enzyme::get<0>(enzyme::autodiff<enzyme::Reverse>(square, enzyme::Active<double>{3.0})));
  auto Hessian = rg::hessian(product)(std::array<double, 2>{2, 5});
  return First != 6 || Second != 6 || Hessian[0][0] != 10 || Hessian[0][1] != 4;
}
