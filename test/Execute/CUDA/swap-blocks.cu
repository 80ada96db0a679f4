// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-print-after=swap-blocks %s -o %t 2>&1 | FileCheck %s
// RUN: %t
// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include -I%root/include -mllvm -rg-disable=swap-blocks %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -I%root/test/include -I%root/include %s -o %t && %t
// Blocks along one axis run loops whose iterations do nothing but add to adjoints: the pairs of block and iteration are
// shared out anew. Each kernel with parameters that do not overlap, against the same one without, whose loops are as they
// were; as many blocks as iterations, more, fewer, one.
#include "rgcuda.h"
extern __device__ int enzyme_seed;

// CHECK-DAG: define {{.*}}swappedI{{.*}}6mapped
// CHECK-DAG: define {{.*}}swappedI{{.*}}7columns
// CHECK-DAG: define {{.*}}swappedI{{.*}}6images
// CHECK-DAG: define {{.*}}swappedI{{.*}}7guarded
// CHECK-DAG: define {{.*}}swappedI{{.*}}9backwards
// CHECK-NOT: define {{.*}}keptI
// CHECK-NOT: define {{.*}}swappedI{{.*}}6length
// CHECK-NOT: define {{.*}}swappedI{{.*}}4some
// CHECK-NOT: define {{.*}}swappedI{{.*}}7carried
// CHECK-NOT: define {{.*}}swappedI{{.*}}7squared
// CHECK-NOT: define {{.*}}swappedI{{.*}}6shared

// x has n rows of a number for each thread of a block, w a number for each block and row.
#define ROW(C) x[(C) * m + int(threadIdx.x)]
#define OUT(O) y[size_t(O) * m + threadIdx.x]
#define ENDS if (int(threadIdx.x) >= m) return
template <typename T> __device__ void mapped(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int n, int m) {
  ENDS;
  T sum = 0;
  for (int c = 0; c < n; ++c)
    sum += w[blockIdx.y * n + c] * ROW(c) * ROW(c);
  OUT(blockIdx.y) = sum * w[blockIdx.y];
}
template <typename T> __device__ void columns(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int n, int m) {
  ENDS;
  T sum = 0;
  for (int c = 0; c < n; ++c)
    sum += w[blockIdx.x * n + c] * ROW(c) + ROW(c) * x[c * m];
  OUT(blockIdx.x) = sum;
}
template <typename T> __device__ void images(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int n, int m) {
  ENDS;
  if (threadIdx.x % 5 == 3)
    return;
  T sum = 0;
  for (int c = 0; c < n; ++c)
    sum += w[blockIdx.z * n + c] * ROW(c);
  OUT(blockIdx.z) = sum;
}
// Some iterations of some blocks add, others do not.
template <typename T> __device__ void guarded(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int n, int m) {
  ENDS;
  T sum = 0;
  for (int c = 0; c < n; ++c) {
    sum += w[blockIdx.y * n + c] * ROW(c);
    if ((c + blockIdx.y + threadIdx.x) % 3)
      sum += ROW(c) * ROW(c);
  }
  OUT(blockIdx.y) = sum;
}
template <typename T> __device__ void backwards(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int n, int m) {
  ENDS;
  T sum = 0;
  for (int c = n - 1; c >= 0; --c)
    sum += w[blockIdx.y * n + c] * ROW(n - 1 - c);
  OUT(blockIdx.y) = sum;
}
// How long the loop is depends on the block.
template <typename T> __device__ void length(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int n, int m) {
  ENDS;
  T sum = 0;
  for (int c = 0; c < min(n, int(blockIdx.y) + 1); ++c)
    sum += w[blockIdx.y * n + c] * ROW(c);
  OUT(blockIdx.y) = sum;
}
// Not all blocks run it.
template <typename T> __device__ void some(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int n, int m) {
  ENDS;
  T sum = 0;
  if (blockIdx.y % 2)
    for (int c = 0; c < n; ++c)
      sum += w[blockIdx.y * n + c] * ROW(c);
  OUT(blockIdx.y) = sum;
}
// What an iteration adds depends on others.
template <typename T> __device__ void carried(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int n, int m) {
  ENDS;
  T sum = w[blockIdx.y];
  for (int c = 0; c < n; ++c)
    sum = sum * ROW(c) + w[blockIdx.y * n + c];
  OUT(blockIdx.y) = sum;
}
// What is added depends on what the loop of the primal has come to.
template <typename T> __device__ void squared(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int n, int m) {
  ENDS;
  T sum = 0;
  for (int c = 0; c < n; ++c)
    sum += w[blockIdx.y * n + c] * ROW(c);
  OUT(blockIdx.y) = sum * sum;
}
// Threads of a block hand each other numbers.
template <typename T> __device__ void shared(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int n, int m) {
  __shared__ T part[64];
  part[threadIdx.x] = w[blockIdx.y * n];
  __syncthreads();
  ENDS;
  T sum = 0;
  for (int c = 0; c < n; ++c)
    sum += part[63 - threadIdx.x] * ROW(c);
  OUT(blockIdx.y) = sum;
}
#define ARGUMENTS(T, R) const T *R x, T *R dx, const T *R w, T *R dw, T *R y, T *R dy, int n, int m
template <typename T, void (*F)(const T *, const T *, T *, int, int)> __global__ void swapped(ARGUMENTS(T, __restrict__)) {
  __enzyme_autodiff<void>((void *)F, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_seed, y, dy, enzyme_const, n, enzyme_const, m);
}
template <typename T, void (*F)(const T *, const T *, T *, int, int)> __global__ void kept(ARGUMENTS(T, )) {
  __enzyme_autodiff<void>((void *)F, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_dup, y, dy, enzyme_const, n, enzyme_const, m);
}
template <typename T, void (*F)(const T *, const T *, T *, int, int)> __global__ void primal(const T *x, const T *w, T *y, int n, int m) {
  F(x, w, y, n, m);
}

