// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Numbers whose bits lanes exchange as integers: doubles in two halves by CUDA's functions and through
// memory, floats, structs word by word; bits taken as another type; inline PTX, which is read.
#include "rgcuda.h"

// As one wrote it before shuffles of doubles existed.
__device__ double down(double v, int d) {
  int lo = __double2loint(v), hi = __double2hiint(v);
  lo = __shfl_down_sync(~0u, lo, d);
  hi = __shfl_down_sync(~0u, hi, d);
  return __hiloint2double(hi, lo);
}
__device__ double swap(double v) {
  int2 w = *reinterpret_cast<int2 *>(&v);
  w.y = __shfl_xor_sync(~0u, w.y, 3);
  w.x = __shfl_xor_sync(~0u, w.x, 3);
  return *reinterpret_cast<double *>(&w);
}
__device__ void halvesOfDoubles(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = x[i];
  for (int d = 16; d > 0; d /= 2)
    v += down(v * v * 0.25, d);
  y[i] = v + swap(sin(v)) * x[i];
}
// The halves come from memory and were never a double before.
__device__ void fromMemory(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int2 w = reinterpret_cast<const int2 *>(x)[i];
  y[i] = __hiloint2double(__shfl_sync(~0u, w.y, 5), __shfl_sync(~0u, w.x, 5)) * x[i];
}
// Word by word.
struct Body {
  double mass;
  float at[2];
  int kind;
};
__device__ Body other(const Body &b, int d) {
  Body r;
  for (unsigned k = 0; k < sizeof(Body) / 4; ++k)
    reinterpret_cast<int *>(&r)[k] = __shfl_xor_sync(~0u, reinterpret_cast<const int *>(&b)[k], d);
  return r;
}
__device__ void structs(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  Body b = {v * v, {v, v * 0.5f}, i % 3};
  Body o = other(b, 5);
  y[i] = float(b.mass * o.mass) + o.at[0] * b.at[1] * o.kind + o.at[1];
}
__device__ void bits(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = __float_as_int(x[i] * x[i]);
  v = __shfl_xor_sync(~0u, v, 1);
  unsigned u = __float_as_uint(x[i]) ^ 0x80000000u; // the sign
  y[i] = __int_as_float(v) * x[i] + __uint_as_float(u) * __longlong_as_double(__double_as_longlong(x[i]));
}
// Statements with registers of their own, predicates, special registers, vectors, memory.
__device__ void assembly(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a, b, c;
  unsigned lane;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(a) : "l"(x + i));
  asm("{ .reg .f32 t; .reg .pred p;\n"
      "  mul.rn.f32 t, %1, %1; // squared\n"
      "  setp.gt.f32 p, %1, 0f3F800000;\n"
      "  @p fma.rn.f32 t, t, %1, 0f3F000000;\n"
      "  mov.f32 %0, t; }"
      : "=f"(b) : "f"(a));
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("{ .reg .b64 w; mov.b64 w, {%1, %2}; mov.b64 {%0, _}, w; }" : "=f"(c) : "f"(b), "f"(a));
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(a) : "f"(a));
  int odd;
  asm("lop3.b32 %0, %1, 1, 0, 0xc0;" : "=r"(odd) : "r"(lane)); // lane & 1
  y[i] = c * (odd ? 2.0f : 1.0f) + a;
}

// Integers beside active numbers, in atomics: no bits of numbers.
struct Node {
  double weight;
  int key;
};
__device__ void keys(const Node *x, double *y) {
  __shared__ int most, least;
  __shared__ unsigned count[4];
  __shared__ struct {
    int sum;
    double scale;
  } mixed;
  int t = threadIdx.x;
  if (t == 0)
    most = 0, least = 1000, mixed.sum = 0, mixed.scale = 2;
  if (t < 4)
    count[t] = 0;
  __syncthreads();
  atomicMax(&most, x[t].key);
  atomicMin(&least, x[t].key);
  atomicAdd(&count[x[t].key & 3], 1u);
  atomicAdd(&mixed.sum, x[t].key);
  __syncthreads();
  double w = x[t].weight;
  y[t] = w * w * (most - least) + count[t & 3] * w + mixed.sum * mixed.scale * w;
}
__global__ void gradientOfKeys(const Node *x, Node *dx, double *y, double *dy) {
  __enzyme_autodiff<void>((void *)keys, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
static int checkKeys() {
  const int n = 32;
  std::vector<Node> X(n), Zero(n);
  int Sum = 0, Count[4] = {};
  for (int I = 0; I < n; ++I) {
    X[I] = {0.1 * I + 0.3, I * 7 % 29};
    Sum += X[I].key, ++Count[X[I].key & 3];
  }
  rg::Buffer<Node> x(n), dx(n);
  rg::Buffer<double> y(n), dy(n);
  x.set(X), dx.set(Zero), y.set(std::vector<double>(n)), dy.set(std::vector<double>(n, 1.0));
  gradientOfKeys<<<1, n>>>(x.P, dx.P, y.P, dy.P);
  rg::must(cudaDeviceSynchronize(), "gradient");
  std::vector<Node> Got = dx.get();
  int Bad = 0;
  for (int I = 0; I < n; ++I) {
    double Want = 2 * X[I].weight * 28 + Count[I & 3] + 2.0 * Sum;
    if (!(std::fabs(Got[I].weight - Want) < 1e-9 * Want))
      ++Bad, printf("keys[%d]: %.12g and not %.12g\n", I, Got[I].weight, Want);
  }
  return Bad != 0;
}

int main() {
  int Bad = rg::checkKernel<double, halvesOfDoubles>("halves of doubles", 64, 64, 2, 32);
  Bad |= rg::checkKernel<double, fromMemory>("halves from memory", 32, 32, 1, 32);
  Bad |= rg::checkKernel<float, structs>("structs", 32, 32, 1, 32);
  Bad |= rg::checkKernel<float, bits>("bits", 32, 32, 1, 32);
  Bad |= rg::checkKernel<float, assembly>("assembly", 64, 64, 2, 32, 0, 1.05, 1.5);
  Bad |= rg::checkKernel<float, assembly>("assembly, the other way", 64, 64, 2, 32, 0, 0.5, 0.95);
  return Bad | checkKeys();
}
