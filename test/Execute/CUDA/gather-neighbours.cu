// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-print-after=gather-neighbours %s -o %t 2>&1 | FileCheck %s
// RUN: %t
// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include -I%root/include -mllvm -rg-disable=gather-neighbours %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -I%root/test/include -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-disable=neighbour-lanes %s -o %t && %t
// A thread reads what lies around it: in reverse it gathers what its neighbours have for its own place. Each kernel with
// parameters that do not overlap, against the same one without, whose threads add all themselves. Images that are smaller
// than the launch, as large, and larger: then some of what threads add has nobody to gather it.
#include "rgcuda.h"
extern __device__ int enzyme_seed;

// CHECK-DAG: define {{.*}}gatheredI{{.*}}6around
// CHECK-DAG: define {{.*}}gatheredI{{.*}}4line
// CHECK-DAG: define {{.*}}gatheredI{{.*}}6volume
// CHECK-DAG: define {{.*}}gatheredI{{.*}}6planes
// CHECK-DAG: define {{.*}}gatheredI{{.*}}6halves
// CHECK-DAG: define {{.*}}gatheredI{{.*}}5early
// CHECK-NOT: define {{.*}}keptI
// CHECK-NOT: define {{.*}}gatheredI{{.*}}7wrapped
// CHECK-NOT: define {{.*}}gatheredI{{.*}}6chosen
// CHECK-NOT: define {{.*}}gatheredI{{.*}}6looped
// CHECK-NOT: define {{.*}}gatheredI{{.*}}8ofThread

#define X_AXIS int j = blockIdx.x * blockDim.x + threadIdx.x
#define Y_AXIS int i = blockIdx.y * blockDim.y + threadIdx.y
#define Z_AXIS int k = blockIdx.z * blockDim.z + threadIdx.z
#define BODY(NAME) template <typename T> __device__ void NAME(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int h, int v)

// Nine around, as far as the image has them.
BODY(around) {
  X_AXIS;
  Y_AXIS;
  if (i >= h || j >= v)
    return;
  T sum = 0;
#pragma unroll
  for (int a = -1; a <= 1; ++a)
#pragma unroll
    for (int b = -1; b <= 1; ++b)
      if (i + a >= 0 && i + a < h && j + b >= 0 && j + b < v)
        sum += w[(a + 1) * 3 + b + 1] * x[(i + a) * v + j + b];
  y[size_t(i) * v + j] = sum;
}
// A product of neighbours, inside alone.
BODY(line) {
  X_AXIS;
  if (j < 1 || j >= h * v - 1)
    return;
  y[j] = x[j - 1] * x[j] * w[1] + w[2] * x[j + 1];
}
BODY(volume) {
  X_AXIS;
  Y_AXIS;
  Z_AXIS;
  if (j >= v || i >= h || k >= 4)
    return;
  T sum = w[0] * x[(k * h + i) * v + j];
  if (j > 0)
    sum += w[1] * x[(k * h + i) * v + j - 1];
  if (i + 1 < h)
    sum += w[2] * x[(k * h + i + 1) * v + j];
  if (k > 1)
    sum += w[3] * x[((k - 2) * h + i) * v + j];
  y[(size_t(k) * h + i) * v + j] = sum;
}
// Places and weights depend on the block along z.
BODY(planes) {
  X_AXIS;
  Y_AXIS;
  if (i >= h || j >= v)
    return;
  int plane = blockIdx.z;
  T sum = 0;
#pragma unroll
  for (int b = 0; b < 4; ++b)
    if (j + b < v)
      sum += w[plane * 2 + b] * x[(plane * h + i) * v + j + b];
  y[(size_t(plane) * h + i) * v + j] = sum;
}
// Every other place: those of one parity are gathered.
BODY(halves) {
  X_AXIS;
  if (j >= h * v / 2 - 3)
    return;
  T sum = 0;
#pragma unroll
  for (int b = 0; b < 6; ++b)
    sum += w[b] * x[2 * j + b];
  y[j] = sum;
}
// Some return early, whose places others add to.
BODY(early) {
  X_AXIS;
  if (j % 3 == 1 || j + 2 >= h * v)
    return;
  y[j] = x[j] * w[0] + x[j + 1] * w[1] + x[j + 2] * w[2];
}
// From the end to the beginning.
BODY(wrapped) {
  X_AXIS;
  int n = h * v;
  if (j >= n)
    return;
  y[j] = x[j] * w[0] + x[(j + 1) % n] * w[1] + x[(j + 2) % n] * w[2];
}
// The condition is read.
BODY(chosen) {
  X_AXIS;
  if (j + 2 >= h * v)
    return;
  T sum = 0;
  if (w[0] > x[j])
    sum = x[j] * w[0] + x[j + 1] * w[1] + x[j + 2] * w[2];
  y[j] = sum;
}
BODY(looped) {
  X_AXIS;
  if (j + 8 >= h * v)
    return;
  T sum = 0;
#pragma unroll 1
  for (int b = 0; b < h % 8; ++b)
    sum += x[j + b] * w[b % 4];
  y[j] = sum;
}
// What is added depends on the thread in its block.
BODY(ofThread) {
  X_AXIS;
  if (j + 2 >= h * v)
    return;
  y[j] = x[j] * w[threadIdx.x % 4] + x[j + 1] * w[threadIdx.x % 3] + x[j + 2] * w[threadIdx.x % 2];
}
#define ARGUMENTS(T, R) const T *R x, T *R dx, const T *R w, T *R dw, T *R y, T *R dy, int h, int v
template <typename T, void (*F)(const T *, const T *, T *, int, int)> __global__ void gathered(ARGUMENTS(T, __restrict__)) {
  __enzyme_autodiff<void>((void *)F, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_seed, y, dy, enzyme_const, h, enzyme_const, v);
}
template <typename T, void (*F)(const T *, const T *, T *, int, int)> __global__ void kept(ARGUMENTS(T, )) {
  __enzyme_autodiff<void>((void *)F, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_dup, y, dy, enzyme_const, h, enzyme_const, v);
}
template <typename T, void (*F)(const T *, const T *, T *, int, int)> __global__ void primal(const T *x, const T *w, T *y, int h, int v) {
  F(x, w, y, h, v);
}

