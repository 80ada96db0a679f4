// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ in kernels: templates, device lambdas, function pointers, virtual functions,
// recursion, classes by value, namespaces, static and extern "C" kernels, arrays of a
// thread that outlive barriers, shared memory of called functions, vector types, math.
// RG-LEVELS: O0 O2 O3
// RG-PLANS: mincut
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <cuda_runtime.h>
#include <math_constants.h>

template <class T, int Scale> __global__ void templated(T *X) { X[threadIdx.x] = T(Scale) * threadIdx.x; }

template <class F> __global__ void apply(F Function, double *X) { X[threadIdx.x] = Function(threadIdx.x); }

__device__ double twice(double V) { return 2 * V; }
__device__ double squared(double V) { return V * V; }
typedef double (*Function)(double);
__device__ Function Functions[] = {twice, squared};
__global__ void pointers(double *X) { X[threadIdx.x] = Functions[threadIdx.x % 2](threadIdx.x); }

// Called through a pointer, and asks who runs it.
__device__ int whoAmI(int Add) { return blockIdx.x * 1000 + threadIdx.x + Add; }
__device__ int (*Who)(int) = whoAmI;
__global__ void identity(int *X) { X[blockIdx.x * blockDim.x + threadIdx.x] = Who(5); }

__device__ int ackermann(int M, int N) {
  return M == 0 ? N + 1 : N == 0 ? ackermann(M - 1, 1) : ackermann(M - 1, ackermann(M, N - 1));
}
__device__ int sumOfIds(int N) { return N ? threadIdx.x + sumOfIds(N - 1) : 0; }
__global__ void recursive(int *X) { X[threadIdx.x] = ackermann(2, threadIdx.x) + sumOfIds(3) * 1000; }

struct Shape {
  __device__ virtual double area() const = 0;
};
struct Square : Shape {
  double A;
  __device__ Square(double A) : A(A) {}
  __device__ double area() const override { return A * A; }
};
struct Circle : Shape {
  double R;
  __device__ Circle(double R) : R(R) {}
  __device__ double area() const override { return CUDART_PI * R * R; }
};
__global__ void virtuals(double *X) {
  Square S(threadIdx.x);
  Circle C(threadIdx.x);
  const Shape *P = threadIdx.x % 2 ? (const Shape *)&C : &S;
  X[threadIdx.x] = P->area();
}

namespace inner {
static __global__ void hidden(int *X) { X[threadIdx.x] += 7; }
} // namespace inner
extern "C" __global__ void plain(int *X) { X[threadIdx.x] *= 2; }

// A thread's own array, written before a barrier and read behind it; dynamic indices.
__global__ void ownArray(const int *In, int *Out, int N) {
  __shared__ int S[32];
  int Own[8], T = threadIdx.x;
  for (int I = 0; I < 8; ++I)
    Own[I] = In[T] * I;
  S[T] = In[T] % 8;
  __syncthreads();
  int Pick = S[(T + 1) % 32];
  Own[Pick] += 100;
  __syncthreads();
  int Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += Own[I];
  Out[T] = Sum;
}

// Shared memory in a function that is not inlined, since it calls itself.
__device__ int counted(int N) {
  __shared__ int Count[64];
  if (N == 0) {
    Count[threadIdx.x] = threadIdx.x;
    return Count[threadIdx.x];
  }
  int R = counted(N - 1);
  Count[threadIdx.x] += N;
  return R + Count[threadIdx.x];
}
__global__ void sharedElsewhere(int *Out) { Out[threadIdx.x] = counted(3); }

// Where a generic pointer leads.
__device__ __attribute__((noinline)) int spaceOf(const void *P) { return __isShared(P) + 2 * __isLocal(P) + 4 * __isGlobal(P); }
__global__ void spaces(int *Out, int *Mine) {
  __shared__ int S[4];
  extern __shared__ int D[];
  int Own[4];
  Own[Out[0] & 3] = 1;
  Out[0] = spaceOf(S + 3);
  Out[1] = spaceOf(D + 3);
  Out[2] = spaceOf(Own + (Out[1] & 3));
  Out[3] = spaceOf(Mine);
  Out[4] = (int)__funnelshift_l(0x80000001u, 3, 33); // by 1
  Out[5] = (int)__funnelshift_rc(6, 7, 40);          // by 32
}

__global__ void vectors(const float4 *In, float4 *Out) {
  float4 V = In[threadIdx.x];
  Out[threadIdx.x] = make_float4(V.w, V.z, V.y + 1, V.x);
}

