// What enzyme_seed cannot be said of in kernels: one place written by several threads, as far as the compiler sees.
// RUN: not %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.ptx 2>&1 | FileCheck %s
#include "rgdevice.h"
extern __device__ int enzyme_seed;
#define GRADIENT(f)                                                                                                    \
  __global__ void f##Gradient(const float *x, float *dx, float *y, float *dy, int n) {                                 \
    __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_seed, y, dy, enzyme_const, n);                              \
  }

// All lanes of a warp write one number.
__device__ void warps(const float *__restrict__ x, float *__restrict__ y, int n) {
  y[INDEX() / 32] = x[INDEX() / 32] * x[n];
}
// CHECK: seeds.cu:[[@LINE+3]]:{{.*}} error: adjoints that the derivative starts from cannot stay as they are (enzyme_seed): what parameter 2 leads to may be written at one place by two threads [RG2114]
// CHECK: note: it is here, in 'warps'
// CHECK: note: pass this memory by enzyme_dup
GRADIENT(warps)

// Neighbours write what the next one writes, too.
__device__ void both(const float *__restrict__ x, float *__restrict__ y, int n) {
  y[INDEX()] = x[INDEX()];
  y[INDEX() + 1] = x[n];
}
// CHECK: error: adjoints {{.*}} what parameter 2 leads to may be written at one place by two threads, or in two iterations
GRADIENT(both)

// A place that was looked up.
__device__ void scatter(const float *__restrict__ x, float *__restrict__ y, int n) {
  y[(int)x[INDEX() + n]] = x[INDEX()];
}
// CHECK: error: adjoints {{.*}} what parameter 2 leads to is written at an address that is not understood
GRADIENT(scatter)

// Rows of unknown length, which nothing holds the columns to.
__device__ void rows(const float *__restrict__ x, float *__restrict__ y, int n) {
  int row = INDEX() / 32, lane = THREAD() % 32;
  for (int i = lane; i < 64; i += 32)
    y[(size_t)row * n + i] = x[i] * x[row];
}
// CHECK: error: adjoints {{.*}} what parameter 2 leads to may be written at one place by two threads, or in two iterations
GRADIENT(rows)

// Two kernels' worth of threads: each has memory of its own.
__device__ void own(const float *__restrict__ x, float *__restrict__ y, int n) { y[THREAD()] = x[THREAD() * n]; }
// CHECK: error: adjoints {{.*}} what parameter 2 leads to is not the same memory for all threads
__global__ void ownGradient(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)own, enzyme_dup, x, dx, enzyme_seed, y + INDEX() % 7, dy + INDEX() % 7, enzyme_const, n);
}

__device__ void adds(const float *__restrict__ x, float *__restrict__ y, int n) { y[INDEX()] += x[n]; }
// CHECK: error: adjoints {{.*}} what parameter 2 leads to is read
GRADIENT(adds)
