// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-print-after=one-addition %s -o %t 2>&1 | FileCheck %s
// RUN: %t
// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include -I%root/include -mllvm -rg-disable=one-addition %s -o %t && %t
// Loops over one row that are reversed into additions to the same adjoints: one of them adds for all, where both run, and
// run alike. Each kernel with parameters that do not overlap, against the same one without, whose loops all add.
#include "rgcuda.h"
extern __device__ int enzyme_seed;

// CHECK-DAG: define {{.*}}oneI{{.*}}4norm
// CHECK-DAG: define {{.*}}oneI{{.*}}6blocks
// CHECK-DAG: define {{.*}}oneI{{.*}}6chosen
// CHECK-NOT: define {{.*}}manyI
// CHECK-NOT: define {{.*}}oneI{{.*}}7strides
// CHECK-NOT: define {{.*}}oneI{{.*}}6places
// CHECK-NOT: define {{.*}}oneI{{.*}}6either
template <typename T> __device__ T sum(T x) {
  for (int lane = 16; lane; lane /= 2)
    x += __shfl_xor_sync(0xffffffffu, x, lane);
  return x;
}

// A warp for each row; the last warps have none.
template <typename T> __device__ void norm(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int rows, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  const T *mine = x + size_t(row) * n;
  T all = 0;
  for (int i = lane; i < n; i += 32)
    all += mine[i];
  T mean = sum(all) / n, squares = 0;
  for (int i = lane; i < n; i += 32)
    squares += (mine[i] - mean) * (mine[i] - mean);
  T scale = T(1) / (sum(squares) / n + T(0.1));
  for (int i = lane; i < n; i += 32)
    y[size_t(row) * n + i] = (mine[i] - mean) * scale * w[i];
}
// A block for each row, in strides of the block.
template <typename T> __device__ void blocks(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int rows, int n) {
  __shared__ T part[32];
  const T *mine = x + size_t(blockIdx.x) * n;
  T squares = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    squares += mine[i] * mine[i];
  squares = sum(squares);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = squares;
  __syncthreads();
  T all = 0;
  for (int k = 0; k < blockDim.x / 32; ++k)
    all += part[k];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[size_t(blockIdx.x) * n + i] = mine[i] * w[i] / (all + T(1));
}
// Both loops in one branch.
template <typename T> __device__ void chosen(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int rows, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  const T *mine = x + size_t(row) * n;
  T all = 0;
  if (row % 3)
    for (int i = lane; i < n; i += 32)
      all += mine[i] * mine[i];
  all = sum(all);
  if (row % 3)
    for (int i = lane; i < n; i += 32)
      y[size_t(row) * n + i] = mine[i] * w[i] * all;
}
// Not the same iterations.
template <typename T> __device__ void strides(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int rows, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  T all = 0;
  for (int i = lane; i < n; i += 64)
    all += x[size_t(row) * n + i] * x[size_t(row) * n + i];
  all = sum(all);
  for (int i = lane; i < n; i += 32)
    y[size_t(row) * n + i] = x[size_t(row) * n + i] * w[i] * all;
}
// Not the same places.
template <typename T> __device__ void places(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int rows, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  T all = 0;
  for (int i = lane; i < n; i += 32)
    all += x[size_t(row) * n + i] * x[size_t(row) * n + i];
  all = sum(all);
  for (int i = lane; i < n; i += 32)
    y[size_t(row) * n + i] = x[size_t(row) * n + (i ^ 1)] * w[i] * all;
}
// Not under the same condition.
template <typename T> __device__ void either(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int rows, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  T all = 1;
  if (row % 3)
    for (int i = lane; i < n; i += 32)
      all += x[size_t(row) * n + i] * x[size_t(row) * n + i];
  all = sum(all);
  if (row % 2)
    for (int i = lane; i < n; i += 32)
      y[size_t(row) * n + i] = x[size_t(row) * n + i] * w[i] * all;
}
#define ARGUMENTS(T, R) const T *R x, T *R dx, const T *R w, T *R dw, T *R y, T *R dy, int rows, int n
template <typename T, void (*F)(const T *, const T *, T *, int, int)> __global__ void one(ARGUMENTS(T, __restrict__)) {
  __enzyme_autodiff<void>((void *)F, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_seed, y, dy, enzyme_const, rows, enzyme_const, n);
}
template <typename T, void (*F)(const T *, const T *, T *, int, int)> __global__ void many(ARGUMENTS(T, )) {
  __enzyme_autodiff<void>((void *)F, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_dup, y, dy, enzyme_const, rows, enzyme_const, n);
}
template <typename T, void (*F)(const T *, const T *, T *, int, int)> __global__ void primal(const T *x, const T *w, T *y, int rows, int n) {
  F(x, w, y, rows, n);
}

