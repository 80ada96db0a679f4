// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each -mllvm -rg-print-plan %s -o %t 2>&1 | FileCheck %s
// RUN: %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -I%root/test/include -I%root/include -mllvm -rg-disable=defer-loops %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include %s -o %t && %t
// Rounds of a grid that write their results, each to a place of its own that nobody looks at again, run in the reverse
// sweep alone. Not where a round reads what another has written, where two rounds may write one place, or where pointers
// may overlap.
#include "rgcuda.h"

#define ROUNDS(I, N) for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < (N); I += blockDim.x * gridDim.x)

// CHECK-LABEL: plan for rg.primal.{{.*}}5alone
// CHECK-NEXT: loop {{.*}} runs in the reverse sweep
template <class T> __device__ void alone(const T *__restrict__ x, T *__restrict__ y, int n) {
  ROUNDS(i, n) {
    T sum = 0;
    for (int k = 0; k <= i % 5; ++k)
      sum = sum * x[i] + x[(i + k) % n];
    y[i] = sum;
  }
}
// Two results of a round, at three times the index and one beside.
// CHECK-LABEL: plan for rg.primal.{{.*}}6beside
// CHECK-NEXT: loop {{.*}} runs in the reverse sweep
template <class T> __device__ void beside(const T *__restrict__ x, T *__restrict__ y, int n) {
  ROUNDS(i, n / 3) {
    T sum = 1;
    for (int k = 0; k < 4; ++k)
      sum = sum * x[i + k];
    y[3 * i + 1] = sum * sum;
  }
}
// A later round reads what this one has written.
// CHECK-LABEL: plan for rg.primal.{{.*}}5again
// CHECK-NOT: runs in the reverse sweep
template <class T> __device__ void again(const T *__restrict__ x, T *__restrict__ y, int n) {
  const int step = blockDim.x * gridDim.x;
  ROUNDS(i, n) {
    T before = i >= step ? y[i - step] : x[i];
    y[i] = before * x[i] + T(0.5);
  }
}
// Rounds write one place, the last one wins.
// CHECK-LABEL: plan for rg.primal.{{.*}}4last
// CHECK-NOT: runs in the reverse sweep
template <class T> __device__ void last(const T *__restrict__ x, T *__restrict__ y, int n) {
  const int step = blockDim.x * gridDim.x;
  ROUNDS(i, n) y[i % step] = x[i] * x[i];
}
// Rounds write one place by two stores, which are apart in each of them.
// CHECK-LABEL: plan for rg.primal.{{.*}}5pairs
// CHECK-NOT: runs in the reverse sweep
template <class T> __device__ void pairs(const T *__restrict__ x, T *__restrict__ y, int n) {
  for (int i = 0; i < n - 1; ++i) {
    y[i] = x[i] * x[i];
    y[i + 1] = x[i] * T(3);
  }
}
// Read behind the loop.
// CHECK-LABEL: plan for rg.primal.{{.*}}6behind
// CHECK-NOT: runs in the reverse sweep
template <class T> __device__ void behind(const T *__restrict__ x, T *__restrict__ y, int n) {
  int mine = blockIdx.x * blockDim.x + threadIdx.x;
  ROUNDS(i, n) y[i] = x[i] * x[i];
  y[mine] = y[mine] * x[mine];
}
// Nothing is known of the two pointers.
// CHECK-LABEL: plan for rg.primal.{{.*}}7overlap
// CHECK-NOT: runs in the reverse sweep
template <class T> __device__ void overlap(const T *x, T *y, int n) {
  ROUNDS(i, n) y[i] = x[i] * x[i];
}
int main() {
  return rg::checkKernel<double, alone<double>>("alone", 100, 100, 2, 16) +
         rg::checkKernel<double, beside<double>>("beside", 100, 100, 2, 8) +
         rg::checkKernel<double, again<double>>("again", 100, 100, 2, 16) +
         rg::checkKernel<double, last<double>>("last", 100, 32, 2, 16) +
         rg::checkKernel<double, pairs<double>>("pairs", 20, 20, 1, 1) +
         rg::checkKernel<double, behind<double>>("behind", 100, 100, 2, 16) +
         rg::checkKernel<double, overlap<double>>("overlap", 100, 100, 2, 16);
}
