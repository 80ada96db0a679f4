// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forces between boxes of particles, a particle filter.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
// lavaMD / particle filter / streamcluster in Rodinia's style
#define NUMBER_PAR_PER_BOX 50
typedef struct {
  double v, x, y, z;
} FOUR_VECTOR;
typedef struct {
  int x, y, z, number;
  long offset;
} nei_str;
typedef struct {
  int x, y, z, number;
  long offset;
  int nn;
  nei_str nei[26];
} box_str;
typedef struct {
  double alpha;
} par_str;
typedef struct {
  long number_boxes, box_mem;
} dim_str;
#define DOT(A, B) ((A.x) * (B.x) + (A.y) * (B.y) + (A.z) * (B.z))
__global__ void kernel_gpu_cuda(par_str d_par, dim_str d_dim, box_str *d_box, FOUR_VECTOR *d_rv, double *d_qv,
                                FOUR_VECTOR *d_fv) {
  int bx = blockIdx.x, tx = threadIdx.x, wtx = tx;
  if (bx < d_dim.number_boxes) {
    double a2 = 2.0 * d_par.alpha * d_par.alpha;
    __shared__ FOUR_VECTOR rA_shared[100], rB_shared[100];
    __shared__ double qB_shared[100];
    int first_i = d_box[bx].offset;
    FOUR_VECTOR *rA = &d_rv[first_i], *fA = &d_fv[first_i];
    while (wtx < NUMBER_PAR_PER_BOX) {
      rA_shared[wtx] = rA[wtx];
      wtx += blockDim.x;
    }
    wtx = tx;
    __syncthreads();
    for (int k = 0; k < (1 + d_box[bx].nn); k++) {
      int pointer = k == 0 ? bx : d_box[bx].nei[k - 1].number;
      int first_j = d_box[pointer].offset;
      FOUR_VECTOR *rB = &d_rv[first_j];
      double *qB = &d_qv[first_j];
      while (wtx < NUMBER_PAR_PER_BOX) {
        rB_shared[wtx] = rB[wtx];
        qB_shared[wtx] = qB[wtx];
        wtx += blockDim.x;
      }
      wtx = tx;
      __syncthreads();
      while (wtx < NUMBER_PAR_PER_BOX) {
        for (int j = 0; j < NUMBER_PAR_PER_BOX; j++) {
          double r2 = rA_shared[wtx].v + rB_shared[j].v - DOT(rA_shared[wtx], rB_shared[j]), u2 = a2 * r2,
                 vij = exp(-u2), fs = 2 * vij, dx = rA_shared[wtx].x - rB_shared[j].x;
          fA[wtx].v += qB_shared[j] * vij;
          fA[wtx].x += qB_shared[j] * fs * dx;
        }
        wtx += blockDim.x;
      }
      wtx = tx;
      __syncthreads();
    }
  }
}
__device__ int findIndexBin(double *CDF, int begin, int end, double value) {
  if (end < begin)
    return -1;
  while (end > begin) {
    int mid = begin + (end - begin) / 2;
    if (CDF[mid] >= value && (mid == 0 || CDF[mid - 1] < value))
      return mid;
    if (CDF[mid] > value)
      end = mid - 1;
    else
      begin = mid + 1;
  }
  return begin;
}
__global__ void normalize_weights(double *w, int n, double *partial, double *CDF, double *u, int *seed) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  __shared__ double u1, sum;
  if (0 == threadIdx.x)
    sum = partial[0];
  __syncthreads();
  if (i < n)
    w[i] = w[i] / sum;
  __syncthreads();
  if (i == 0) {
    CDF[0] = w[0];
    for (int x = 1; x < n; x++)
      CDF[x] = w[x] + CDF[x - 1];
    u[0] = (1 / ((double)n)) * .37;
  }
  __syncthreads();
  if (0 == threadIdx.x)
    u1 = (1 / ((double)n)) * .37;
  __syncthreads();
  if (i < n)
    u[i] = u1 + i / ((double)n);
}
__global__ void find_index(double *ax, double *xj, double *CDF, double *u, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    int index = -1;
    for (int x = 0; x < n; x++)
      if (CDF[x] >= u[i]) {
        index = x;
        break;
      }
    if (index == -1)
      index = n - 1;
    xj[i] = ax[index] + 1000 * (findIndexBin(CDF, 0, n - 1, u[i]) == index ? 0 : 1);
  }
  __syncthreads();
}
int main() {
  int nb = 8;
  box_str *b;
  FOUR_VECTOR *rv, *fv;
  double *qv;
  cudaMallocManaged(&b, nb * sizeof(box_str));
  int n = nb * 50;
  cudaMallocManaged(&rv, n * 32);
  cudaMallocManaged(&fv, n * 32);
  cudaMallocManaged(&qv, n * 8);
  for (int i = 0; i < n; i++) {
    rv[i] = {(i % 10) * .1, (i % 7) * .1, (i % 5) * .1, (i % 3) * .1};
    fv[i] = {0, 0, 0, 0};
    qv[i] = (i % 4) * .1;
  }
  for (int i = 0; i < nb; i++) {
    b[i].offset = i * 50;
    b[i].nn = i % 3;
    for (int k = 0; k < b[i].nn; k++)
      b[i].nei[k].number = (i + k + 1) % nb;
  }
  par_str par = {.5};
  dim_str dim = {nb, 0};
  kernel_gpu_cuda<<<nb, 128>>>(par, dim, b, rv, qv, fv);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < nb; i++)
    for (int p = 0; p < 50; p++) {
      double v = 0, x = 0;
      for (int k = 0; k <= b[i].nn; k++) {
        int o = k ? b[i].nei[k - 1].number : i;
        for (int j = 0; j < 50; j++) {
          auto A = rv[i * 50 + p], B = rv[o * 50 + j];
          double r2 = A.v + B.v - DOT(A, B), vij = exp(-.5 * r2);
          v += qv[o * 50 + j] * vij;
          x += qv[o * 50 + j] * 2 * vij * (A.x - B.x);
        }
      }
      EXPECT(fabs(fv[i * 50 + p].v - v) < 1e-9 && fabs(fv[i * 50 + p].x - x) < 1e-9);
    }
  int N = 400;
  double *w, *par0, *cdf, *u, *ax, *xj;
  cudaMallocManaged(&w, N * 8);
  cudaMallocManaged(&par0, 8);
  cudaMallocManaged(&cdf, N * 8);
  cudaMallocManaged(&u, N * 8);
  cudaMallocManaged(&ax, N * 8);
  cudaMallocManaged(&xj, N * 8);
  *par0 = 0;
  for (int i = 0; i < N; i++)
    *par0 += w[i] = 1 + i % 6, ax[i] = i;
  normalize_weights<<<1, 512>>>(w, N, par0, cdf, u, nullptr);
  find_index<<<4, 128>>>(ax, xj, cdf, u, N);
  CHECK(cudaDeviceSynchronize());
  EXPECT(fabs(cdf[N - 1] - 1) < 1e-12);
  for (int i = 0; i < N; i++) {
    int k = 0;
    while (k < N - 1 && cdf[k] < (.37 + i) / N)
      k++;
    EXPECT(fabs(xj[i] - k) <= 1);
  }
  return finish();
}
