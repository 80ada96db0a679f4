// RUN: %rgcxx --offload=cpu -O0 -Wno-shift-count-overflow -Wno-shift-count-negative %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -Wno-shift-count-overflow -Wno-shift-count-negative %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -march=native -Wno-shift-count-overflow -Wno-shift-count-negative %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -Wno-shift-count-overflow -Wno-shift-count-negative %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -S -emit-llvm -DQUICK %s -o - | FileCheck %s
// A shift by the width or more: 0, or the sign, as on a GPU, at every level, with amounts that the compiler knows or
// does not. Amounts are numbers of 32 bits without sign. What is known to be in range is a plain shift.
#include <cstdio>
#include <cuda_runtime.h>

// CHECK-LABEL: define {{.*}}@_Z5quickPjS_
// CHECK-NOT: icmp ult {{.*}}, 32{{$}}
// CHECK-NOT: umin
// CHECK: ret void
__global__ void quick(unsigned *x, unsigned *y) {
  int i = threadIdx.x;
  unsigned sum = 0;
  for (int k = 0; k < 32; ++k)
    sum += x[i] << k ^ x[i] >> (31 - k) ^ int(x[i]) >> (y[i] & 31);
  y[i] = sum;
}

#ifndef QUICK
template <typename T> __host__ __device__ T shiftedLeft(T x, unsigned s) {
  return s >= sizeof(T) * 8 ? T(0) : T(x << s);
}
template <typename T> __host__ __device__ T shiftedRight(T x, unsigned s) {
  return s >= sizeof(T) * 8 ? (x < 0 ? T(-1) : T(0)) : T(x >> s);
}
template <typename T, typename S> __global__ void known(T x, T *out) {
  int i = 0;
  out[i++] = x << S(0), out[i++] = x >> S(0);
  out[i++] = x << S(5), out[i++] = x >> S(5);
  out[i++] = x << S(32), out[i++] = x >> S(32);
  out[i++] = x << S(63), out[i++] = x >> S(63);
  out[i++] = x << S(64), out[i++] = x >> S(64);
  out[i++] = x << S(100), out[i++] = x >> S(100);
}
template <typename T, typename S> __global__ void unknown(const T *x, const S *s, T *left, T *right) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  left[i] = x[i] << s[i];
  right[i] = x[i] >> s[i];
}
// One thread, a loop, a difference that is the width.
__global__ void stream(const unsigned *x, const unsigned *b, unsigned *o) {
  if (threadIdx.x == 0) {
    unsigned s = b[0], t = 0;
    for (int i = 0; i < 4; i++) {
      o[i] = t | (x[i] >> s);
      t = x[i] << (32 - s);
    }
  }
}
// The front end sees both constants.
__global__ void constants(unsigned *o, unsigned long long *l) {
  o[0] = 1u << 32;
  o[1] = 0xffffffffu >> 40;
  unsigned none = 7u << 33;
  o[2] = none + 1;
  l[0] = 1ull << 64;
}
__device__ unsigned rotated(unsigned x, int s) { return x << s | x >> (32 - s); }
__global__ void rotate(const unsigned *x, unsigned *o) { o[threadIdx.x] = rotated(x[threadIdx.x], threadIdx.x); }
// Narrow numbers are shifted as int.
__global__ void narrow(const signed char *c, const unsigned short *h, const int *s, int *o) {
  int i = threadIdx.x;
  o[2 * i] = c[i] << s[i];
  o[2 * i + 1] = (unsigned short)(h[i] >> s[i]) + (c[i] >> s[i]);
}

static int Wrong = 0;
template <typename T> void expect(const char *Name, int I, T Got, T Want) {
  if (Got != Want)
    Wrong += !printf("%s %d: %llx, should be %llx\n", Name, I, (long long)Got, (long long)Want) || 1;
}
template <typename T> T *managed(int N) {
  T *P;
  cudaMallocManaged(&P, N * sizeof(T));
  return P;
}
template <typename T, typename S> void check(const char *Name) {
  constexpr int N = 128;
  T *X = managed<T>(N), *Left = managed<T>(N), *Right = managed<T>(N);
  S *By = managed<S>(N);
  for (T Number : {T(0x9234567890abcdefull), T(5), T(-1)}) {
    known<T, S><<<1, 1>>>(Number, Left);
    cudaDeviceSynchronize();
    int I = 0;
    for (unsigned Amount : {0u, 5u, 32u, 63u, 64u, 100u}) {
      expect(Name, I, Left[I], shiftedLeft(Number, Amount)), ++I;
      expect(Name, I, Left[I], shiftedRight(Number, Amount)), ++I;
    }
    for (int J = 0; J < N; ++J)
      X[J] = Number + J, By[J] = S(J == 127 ? -1 : J);
    unknown<T, S><<<2, N / 2>>>(X, By, Left, Right);
    cudaDeviceSynchronize();
    for (int J = 0; J < N; ++J) {
      expect(Name, J, Left[J], shiftedLeft(X[J], unsigned(By[J])));
      expect(Name, J, Right[J], shiftedRight(X[J], unsigned(By[J])));
    }
  }
}
#endif
int main() {
#ifndef QUICK
  check<unsigned, unsigned>("unsigned by unsigned");
  check<int, int>("int by int");
  check<long, int>("long by int");
  check<unsigned long long, unsigned>("long by unsigned");
  check<int, long>("int by long");
  check<unsigned, unsigned char>("unsigned by char");
  check<long long, long long>("long by long");
  unsigned *X = managed<unsigned>(64), *B = managed<unsigned>(64), *O = managed<unsigned>(64);
  unsigned long long *L = managed<unsigned long long>(1);
  for (int I = 0; I < 64; ++I)
    X[I] = 0xdeadbeef, B[I] = I % 4 * 8;
  stream<<<1, 32>>>(X, B, O);
  for (int I = 0; I < 4; ++I)
    expect("stream", I, O[I], 0xdeadbeef);
  constants<<<1, 1>>>(O, L);
  expect("constants", 0, O[0], 0u);
  expect("constants", 1, O[1], 0u);
  expect("constants", 2, O[2], 1u);
  expect("constants", 3, L[0], 0ull);
  rotate<<<1, 33>>>(X, O);
  expect("rotate", 0, O[0], 0xdeadbeef);
  expect("rotate", 4, O[4], 0xeadbeefd);
  expect("rotate", 32, O[32], 0xdeadbeef);
  signed char *C = managed<signed char>(40);
  unsigned short *H = managed<unsigned short>(40);
  int *S = managed<int>(40), *R = managed<int>(80);
  for (int I = 0; I < 40; ++I)
    C[I] = -3 - I, H[I] = 0xff00 + I, S[I] = I;
  narrow<<<1, 40>>>(C, H, S, R);
  for (int I = 0; I < 40; ++I) {
    expect("narrow", I, R[2 * I], shiftedLeft(int(C[I]), I));
    expect("narrow", I, R[2 * I + 1], int((unsigned short)shiftedRight(int(H[I]), I)) + shiftedRight(int(C[I]), I));
  }
  return Wrong != 0;
#endif
}