template <typename T, void (*F)(const T *, const T *, T *, int, int)> int check(const char *name, int n, dim3 grid) {
  const int block = 64, m = 61, blocks = grid.x * grid.y * grid.z;
  std::vector<T> X(n * m), W(blocks * n), S(blocks * m), zero(S.size(), T(0));
  for (std::vector<T> *V : {&X, &W, &S})
    for (T &v : *V)
      v = T(rg::uniform(-1, 1));
  rg::Buffer<T> x(X.size()), dx(X.size()), w(W.size()), dw(W.size()), y(S.size()), dy(S.size());
  // What was there stays, and is added to.
  auto run = [&](auto Kernel) {
    x.set(X), w.set(W), dy.set(S), dx.set(X), dw.set(W), y.set(zero);
    Kernel<<<grid, block>>>(x.P, dx.P, w.P, dw.P, y.P, dy.P, n, m);
    rg::must(cudaGetLastError(), name);
    rg::must(cudaDeviceSynchronize(), name);
  };
  run(kept<T, F>);
  std::vector<T> want = dx.get(), wantW = dw.get();
  run(swapped<T, F>);
  std::vector<T> have = dx.get(), haveW = dw.get();
  auto loss = [&](std::vector<T> &V, int at, T by) {
    T was = V[at];
    V[at] += by;
    x.set(X), w.set(W), y.set(zero);
    V[at] = was;
    primal<T, F><<<grid, block>>>(x.P, w.P, y.P, n, m);
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
    for (T v : *V)
      largest = std::fmax(largest, std::fabs(double(v)));
  auto compare = [&](const char *of, std::vector<T> &have, std::vector<T> &want) {
    for (size_t i = 0; i < want.size() && bad < 5; ++i)
      if (!(std::fabs(double(have[i]) - double(want[i])) <= allowed * largest))
        ++bad, printf("%s, %d of %d blocks: %s[%d] is %.9g shared out anew, and %.9g\n", name, n, blocks, of, int(i), double(have[i]), double(want[i]));
  };
  compare("dx", have, want);
  compare("dw", haveW, wantW);
  if (sizeof(T) == 4)
    return bad;
  auto differences = [&](std::vector<T> &V, std::vector<T> &have, int at) {
    double by = (loss(V, at, T(1e-5)) - loss(V, at, T(-1e-5))) / 2e-5;
    if (!(std::fabs(by - (have[at] - V[at])) <= 1e-6 * largest))
      ++bad, printf("%s: %d is %.9g, by differences %.9g\n", name, at, double(have[at] - V[at]), by);
  };
  for (int at = 1; at < int(X.size()); at += 1 + X.size() / 3)
    differences(X, have, at);
  for (int at = 0; at < int(W.size()); at += 1 + W.size() / 3)
    differences(W, haveW, at);
  return bad;
}

int main() {
  int bad = 0;
  for (int n : {1, 3, 6, 8}) {
    for (unsigned g : {1u, 2u, 3u, 7u}) {
      bad += check<double, mapped<double>>("mapped", n, dim3(1, g));
      bad += check<float, mapped<float>>("mapped", n, dim3(1, g));
      bad += check<double, columns<double>>("columns", n, dim3(g));
      bad += check<float, columns<float>>("columns", n, dim3(g));
      bad += check<double, images<double>>("images", n, dim3(1, 1, g));
      bad += check<double, guarded<double>>("guarded", n, dim3(1, g));
      bad += check<double, backwards<double>>("backwards", n, dim3(1, g));
    }
    bad += check<double, length<double>>("length", n, dim3(1, 5));
    bad += check<double, some<double>>("some", n, dim3(1, 5));
    bad += check<double, carried<double>>("carried", n, dim3(1, 5));
    bad += check<double, squared<double>>("squared", n, dim3(1, 5));
    bad += check<double, shared<double>>("shared", n, dim3(1, 5));
  }
  return bad != 0;
}
