// Checks gradients of kernels, on the device that the program is compiled for.
//
//   __device__ void f(const T *x, T *y, int n);     // n: numbers in x
//   int main() { return rg::checkKernel<T, f>("f", n, m, blocks, threads); }
//
// y has m numbers, and the loss is a fixed weighted sum of them. The reverse gradient
// is compared with forward mode and with central differences of the loss, along single
// inputs and along random directions; a kernel that is launched twice must add to the
// shadows of the inputs.
#ifndef RGCUDA_H
#define RGCUDA_H
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <typename R, typename... A> __device__ R __enzyme_autodiff(void *, A...);
template <typename R, typename... A> __device__ R __enzyme_fwddiff(void *, A...);
extern __device__ int enzyme_dup, enzyme_const, enzyme_out, enzyme_dupnoneed;

namespace rg {
template <typename T, void (*F)(const T *, T *, int)>
__global__ void primalKernel(const T *x, T *y, int n) {
  F(x, y, n);
}
template <typename T, void (*F)(const T *, T *, int)>
__global__ void gradientKernel(const T *x, T *dx, T *y, T *dy, int n) {
  __enzyme_autodiff<void>((void *)F, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
template <typename T, void (*F)(const T *, T *, int)>
__global__ void tangentKernel(const T *x, const T *dx, T *y, T *dy, int n) {
  __enzyme_fwddiff<void>((void *)F, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}

inline void must(cudaError_t E, const char *What) {
  if (E == cudaSuccess)
    return;
  printf("%s: %s\n", What, cudaGetErrorString(E));
  exit(1);
}

template <typename T> struct Buffer {
  T *P = nullptr;
  size_t N;
  explicit Buffer(size_t N) : N(N) { must(cudaMalloc((void **)&P, N * sizeof(T)), "cudaMalloc"); }
  ~Buffer() { cudaFree(P); }
  void set(const std::vector<T> &V) {
    must(cudaMemcpy(P, V.data(), N * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
  }
  std::vector<T> get() const {
    std::vector<T> V(N);
    must(cudaMemcpy(V.data(), P, N * sizeof(T), cudaMemcpyDeviceToHost), "copy from the device");
    return V;
  }
};

inline unsigned &seed() {
  static unsigned S = 12345;
  return S;
}
inline double uniform(double Low, double High) {
  seed() = seed() * 1664525u + 1013904223u;
  return Low + (High - Low) * (seed() >> 8) / double(1 << 24);
}

template <typename T, void (*F)(const T *, T *, int)>
int checkKernel(const char *Name, int n, int m, dim3 Blocks, dim3 Threads, size_t Shared = 0,
                double Low = 0.5, double High = 1.5) {
  bool Single = sizeof(T) == 4;
  double H = Single ? 2e-3 : 1e-5, Tolerance = Single ? 5e-3 : 2e-7;
  std::vector<T> X(n), W(m), Y(m), Zero(n, T(0)), ZeroY(m, T(0));
  for (T &V : X)
    V = T(uniform(Low, High));
  for (T &V : W)
    V = T(uniform(-1, 1));
  Buffer<T> x(n), dx(n), y(m), dy(m);
  auto Run = [&](const char *What) {
    must(cudaGetLastError(), What);
    must(cudaDeviceSynchronize(), What);
  };
  auto Loss = [&](const std::vector<T> &At) {
    x.set(At);
    y.set(ZeroY);
    primalKernel<T, F><<<Blocks, Threads, Shared>>>(x.P, y.P, n);
    Run("primal kernel");
    Y = y.get();
    double L = 0;
    for (int I = 0; I < m; ++I)
      L += double(W[I]) * double(Y[I]);
    return L;
  };
  Loss(X);
  std::vector<T> Plain = Y;
  x.set(X), dx.set(Zero), y.set(ZeroY), dy.set(W);
  gradientKernel<T, F><<<Blocks, Threads, Shared>>>(x.P, dx.P, y.P, dy.P, n);
  Run("gradient kernel");
  std::vector<T> G = dx.get(), YG = y.get(), Left = dy.get();
  y.set(ZeroY), dy.set(W);
  gradientKernel<T, F><<<Blocks, Threads, Shared>>>(x.P, dx.P, y.P, dy.P, n);
  Run("second gradient kernel");
  std::vector<T> Twice = dx.get();
  int Bad = 0;
  double Norm = 1e-3;
  for (T V : G)
    Norm = std::fmax(Norm, std::fabs(double(V)));
  for (int I = 0; I < m && Bad < 5; ++I) {
    if (std::fabs(double(YG[I]) - double(Plain[I])) > (Single ? 1e-4 : 1e-10) * (1 + std::fabs(double(Plain[I]))))
      ++Bad, printf("%s: the gradient kernel computes y[%d] = %.9g and not %.9g\n", Name, I,
                    double(YG[I]), double(Plain[I]));
    // Zero where y was overwritten, untouched where the kernel adds to it or does not write.
    if (double(Left[I]) != 0 && double(Left[I]) != double(W[I]))
      ++Bad, printf("%s: dy[%d] = %g is left\n", Name, I, double(Left[I]));
  }
  for (int I = 0; I < n && Bad < 5; ++I)
    if (!(std::fabs(double(Twice[I]) - 2 * double(G[I])) <= (Single ? 1e-4 : 1e-9) * Norm))
      ++Bad, printf("%s: dx[%d] = %.9g after one launch, %.9g after two\n", Name, I, double(G[I]),
                    double(Twice[I]));
  // Single inputs, then directions.
  double Worst = 0, WorstForward = 0;
  int Singles = n < 8 ? n : 8;
  for (int K = 0; K < Singles + 4 && Bad < 5; ++K) {
    std::vector<T> V(n, T(0)), Up(X), Down(X);
    if (K < Singles)
      V[n <= 8 ? K : int(uniform(0, n - 0.01))] = T(1);
    else
      for (T &E : V)
        E = T(uniform(-1, 1));
    double Dot = 0, Length = 0;
    for (int I = 0; I < n; ++I) {
      Up[I] = T(double(X[I]) + H * double(V[I]));
      Down[I] = T(double(X[I]) - H * double(V[I]));
      Dot += double(G[I]) * double(V[I]);
      Length += std::fabs(double(G[I]) * double(V[I]));
    }
    double Difference = (Loss(Up) - Loss(Down)) / (2 * H);
    double Scale = Norm + Length;
    double Error = std::fabs(Difference - Dot) / Scale;
    Worst = std::fmax(Worst, Error);
    if (!(Error <= Tolerance))
      ++Bad, printf("%s: direction %d: reverse %.9g, differences %.9g\n", Name, K, Dot, Difference);
    x.set(X), dx.set(V), y.set(ZeroY), dy.set(ZeroY);
    tangentKernel<T, F><<<Blocks, Threads, Shared>>>(x.P, dx.P, y.P, dy.P, n);
    Run("tangent kernel");
    std::vector<T> DY = dy.get();
    double Forward = 0;
    for (int I = 0; I < m; ++I)
      Forward += double(W[I]) * double(DY[I]);
    double FError = std::fabs(Forward - Dot) / Scale;
    WorstForward = std::fmax(WorstForward, FError);
    if (!(FError <= (Single ? 1e-4 : 1e-10)))
      ++Bad, printf("%s: direction %d: reverse %.12g, forward %.12g\n", Name, K, Dot, Forward);
  }
  if (Bad)
    printf("%s: WRONG\n", Name);
  else
    printf("%s: right, against differences %.1e, against forward %.1e\n", Name, Worst, WorstForward);
  return Bad != 0;
}
} // namespace rg
#endif
