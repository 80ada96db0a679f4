// Kernels that do not see blocks run all threads of many blocks as one loop; those that do see them, and grids
// and blocks of more dimensions, do not. -rg-disable=offload-collapse leaves blocks as they are.
// RUN: %rgcxx --offload=cpu -O1 %s -mllvm -rg-print-offload -c -o %t.o | FileCheck %s
// RUN: %rgcxx --offload=cpu -O1 %s -mllvm -rg-print-offload -mllvm -rg-disable=offload-collapse -c -o %t.o | FileCheck --check-prefix=BLOCKS %s
// RUN: %rgcxx --offload=cpu -O0 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -mllvm -rg-disable=offload-collapse %s -o %t && %t
#include <cuda_runtime.h>
#include <stdio.h>

// CHECK-LABEL: define {{.*}}axpy
// CHECK: icmp ule i64 {{.*}}, 2147483647
// BLOCKS-LABEL: define {{.*}}axpy
// BLOCKS-NOT: icmp ule i64 {{.*}}, 2147483647
__global__ void axpy(float A, const float *X, float *Y, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Y[I] += A * X[I];
}
// (The block runs such a loop together: LockStep.)
__global__ void strided(int *Y, size_t N) {
  for (size_t I = threadIdx.x + (size_t)blockIdx.x * blockDim.x; I < N; I += (size_t)gridDim.x * blockDim.x)
    Y[I] += (int)I;
}
// CHECK-LABEL: define {{.*}}seesBlocks
// CHECK-NOT: icmp ule i64 {{.*}}, 2147483647
__global__ void seesBlocks(int *Y) {
  Y[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
}
// CHECK-LABEL: define {{.*}}shares
// CHECK-NOT: icmp ule i64 {{.*}}, 2147483647
__global__ void shares(int *Y) {
  __shared__ int S[8];
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  S[threadIdx.x] = I;
  __syncthreads();
  Y[I] = S[7 - threadIdx.x];
}
// CHECK-LABEL: define {{.*}}inTwo
// CHECK-NOT: icmp ule i64 {{.*}}, 2147483647
__global__ void inTwo(int *Y, int W, int H) {
  int X = blockIdx.x * blockDim.x + threadIdx.x, Z = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < W && Z < H)
    Y[Z * W + X] = X - Z;
}
// Only x matters to the kernel; the launch has more.
// CHECK-LABEL: define {{.*}}counts
// CHECK: icmp ule i64 {{.*}}, 2147483647
__global__ void counts(int *Y) { atomicAdd(&Y[blockIdx.x * blockDim.x + threadIdx.x], 1); }
// The index wraps around, as CUDA's does, for launches of so many threads.
__global__ void wraps(unsigned *Y) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I == 5)
    atomicAdd(Y, 1);
}

static int Bad;
template <class T, class Fn> static void expect(const char *Name, const T *A, int N, Fn Want) {
  cudaDeviceSynchronize();
  for (int I = 0; I < N; ++I)
    if (A[I] != Want(I)) {
      printf("%s: wrong at %d\n", Name, I);
      ++Bad;
      return;
    }
}
int main() {
  float *X, *Y;
  int *Z;
  cudaMallocManaged(&X, 4096 * 4);
  cudaMallocManaged(&Y, 4096 * 4);
  cudaMallocManaged(&Z, 4096 * 4);
  for (int I = 0; I < 4096; ++I)
    X[I] = I, Y[I] = 1, Z[I] = 0;
  axpy<<<50, 33>>>(2, X, Y, 1500);
  expect("axpy", Y, 1650, [](int I) { return I < 1500 ? 2.f * I + 1 : 1.f; });
  strided<<<7, 40>>>(Z, 4000);
  expect("strided", Z, 4096, [](int I) { return I < 4000 ? I : 0; });
  seesBlocks<<<40, 100>>>(Z);
  expect("seesBlocks", Z, 4000, [](int I) { return I / 100; });
  shares<<<500, 8>>>(Z);
  expect("shares", Z, 4000, [](int I) { return I / 8 * 8 + 7 - I % 8; });
  inTwo<<<dim3(5, 9), dim3(16, 4)>>>(Z, 70, 33);
  expect("inTwo", Z, 70 * 33, [](int I) { return I % 70 - I / 70; });
  for (int I = 0; I < 4096; ++I)
    Z[I] = 0;
  counts<<<dim3(10, 3), dim3(20, 2)>>>(Z);
  expect("counts", Z, 4096, [](int I) { return I < 200 ? 6 : 0; });
  for (int I = 0; I < 4096; ++I)
    Z[I] = 0;
  counts<<<100, 40>>>(Z);
  expect("counts", Z, 4096, [](int I) { return I < 4000 ? 1 : 0; });
  Z[0] = 0;
  wraps<<<(1u << 22) + 1, 1024>>>((unsigned *)Z);
  expect("wraps", Z, 1, [](int) { return 2; });
  return Bad;
}
