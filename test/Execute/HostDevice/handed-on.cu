// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel hands its memory to a function that is not inlined. It still tells of what type the memory is: the program itself only
// copies it, and its calling function keeps pointers to it and to members of records, with an integer among them, in one container.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>
extern __device__ int enzyme_dup, enzyme_const;
template <class R, class... T> __device__ R __enzyme_autodiff_d(void *, T...);
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

struct Record { double a; int kind; double b; double w[3]; };
__device__ __noinline__ double at(double a, const double *x, int i, int n) {
  return i % 3 == 1 ? cos(x[i % n]) : a * x[(i + 1) % n];
}
__global__ void kernel(const double *x, const Record *rec, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double r = at(x[i], x, 3 * i + 1, n);
    if (rec[i % 4].kind > 1) r += rec[i % 4].b * at(rec[i % 4].w[1], x, i, n);
    y[i] = r * r + rec[i % 4].a;
  }
}
// The kernel does nothing else with x, and the function's address has another use in the file.
__global__ void handing(const double *x, const Record *rec, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = at(rec[i % 4].a, x, 3 * i + 1, n);
}
__global__ void slopes(const double *x, double *dx, int n) {
  int i = threadIdx.x;
  if (i < n) __enzyme_autodiff_d<double>((void *)at, enzyme_const, 1.0, enzyme_dup, x, dx, enzyme_const, i, enzyme_const, n);
}
static const int N = 24, Q = 4;
template <class T> static T *up(const T *v, int n) { T *p; cudaMalloc((void **)&p, n * sizeof(T)); cudaMemcpy(p, v, n * sizeof(T), cudaMemcpyHostToDevice); return p; }
template <void (*Kernel)(const double *, const Record *, double *, int)> static double program(const double *x, const Record *rec, double *y) {
  double *gx = up(x, N), *gy = up(y, N);
  Record *gr = up(rec, Q);
  Kernel<<<3, 8>>>(gx, gr, gy, N);
  cudaMemcpy(y, gy, N * sizeof(double), cudaMemcpyDeviceToHost);
  cudaFree(gx), cudaFree(gy), cudaFree(gr);
  double sum = 0;
  for (int i = 0; i < N; i++) sum += (0.3 + 0.1 * (i % 5)) * y[i];
  return sum;
}
struct State {
  std::vector<double> x, y;
  std::vector<Record> rec;
  State() : x(N), y(N), rec(Q) { memset((void *)rec.data(), 0, Q * sizeof(Record)); }
  std::vector<double *> all() {
    std::vector<double *> a;
    for (auto &v : x) a.push_back(&v);
    for (auto &r : rec) { a.push_back(&r.a), a.push_back(&r.b); for (auto &w : r.w) a.push_back(&w); }
    for (auto &v : y) a.push_back(&v);
    return a;
  }
  void begin() {
    unsigned s = 1;
    auto next = [&] { return (s = s * 1664525u + 1013904223u) >> 8; };
    for (double *v : all()) *v = 0.2 + 1.1 * next() / double(1 << 24);
    for (auto &r : rec) r.kind = next() % 4;
  }
};
template <void (*Kernel)(const double *, const Record *, double *, int)> static int wrongOf() {
  State st, d, back;
  int wrong = 0, k = 0;
  st.begin();
  __enzyme_autodiff<double>((void *)program<Kernel>, enzyme_dup, st.x.data(), d.x.data(), enzyme_dup, st.rec.data(), d.rec.data(), enzyme_dup, st.y.data(), d.y.data());
  const int Inputs = N + 5 * Q;
  auto g = d.all();
  for (int i = 0; i < Inputs; i++, k++) {
    double f[2];
    for (int side = 0; side < 2; side++) {
      State t;
      t.begin();
      *t.all()[i] += (side ? 1 : -1) * 1e-6;
      f[side] = program<Kernel>(t.x.data(), t.rec.data(), t.y.data());
    }
    double by = (f[1] - f[0]) / 2e-6;
    State t, dt;
    t.begin();
    *dt.all()[i] = 1;
    double fwd = __enzyme_fwddiff<double>((void *)program<Kernel>, enzyme_dup, t.x.data(), dt.x.data(), enzyme_dup, t.rec.data(), dt.rec.data(), enzyme_dup, t.y.data(), dt.y.data());
    if (!(fabs(*g[i] - by) < 1e-6 && fabs(fwd - by) < 1e-6)) wrong++, printf("%d: %g %g %g\n", i, *g[i], fwd, by);
  }
  printf("%d of %d derivatives are wrong\n", wrong, k);
  return wrong;
}
int main() { return wrongOf<kernel>() + wrongOf<handing>() != 0; }
