// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each -mllvm -rg-print-plan %s -o %t 2>&1 | FileCheck %s
// RUN: %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include %s -o %t && %t
// A loop that looks for the largest number, and keeps its place as well, by the same condition: the reverse sweep begins
// in the iteration that had it, and nothing is kept of the others.
#include "rgcuda.h"

__device__ int places[256];
// CHECK-LABEL: plan for rg.primal.{{.*}}largest
// CHECK: i64 last choice of
// CHECK-NOT: i8 %
// CHECK: need
template <class T> __device__ void largest(const T *x, T *y, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  T best = T(-1e30);
  int place = -1;
  for (int k = 0; k < n / 8; ++k) {
    T offer = x[8 * k + i % 8] * x[(3 * k + i) % n];
    if (offer > best) {
      best = offer;
      place = k;
    }
  }
  y[i] = best * best;
  places[i] = place;
}
// A window of two dimensions, which may be empty.
template <class T> __device__ void window(const T *x, T *y, int n) {
  int i = threadIdx.x, rows = i % 5;
  T best = rows ? T(-1e30) : T(0);
  int place = -1;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < 3; ++c) {
      int at = (i + 7 * r + c) % n;
      if (x[at] > best) {
        best = x[at];
        place = at;
      }
    }
  y[i] = best + T(place >= 0);
  places[i] = place;
}
int main() {
  return rg::checkKernel<double, largest<double>>("largest", 96, 64, 2, 32) +
         rg::checkKernel<double, window<double>>("window", 64, 32, 1, 32) +
         rg::checkKernel<float, window<float>>("window, float", 64, 32, 1, 32);
}