template <typename T, void (*F)(const T *, const T *, T *, int, int)> int check(const char *name, int rows, int n, int grid, int block) {
  std::vector<T> X(rows * n), W(n), S(rows * n), zero(rows * n, T(0));
  for (std::vector<T> *V : {&X, &W, &S})
    for (T &v : *V)
      v = T(rg::uniform(-1, 1));
  rg::Buffer<T> x(rows * n), dx(rows * n), w(n), dw(n), y(rows * n), dy(rows * n);
  auto run = [&](auto Kernel) {
    x.set(X), w.set(W), dy.set(S), dx.set(zero), dw.set(std::vector<T>(n, T(0))), y.set(zero);
    Kernel<<<grid, block>>>(x.P, dx.P, w.P, dw.P, y.P, dy.P, rows, n);
    rg::must(cudaGetLastError(), name);
    rg::must(cudaDeviceSynchronize(), name);
  };
  run(many<T, F>);
  std::vector<T> want = dx.get(), wantW = dw.get();
  run(one<T, F>);
  std::vector<T> have = dx.get(), haveW = dw.get();
  auto loss = [&](int at, T by) {
    std::vector<T> Moved = X;
    Moved[at] += by;
    x.set(Moved), w.set(W), y.set(zero);
    primal<T, F><<<grid, block>>>(x.P, w.P, y.P, rows, n);
    rg::must(cudaDeviceSynchronize(), name);
    std::vector<T> Y = y.get();
    double sum = 0;
    for (size_t i = 0; i < Y.size(); ++i)
      sum += double(Y[i]) * S[i];
    return sum;
  };
  int bad = 0;
  double largest = 0, allowed = sizeof(T) == 4 ? 1e-5 : 1e-13;
  for (T v : want)
    largest = std::fmax(largest, std::fabs(double(v)));
  auto compare = [&](const char *of, std::vector<T> &have, std::vector<T> &want) {
    for (size_t i = 0; i < want.size() && bad < 5; ++i)
      if (!(std::fabs(double(have[i]) - double(want[i])) <= allowed * std::fmax(largest, 1.0)))
        ++bad, printf("%s: %s[%d] is %.9g with one addition, and %.9g\n", name, of, int(i), double(have[i]), double(want[i]));
  };
  compare("dx", have, want);
  compare("dw", haveW, wantW);
  for (int at = 1; at < rows * n && sizeof(T) == 8; at += rows * n / 3) {
    double by = (loss(at, T(1e-5)) - loss(at, T(-1e-5))) / 2e-5;
    if (!(std::fabs(by - have[at]) <= 1e-6 * std::fmax(largest, 1.0)))
      ++bad, printf("%s: dx[%d] is %.9g, by differences %.9g\n", name, at, double(have[at]), by);
  }
  return bad;
}

int main() {
  int bad = 0;
  for (int n : {70, 32, 5}) {
    bad += check<double, norm<double>>("norm", 7, n, 4, 64);
    bad += check<double, blocks<double>>("blocks", 3, n, 3, 64);
    bad += check<double, chosen<double>>("chosen", 7, n, 4, 64);
    bad += check<double, strides<double>>("strides", 7, n, 4, 64);
    bad += check<double, places<double>>("places", 7, n & ~1, 4, 64);
    bad += check<double, either<double>>("either", 7, n, 4, 64);
  }
  return bad != 0;
}