__global__ void math(double *X) {
  double V = 0.1 + threadIdx.x * 0.05;
  X[threadIdx.x] = normcdfinv(V / 4) + erfcinv(V) + erfinv(V / 2) + erfcx(V) + sinpi(V) + cospi(V) + rcbrt(V) +
                   cyl_bessel_i0(V) + __fmaf_rn(2.0f, 3.0f, 1.0f) + __int_as_float(__float_as_int(1.5f)) +
                   __popc(255) + __clz(1) + __ffs(8) + min(3, 4) + max(2.5, 1.0) + fma(V, V, V) + __brev(1) * 0x1p-31;
}

static double bisect(double (*F)(double), double Want, double Low, double High) {
  for (int I = 0; I < 200; ++I) {
    double Middle = (Low + High) / 2;
    ((F(Middle) < Want) == (F(Low) < F(High)) ? Low : High) = Middle;
  }
  return Low;
}

int main() {
  double *X, Offset = 0.5;
  int *A, *B;
  cudaMallocManaged(&X, 64 * sizeof(double));
  cudaMallocManaged(&A, 64 * sizeof(int));
  cudaMallocManaged(&B, 64 * sizeof(int));

  templated<double, 3><<<1, 64>>>(X);
  templated<int, -2><<<1, 64>>>(A);
  for (int I = 0; I < 64; ++I) {
    RG_NEAR(X[I], 3 * I);
    RG_NEAR(A[I], -2 * I);
  }
  apply<<<1, 64>>>([=] __device__(int I) { return I * 0.25 + Offset; }, X);
  for (int I = 0; I < 64; ++I)
    RG_NEAR(X[I], I * 0.25 + 0.5);
  pointers<<<1, 64>>>(X);
  for (int I = 0; I < 64; ++I)
    RG_NEAR(X[I], I % 2 ? I * I : 2 * I);
  identity<<<2, 32>>>(A);
  for (int I = 0; I < 64; ++I)
    RG_NEAR(A[I], I / 32 * 1000 + I % 32 + 5);
  recursive<<<1, 8>>>(A);
  for (int I = 0; I < 8; ++I)
    RG_NEAR(A[I], 2 * I + 3 + 3000 * I);
  virtuals<<<1, 16>>>(X);
  for (int I = 0; I < 16; ++I)
    RG_NEAR(X[I], I % 2 ? 3.14159265358979323846 * I * I : I * I);
  for (int I = 0; I < 32; ++I)
    A[I] = I;
  inner::hidden<<<1, 32>>>(A);
  plain<<<1, 32>>>(A);
  for (int I = 0; I < 32; ++I)
    RG_NEAR(A[I], 2 * (I + 7));
  ownArray<<<1, 32>>>(A, B, 8);
  for (int I = 0; I < 32; ++I)
    RG_NEAR(B[I], 28 * A[I] + 100);
  sharedElsewhere<<<1, 64>>>(A);
  for (int I = 0; I < 64; ++I)
    RG_NEAR(A[I], 4 * I + 1 + 3 + 6);
  spaces<<<1, 1, 16>>>(A, B);
  RG_NEAR(A[0], 1);
  RG_NEAR(A[1], 1);
  RG_NEAR(A[2], 2);
  RG_NEAR(A[3], 4);
  RG_NEAR(A[4], 7);
  RG_NEAR(A[5], 7);
  float4 *V, *W;
  cudaMallocManaged(&V, 16 * sizeof(float4));
  cudaMallocManaged(&W, 16 * sizeof(float4));
  for (int I = 0; I < 16; ++I)
    V[I] = make_float4(I, I + 1, I + 2, I + 3);
  vectors<<<1, 16>>>(V, W);
  for (int I = 0; I < 16; ++I)
    RG_TRUE(W[I].x == I + 3 && W[I].y == I + 2 && W[I].z == I + 2 && W[I].w == I);
  math<<<1, 16>>>(X);
  for (int I = 0; I < 16; ++I) {
    double T = 0.1 + I * 0.05, Bessel = 1, Term = 1;
    for (int K = 1; K < 20; ++K)
      Bessel += Term *= T * T / 4 / K / K;
    double Want = -1.41421356237309504880 * bisect(erfc, T / 2, -6, 6) + bisect(erfc, T, -6, 6) +
                  bisect(erf, T / 2, -6, 6) + exp(T * T) * erfc(T) + sin(3.14159265358979323846 * T) +
                  cos(3.14159265358979323846 * T) + 1 / cbrt(T) + Bessel + 7 + 1.5 + 8 + 31 + 4 + 3 + 2.5 +
                  (T * T + T) + 1;
    RG_WITHIN(X[I], Want, 1e-9);
  }
  RG_TRUE(cudaDeviceSynchronize() == cudaSuccess);
  return rgReport();
}
