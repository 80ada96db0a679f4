// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction of two tensors on the device, with its host code in the derivative: five
// allocations, four copies in, a launch whose kernel calls device functions, a copy out.
//
//     rg-clang++ --offload=cpu -O2 -I test/include examples/cuda/contraction.cu -o contraction
#include "rgtest.h"
#include <cuda_runtime.h>
#include <vector>

extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

// Where an element of a tensor of three axes lies, and the axis that is summed over.
__device__ int at(const int *extent, int i, int j, int k) { return (i * extent[1] + j) * extent[2] + k; }
__device__ double along(const double *t, const int *extent, int axis, int sum, int first, int second) {
  int i = axis == 0 ? sum : first, j = axis == 1 ? sum : axis == 0 ? first : second, k = axis == 2 ? sum : second;
  return t[at(extent, i, j, k)];
}

// C[p, q, r, s] = sum over m of A[p, q, m] B[m, r, s], whichever the axes of m are.
__global__ void contract(double *c, const double *a, const double *b, const int *extentA, const int *extentB, int axisA,
                         int axisB) {
  int restA[2] = {extentA[axisA == 0], extentA[axisA == 2 ? 1 : 2]};
  int restB[2] = {extentB[axisB == 0], extentB[axisB == 2 ? 1 : 2]};
  int count = restA[0] * restA[1] * restB[0] * restB[1];
  int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= count)
    return;
  int s = n % restB[1], r = n / restB[1] % restB[0];
  int q = n / restB[1] / restB[0] % restA[1], p = n / restB[1] / restB[0] / restA[1];
  double sum = 0;
  for (int m = 0; m < extentA[axisA]; ++m)
    sum += along(a, extentA, axisA, m, p, q) * along(b, extentB, axisB, m, r, s);
  c[n] = sum;
}

double loss(const double *a, const double *b, const int *extentA, const int *extentB, int axisA, int axisB) {
  int sizeA = extentA[0] * extentA[1] * extentA[2], sizeB = extentB[0] * extentB[1] * extentB[2];
  int sizeC = sizeA / extentA[axisA] * (sizeB / extentB[axisB]);
  double *da, *db, *dc;
  int *ea, *eb;
  cudaMalloc(&da, sizeA * sizeof(double));
  cudaMalloc(&db, sizeB * sizeof(double));
  cudaMalloc(&dc, sizeC * sizeof(double));
  cudaMalloc(&ea, 3 * sizeof(int));
  cudaMalloc(&eb, 3 * sizeof(int));
  cudaMemcpy(da, a, sizeA * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, sizeB * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(ea, extentA, 3 * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(eb, extentB, 3 * sizeof(int), cudaMemcpyHostToDevice);
  contract<<<(sizeC + 127) / 128, 128>>>(dc, da, db, ea, eb, axisA, axisB);
  std::vector<double> c(sizeC);
  cudaMemcpy(c.data(), dc, sizeC * sizeof(double), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < sizeC; ++i)
    sum += 0.5 * c[i] * c[i];
  cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(ea), cudaFree(eb);
  return sum;
}

int main() {
  for (int axisA = 0; axisA < 3; ++axisA)
    for (int axisB = 0; axisB < 3; ++axisB) {
      int extentA[3] = {3, 4, 2}, extentB[3] = {2, 3, 4};
      extentA[axisA] = extentB[axisB] = 5;
      int sizeA = extentA[0] * extentA[1] * extentA[2], sizeB = extentB[0] * extentB[1] * extentB[2];
      std::vector<double> a(sizeA), b(sizeB), ga(sizeA), gb(sizeB), ta(sizeA), tb(sizeB);
      double slope = 0;
      for (int i = 0; i < sizeA; ++i)
        a[i] = 0.1 * (i * 7 % 11) - 0.4;
      for (int i = 0; i < sizeB; ++i)
        b[i] = 0.1 * (i * 5 % 13) - 0.5;
      __enzyme_autodiff<double>((void *)loss, enzyme_dup, a.data(), ga.data(), enzyme_dup, b.data(), gb.data(),
                                enzyme_const, extentA, enzyme_const, extentB, axisA, axisB);
      for (int i = 0; i < sizeA; i += 7)
        RG_NEAR(ga[i], RG_DIFF(loss(a.data(), b.data(), extentA, extentB, axisA, axisB), a[i]));
      for (int i = 0; i < sizeA; ++i)
        ta[i] = 0.2 * (i % 3), slope += ta[i] * ga[i];
      for (int i = 0; i < sizeB; ++i)
        tb[i] = 0.3 - 0.1 * (i % 5), slope += tb[i] * gb[i];
      RG_WITHIN(__enzyme_fwddiff<double>((void *)loss, enzyme_dup, a.data(), ta.data(), enzyme_dup, b.data(), tb.data(),
                                         enzyme_const, extentA, enzyme_const, extentB, axisA, axisB),
                slope, 1e-12);
    }
  return rgReport();
}
