//===- Bench.h - CUDA kernels on this machine against OpenMP written by hand
//-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program defines how to prepare(N) its data, to run its kernels (device) and
// the same computation as a C++ programmer would write it (byHand), and how far
// the results differ. Run without arguments it checks at a small size; with
// --bench it times both at a large one: name, milliseconds on kernels,
// milliseconds by hand, ratio (medians of 7). Copies to and from the device are
// not part of the times.
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_BENCH_OFFLOAD_BENCH_H
#define RETROGRAD_BENCH_OFFLOAD_BENCH_H

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(Call)                                                            \
  do {                                                                         \
    cudaError_t E = (Call);                                                    \
    if (E != cudaSuccess) {                                                    \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #Call,                \
                  cudaGetErrorString(E));                                      \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

template <class T> T *toDevice(const std::vector<T> &V) {
  T *P;
  CHECK(cudaMalloc(&P, V.size() * sizeof(T)));
  CHECK(cudaMemcpy(P, V.data(), V.size() * sizeof(T), cudaMemcpyHostToDevice));
  return P;
}
template <class T> std::vector<T> fromDevice(const T *P, size_t N) {
  std::vector<T> V(N);
  CHECK(cudaMemcpy(V.data(), P, N * sizeof(T), cudaMemcpyDeviceToHost));
  return V;
}
/// The largest difference, relative to the larger of 1 and the value.
template <class T>
double difference(const std::vector<T> &A, const std::vector<T> &B) {
  double D = A.size() != B.size();
  for (size_t I = 0; I < A.size() && I < B.size(); ++I) {
    double E = std::abs(double(A[I]) - double(B[I])) /
               std::max(1.0, std::abs(double(B[I])));
    D = E == E ? std::max(D, E) : 1;
  }
  return D;
}
inline float noise(unsigned I) {
  I = (I ^ 61) ^ (I >> 16), I *= 9, I ^= I >> 4, I *= 0x27d4eb2d, I ^= I >> 15;
  return (I & 0xffff) / 65536.0f;
}

// What a program defines.
extern const char *Name;
extern const int Small, Large;
void prepare(int N);
void device();
void byHand();
double difference(); ///< of the results; both have run

template <class Fn> double median(Fn Run) {
  std::vector<double> Times;
  for (int I = 0; I < 7; ++I) {
    auto Start = std::chrono::steady_clock::now();
    Run();
    Times.push_back(std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - Start)
                        .count());
  }
  std::sort(Times.begin(), Times.end());
  return Times[Times.size() / 2];
}

int main(int Arguments, char **) {
  bool Bench = Arguments > 1;
  prepare(Bench ? Large : Small);
  device();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGetLastError());
  byHand();
  double D = difference();
  if (!(D < 1e-4)) {
    std::printf("%s: the results differ by %g\n", Name, D);
    return 1;
  }
  if (Bench) {
    double Device = median([] {
      device();
      CHECK(cudaDeviceSynchronize());
    }),
           Hand = median(byHand);
    std::printf("%-16s %9.3f %9.3f %6.2f\n", Name, Device, Hand, Device / Hand);
  } else
    std::printf("%s: as by hand\n", Name);
}

#endif
