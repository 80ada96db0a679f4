// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Arithmetic of __half, __half2, __nv_bfloat16 and __nv_bfloat162, by operators and by intrinsics,
// which CUDA's headers write as inline PTX; numbers in memory, in shared memory and on their way
// between lanes. Each gradient is that of the same kernel in single precision, to the precision of
// the type. compile.test translates this against CUDA's own headers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "rgcuda.h"

__device__ float asFloat(float a) { return a; }
__device__ float asFloat(__half a) { return __half2float(a); }
__device__ float asFloat(__nv_bfloat16 a) { return __bfloat162float(a); }
template <class T> __device__ T number(float a);
template <> __device__ float number(float a) { return a; }
template <> __device__ __half number(float a) { return __float2half(a); }
template <> __device__ __nv_bfloat16 number(float a) { return __float2bfloat16(a); }

__device__ float fused(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __half fused(__half a, __half b, __half c) { return __hfma(a, b, c); }
__device__ __nv_bfloat16 fused(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __hfma(a, b, c); }
__device__ float greater(float a, float b) { return fmaxf(a, b); }
__device__ __half greater(__half a, __half b) { return __hmax(a, b); }
__device__ __nv_bfloat16 greater(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmax(a, b); }
__device__ float elementary(float a) { return expf(a) + sqrtf(a) * logf(a); }
__device__ __half elementary(__half a) { return hexp(a) + hsqrt(a) * hlog(a); }
__device__ __nv_bfloat16 elementary(__nv_bfloat16 a) { return hexp(a) + hsqrt(a) * hlog(a); }

// Operators, intrinsics, comparisons, mathematics.
template <class T> __device__ void scalars(const float *x, float *y, int n) {
  int i = threadIdx.x;
  T a = number<T>(x[i]), b = number<T>(x[(i + 1) % n]);
  T c = a * b + a;
  c -= b / (a + number<T>(1.0f));
  c = fused(c, b, -a);
  if (c > number<T>(0.5f))
    c *= a;
  y[i] = asFloat(c) + asFloat(elementary(greater(a, b * number<T>(3.0f))));
}
// A tile in shared memory, a loop that carries a number, lanes that exchange it.
template <class T> __device__ void together(const float *x, float *y, int n) {
  __shared__ T tile[32];
  int i = threadIdx.x;
  tile[i] = number<T>(x[i]);
  __syncthreads();
  T sum = number<T>(0.0f);
  for (int k = 0; k < 4; ++k)
    sum = fused(tile[(i + k) % 32], tile[(i + 2 * k) % 32], sum);
  sum = sum + __shfl_xor_sync(0xffffffffu, sum * tile[i], 1);
  sum = sum + __shfl_down_sync(0xffffffffu, sum, 4);
  y[i] = asFloat(sum);
}
__device__ void pairs(const float *x, float *y, int n, float) {
  int i = threadIdx.x;
  float a0 = x[2 * i], a1 = x[2 * i + 1];
  y[2 * i] = (a0 * a0 + a0) * a1 - a1 * 0.5f;
  y[2 * i + 1] = a1 * a0 + a0 * 0.5f + a1;
}
__device__ void pairs(const float *x, float *y, int n, __half) {
  int i = threadIdx.x;
  __half2 a = __floats2half2_rn(x[2 * i], x[2 * i + 1]), low = __low2half2(a), high = __half2half2(__high2half(a));
  __half2 r = __halves2half2(__hfma(a.x, a.x, a.x) * a.y - a.y * __float2half(0.5f), __low2half(__hmul2(low, high)));
  r = __hadd2(r, __hmul2(__halves2half2(__float2half(0.0f), a.x), __float2half2_rn(0.5f)));
  r = r + __halves2half2(__float2half(0.0f), a.y);
  float2 f = __half22float2(r);
  y[2 * i] = f.x;
  y[2 * i + 1] = f.y;
}
__device__ void pairs(const float *x, float *y, int n, __nv_bfloat16) {
  int i = threadIdx.x;
  __nv_bfloat162 a = __floats2bfloat162_rn(x[2 * i], x[2 * i + 1]), b = __bfloat162bfloat162(a.x);
  __nv_bfloat162 r = __hmul2(a, b); // a0 a0, a1 a0
  y[2 * i] = __bfloat162float((r.x + a.x) * a.y - a.y * __float2bfloat16(0.5f));
  y[2 * i + 1] = __high2float(r) + __low2float(__hmul2(b, __float2bfloat162_rn(0.5f))) + __high2float(a);
}
template <class T> __device__ void pairsOf(const float *x, float *y, int n) { pairs(x, y, n, T()); }

// What several lanes add to.
template <class T> __device__ void added(const float *x, float *y, int n) {
  __shared__ T bins[4];
  int i = threadIdx.x;
  if (i < 4)
    bins[i] = number<T>(0.0f);
  __syncthreads();
  atomicAdd(&bins[i % 4], number<T>(x[i] * 0.125f) * number<T>(x[i]));
  __syncthreads();
  y[i] = asFloat(bins[i % 4]) * x[i];
}

// Arrays of T, and their shadows.
template <class T> __device__ void inMemory(const T *x, T *y, int n) {
  int i = threadIdx.x;
  T s = x[i];
  for (int k = 0; k < 3; ++k)
    s = s * x[(i + k) % n] + x[i];
  y[i] = s;
}

template <class T, void (*F)(const T *, T *, int)>
__global__ void gradient(const T *x, T *dx, T *y, T *dy, int n) {
  __enzyme_autodiff<void>((void *)F, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
template <class T, void (*F)(const T *, T *, int)>
__global__ void tangent(const T *x, T *dx, T *y, T *dy, int n) {
  __enzyme_fwddiff<void>((void *)F, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}

template <class T> std::vector<T> numbers(const std::vector<float> &V) {
  std::vector<T> R;
  for (float F : V)
    R.push_back(T(F));
  return R;
}
template <class T, void (*F)(const T *, T *, int)>
std::vector<float> gradientOf(const std::vector<float> &X, const std::vector<float> &W, int Threads, double Tolerance) {
  int n = X.size();
  rg::Buffer<T> x(n), dx(n), y(n), dy(n);
  x.set(numbers<T>(X)), dx.set(numbers<T>(std::vector<float>(n))), y.set(numbers<T>(W)), dy.set(numbers<T>(W));
  gradient<T, F><<<1, Threads>>>(x.P, dx.P, y.P, dy.P, n);
  rg::must(cudaDeviceSynchronize(), "gradient");
  std::vector<float> G;
  for (T V : dx.get())
    G.push_back(float(V));
  // Forward mode along W.
  dx.set(numbers<T>(W)), dy.set(numbers<T>(std::vector<float>(n)));
  tangent<T, F><<<1, Threads>>>(x.P, dx.P, y.P, dy.P, n);
  rg::must(cudaDeviceSynchronize(), "tangent");
  double Forward = 0, Reverse = 0, Size = 1;
  std::vector<T> DY = dy.get();
  for (int I = 0; I < n; ++I) {
    Forward += double(float(DY[I])) * W[I];
    Reverse += double(G[I]) * W[I];
    Size += std::fabs(G[I] * W[I]);
  }
  if (!(std::fabs(Forward - Reverse) < Tolerance * Size))
    printf("forward %g, reverse %g\n", Forward, Reverse), exit(1);
  return G;
}

template <class T, void (*Narrow)(const T *, T *, int), void (*Single)(const float *, float *, int)>
int compare(const char *Name, int n, int Threads, double Tolerance) {
  std::vector<float> X, W;
  for (int I = 0; I < n; ++I) { // numbers of both types
    X.push_back(0.5f + (I * 7 % 32) / 32.0f);
    W.push_back((I * 5 % 16) / 16.0f - 0.25f);
  }
  std::vector<float> Got = gradientOf<T, Narrow>(X, W, Threads, Tolerance), Want = gradientOf<float, Single>(X, W, Threads, 1e-5);
  double Largest = 0, Worst = 0;
  for (float V : Want)
    Largest = std::fmax(Largest, std::fabs(V));
  for (int I = 0; I < n; ++I)
    if (double E = std::fabs(Got[I] - Want[I]) / Largest; !(E <= Worst))
      Worst = E;
  bool Bad = !(Worst < Tolerance) || Largest < 0.1;
  printf("%s: %.1e%s\n", Name, Worst, Bad ? " WRONG" : "");
  return Bad;
}

int main() {
  const double OfHalf = 0.01, OfBfloat = 0.06;
  int Bad = 0;
  Bad |= compare<float, scalars<__half>, scalars<float>>("half", 32, 32, OfHalf);
  Bad |= compare<float, scalars<__nv_bfloat16>, scalars<float>>("bfloat16", 32, 32, OfBfloat);
  Bad |= compare<float, together<__half>, together<float>>("half, together", 32, 32, OfHalf);
  Bad |= compare<float, together<__nv_bfloat16>, together<float>>("bfloat16, together", 32, 32, OfBfloat);
  Bad |= compare<float, pairsOf<__half>, pairsOf<float>>("half2", 64, 32, OfHalf);
  Bad |= compare<float, pairsOf<__nv_bfloat16>, pairsOf<float>>("bfloat162", 64, 32, OfBfloat);
  Bad |= compare<float, added<__half>, added<float>>("half, added", 32, 32, OfHalf);
  Bad |= compare<float, added<__nv_bfloat16>, added<float>>("bfloat16, added", 32, 32, OfBfloat);
  Bad |= compare<__half, inMemory<__half>, inMemory<float>>("arrays of half", 32, 32, OfHalf);
  Bad |= compare<__nv_bfloat16, inMemory<__nv_bfloat16>, inMemory<float>>("arrays of bfloat16", 32, 32, OfBfloat);
  return Bad;
}
