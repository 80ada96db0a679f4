// RUN: %rgcxx --offload=cpu -O1 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 %s -o %t && %t
// Sums of int that are compared as wider numbers. The extensions become sums of 64 bits in the regions; the
// bounds of the loops over threads are computed from the guards all the same.
#include <cstdio>
#include <cuda_runtime.h>

template <typename T> __global__ void whole(T n, float *a) {
  int bx = blockIdx.x, tx = threadIdx.x, i = bx * 512 + tx;
  if (i < n)
    a[i] = a[i] * 2;
}
template <typename T> __global__ void early(T n, float *a) {
  int i = int(blockIdx.x) * 512 + int(threadIdx.x);
  if (!(n > i))
    return;
  a[i] = a[i] * 2;
}
template <typename T> __global__ void inner(T n, float *a) {
  int bx = blockIdx.x, tx = threadIdx.x, i = bx * 512 + tx;
  if (i - 1 >= T(0) && i + 1 < n)
    a[i] = a[i] * 2;
}
template <typename T> __global__ void plane(T n, float *a) {
  int bx = blockIdx.x, tx = threadIdx.x, ty = threadIdx.y, i = bx * 32 + tx, j = int(blockIdx.y) * 16 + ty;
  if (i < n && j < n / 8)
    a[j * 64 + i] = a[j * 64 + i] * 2;
}
template <typename T> __global__ void either(T n, float *a) {
  int bx = blockIdx.x, tx = threadIdx.x, i = bx * 512 + tx;
  if (i >= n && tx != 3)
    return;
  a[i] = a[i] * 2;
}

static int Wrong = 0;
template <typename Kernel, typename Want>
void check(const char *Name, Kernel Run, dim3 Grid, dim3 Block, Want Doubled) {
  float *A;
  cudaMallocManaged(&A, 2048 * sizeof(float));
  for (int I = 0; I < 2048; ++I)
    A[I] = I + 1;
  Run(Grid, Block, A);
  cudaDeviceSynchronize();
  for (int I = 0; I < 2048; ++I)
    if (A[I] != (I + 1) * (Doubled(I) ? 2 : 1))
      Wrong += !printf("%s: [%d] is %g\n", Name, I, A[I]) || 1;
  cudaFree(A);
}
template <typename T> void checkType() {
  for (T N : {T(0), T(1), T(7), T(60), T(513), T(1000)}) {
    long L = N;
    check("whole", [=](dim3 G, dim3 B, float *A) { whole<T><<<G, B>>>(N, A); }, 2, 512, [=](long I) { return I < L; });
    check("early", [=](dim3 G, dim3 B, float *A) { early<T><<<G, B>>>(N, A); }, 2, 512, [=](long I) { return I < L; });
    check("inner", [=](dim3 G, dim3 B, float *A) { inner<T><<<G, B>>>(N, A); }, 2, 512, [=](long I) {
      // As unsigned numbers no difference is below 0.
      return I < 1024 && (I >= 1 || (sizeof(T) >= 4 && T(-1) > T(0))) && I + 1 < L;
    });
    if (L < 100)
      check("plane", [=](dim3 G, dim3 B, float *A) { plane<T><<<G, B>>>(N, A); }, dim3(2, 2), dim3(32, 16),
            [=](long I) { return I % 64 < L && I / 64 < L / 8; });
    check("either", [=](dim3 G, dim3 B, float *A) { either<T><<<G, B>>>(N, A); }, 2, 512,
          [=](long I) { return I < 1024 && (I < L || I % 512 == 3); });
  }
}
int main() {
  checkType<int>();
  checkType<unsigned>();
  checkType<long>();
  checkType<unsigned long>();
  checkType<long long>();
  checkType<short>();
  return Wrong != 0;
}
