// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-disable=gpu-tape-in-place %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include %s -o %t && not %t wrong 2>&1 | FileCheck --check-prefix=WRONG %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -DIR %s -o - | FileCheck --check-prefix=IR %s
// Tapes of split mode that lie in the program's memory: by value, in memory, too large for it, with
// an adjoint of the result, and swept by a kernel that is launched later.
#ifdef IR
#include "rgdevice.h"
#define HERE INDEX()
#else
#include "rgcuda.h"
#define HERE (threadIdx.x + blockIdx.x * blockDim.x)
#endif
template <int N> struct Bytes { char X[N]; };
extern __device__ int enzyme_allocated, enzyme_tape;

template <int N> __device__ Bytes<N> __enzyme_augmentfwd(void *, int, size_t, int, float *, float *, int, float *, float *);
template <int N>
__device__ void __enzyme_reverse(void *, int, size_t, int, float *, float *, int, float *, float *, Bytes<N>);

// Keeps one number.
__device__ void choose(float *x, float *y) {
  int i = HERE;
  float a = x[i];
  x[i] = 0;
  y[i] = a > 1 ? a * a * a : 1 / a + a;
}
// IR-LABEL: define {{.*}}forward
// IR-NOT: {{call .*@(rg_|malloc)}}
// IR: ret void
// IR-LABEL: define {{.*}}backward
// IR-NOT: {{call .*@(rg_split_end|free)}}
// IR: load float, {{.*}} align 1
// IR-NOT: {{call .*@(rg_split_end|free)}}
// IR: ret void
template <int N> __global__ void forward(float *x, float *dx, float *y, float *dy, Bytes<N> *Tapes) {
  Tapes[HERE] = __enzyme_augmentfwd<N>(
      (void *)choose, enzyme_allocated, sizeof(Bytes<N>), enzyme_dup, x, dx, enzyme_dup, y, dy);
}
template <int N> __global__ void backward(float *x, float *dx, float *y, float *dy, Bytes<N> *Tapes) {
  __enzyme_reverse<N>((void *)choose, enzyme_allocated, sizeof(Bytes<N>), enzyme_dup, x, dx, enzyme_dup, y, dy,
                      Tapes[HERE]);
}
#ifdef IR
template __global__ void forward<20>(float *, float *, float *, float *, Bytes<20> *);
template __global__ void backward<20>(float *, float *, float *, float *, Bytes<20> *);
#else

// In memory, at any alignment, with an active result; a loop's tape does not fit.
__device__ void __enzyme_augmentfwd(void *, int, size_t, int, char *, int, double *, double *, double);
__device__ double __enzyme_reverse(void *, int, size_t, int, char *, int, double *, double *, double, double);
__device__ double product(double *x, double f) {
  int i = threadIdx.x;
  double a = x[i] * f;
  x[i] = sin(a);
  return a * a;
}
__device__ double powers(double *x, double f) {
  int i = threadIdx.x;
  double s = 0;
  for (int k = 0; k < 7 + i; ++k) {
    s += x[i] * x[i] * f;
    x[i] = sin(x[i]) + f;
  }
  return s;
}
template <double (*F)(double *, double)>
__global__ void halves(double *x, double *dx, double *df, char *Memory, int Each, bool Wrong) {
  char *Mine = Memory + threadIdx.x * Each + 1;
  __enzyme_augmentfwd((void *)F, enzyme_allocated, 40, enzyme_tape, Mine, enzyme_dup, x, dx, 1.25);
  x[threadIdx.x] = 99;
  if (Wrong)
    for (int k = 0; k < 40; ++k)
      Mine[k] += 1;
  df[threadIdx.x] = __enzyme_reverse((void *)F, enzyme_allocated, 40, enzyme_tape, Mine, enzyme_dup, x, dx, 1.25, 0.5);
}

static int wrong(const char *What, int i, double Got, double Want, double Eps) {
  if (fabs(Got - Want) <= Eps * (1 + fabs(Want)))
    return 0;
  printf("%s[%d]: %.10g and not %.10g\n", What, i, Got, Want);
  return 1;
}

template <int N> static int byValue(const char *What) {
  const int n = 48;
  rg::Buffer<float> x(n), dx(n), y(n), dy(n);
  std::vector<float> X(n), W(n), Zero(n, 0.f);
  for (int i = 0; i < n; ++i)
    X[i] = 0.5f + 0.03f * i, W[i] = cosf(i);
  x.set(X), dx.set(Zero), y.set(Zero), dy.set(W);
  Bytes<N> *Tapes, *Moved;
  cudaMalloc(&Tapes, n * sizeof *Tapes), cudaMalloc(&Moved, n * sizeof *Tapes);
  forward<N><<<3, 16>>>(x.P, dx.P, y.P, dy.P, Tapes);
  cudaMemcpy(Moved, Tapes, n * sizeof *Tapes, cudaMemcpyDeviceToDevice);
  x.set(Zero);
  backward<N><<<3, 16>>>(x.P, dx.P, y.P, dy.P, Moved);
  rg::must(cudaDeviceSynchronize(), What);
  cudaFree(Tapes), cudaFree(Moved);
  int Bad = 0;
  std::vector<float> D = dx.get();
  auto F = [](double a) { return a > 1 ? a * a * a : 1 / a + a; };
  for (int i = 0; i < n; ++i)
    Bad += wrong(What, i, D[i], W[i] * (F(X[i] + 1e-4) - F(X[i] - 1e-4)) / 2e-4, 1e-4);
  return Bad;
}

template <double (*F)(double *, double), typename Value> static int inMemory(const char *What, bool Wrong, Value Of) {
  const int n = 5;
  rg::Buffer<double> x(n), dx(n), df(n);
  std::vector<double> X(n), W(n);
  for (int i = 0; i < n; ++i)
    X[i] = 0.3 + 0.2 * i, W[i] = 1 - 0.3 * i;
  x.set(X), dx.set(W), df.set(W);
  char *Memory;
  cudaMalloc(&Memory, n * 48);
  halves<F><<<1, n>>>(x.P, dx.P, df.P, Memory, 48, Wrong);
  rg::must(cudaDeviceSynchronize(), What);
  cudaFree(Memory);
  int Bad = 0;
  std::vector<double> D = dx.get(), Df = df.get();
  for (int i = 0; i < n; ++i) {
    // Of w x_after + 0.5 result.
    auto At = [&](double a, double f) {
      double b = a, Result = Of(i, b, f);
      return W[i] * b + 0.5 * Result;
    };
    Bad += wrong(What, i, D[i], (At(X[i] + 1e-5, 1.25) - At(X[i] - 1e-5, 1.25)) / 2e-5, 1e-7);
    Bad += wrong(What, i, Df[i], (At(X[i], 1.25 + 1e-5) - At(X[i], 1.25 - 1e-5)) / 2e-5, 1e-7);
  }
  return Bad;
}

int main(int Argc, char **) {
  auto Product = [](int, double &x, double f) {
    double a = x * f;
    x = sin(a);
    return a * a;
  };
  auto Powers = [](int i, double &x, double f) {
    double s = 0;
    for (int k = 0; k < 7 + i; ++k)
      s += x * x * f, x = sin(x) + f;
    return s;
  };
  // WRONG: the reverse sweep of '{{.*}}product{{.*}}' was given a tape that it cannot read
  int Bad = inMemory<product>("product", Argc > 1, Product);
  Bad += inMemory<powers>("powers", false, Powers);
  return Bad + byValue<20>("20 bytes") + byValue<9>("9 bytes") + byValue<8>("8 bytes") + byValue<64>("64 bytes");
}
#endif