template <typename T, void (*F)(const T *, const T *, T *, int, int)> int check(const char *name, int h, int v, dim3 grid, dim3 block) {
  const int n = 4 * h * v;
  std::vector<T> X(n), W(16), S(n), zero(n, T(0));
  for (std::vector<T> *V : {&X, &W, &S})
    for (T &u : *V)
      u = T(rg::uniform(-1, 1));
  rg::Buffer<T> x(n), dx(n), w(16), dw(16), y(n), dy(n);
  // What was there stays, and is added to.
  auto run = [&](auto Kernel) {
    x.set(X), w.set(W), dy.set(S), dx.set(X), dw.set(W), y.set(zero);
    Kernel<<<grid, block>>>(x.P, dx.P, w.P, dw.P, y.P, dy.P, h, v);
    rg::must(cudaGetLastError(), name);
    rg::must(cudaDeviceSynchronize(), name);
  };
  run(kept<T, F>);
  std::vector<T> want = dx.get(), wantW = dw.get();
  run(gathered<T, F>);
  std::vector<T> have = dx.get(), haveW = dw.get();
  auto loss = [&](int at, T by) {
    std::vector<T> Moved = X;
    Moved[at] += by;
    x.set(Moved), w.set(W), y.set(zero);
    primal<T, F><<<grid, block>>>(x.P, w.P, y.P, h, v);
    rg::must(cudaDeviceSynchronize(), name);
    std::vector<T> Y = y.get();
    double sum = 0;
    for (size_t i = 0; i < Y.size(); ++i)
      sum += double(Y[i]) * S[i];
    return sum;
  };
  int bad = 0;
  double largest = 1, allowed = sizeof(T) == 4 ? 1e-5 : 1e-13;
  for (std::vector<T> *V : {&want, &wantW})
    for (T u : *V)
      largest = std::fmax(largest, std::fabs(double(u)));
  auto compare = [&](const char *of, std::vector<T> &have, std::vector<T> &want) {
    for (size_t i = 0; i < want.size() && bad < 5; ++i)
      if (!(std::fabs(double(have[i]) - double(want[i])) <= allowed * largest))
        ++bad, printf("%s, %d x %d: %s[%d] is %.9g gathered, and %.9g\n", name, h, v, of, int(i), double(have[i]), double(want[i]));
  };
  compare("dx", have, want);
  compare("dw", haveW, wantW);
  for (int at = 1; at < n && sizeof(T) == 8; at += 1 + n / 7) {
    double by = (loss(at, T(1e-5)) - loss(at, T(-1e-5))) / 2e-5;
    if (!(std::fabs(by - (have[at] - X[at])) <= 1e-6 * largest))
      ++bad, printf("%s: dx[%d] is %.9g, by differences %.9g\n", name, at, double(have[at] - X[at]), by);
  }
  return bad;
}

int main() {
  int bad = 0;
  // The launch has 24 x 12 threads along x and y.
  for (auto [h, v] : {std::pair(12, 24), std::pair(9, 17), std::pair(14, 29), std::pair(1, 40)}) {
    dim3 plane(3, 3), tile(8, 4), deep(3, 3, 2), volumes(3, 3, 1), cube(8, 4, 3);
    bad += check<double, around<double>>("around", h, v, plane, tile);
    bad += check<float, around<float>>("around", h, v, plane, tile);
    bad += check<double, volume<double>>("volume", h, v, volumes, cube);
    bad += check<double, planes<double>>("planes", h, v, deep, tile);
    for (int blocks : {1, 4, 9}) {
      bad += check<double, line<double>>("line", h, v, blocks, 32);
      bad += check<float, line<float>>("line", h, v, blocks, 40);
      bad += check<double, halves<double>>("halves", h, v, blocks, 32);
      bad += check<double, early<double>>("early", h, v, blocks, 32);
      bad += check<double, wrapped<double>>("wrapped", h, v, blocks, 32);
      bad += check<double, chosen<double>>("chosen", h, v, blocks, 32);
      bad += check<double, looped<double>>("looped", h, v, blocks, 32);
      bad += check<double, ofThread<double>>("ofThread", h, v, blocks, 32);
    }
  }
  return bad != 0;
}
