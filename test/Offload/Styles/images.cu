// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters on images with halos, fractals, loops with several exits, blocks of three dimensions.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
// srad + heartwall-like several kernels with 2-D threads, divergent loops with break/continue/goto
#define BS 16
__global__ void srad_cuda_1(float *E_C, float *J, int cols, int rows, float q0sqr) {
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int index = cols * BS * by + BS * bx + cols * ty + tx, index_n = cols * BS * by + BS * bx + tx - cols,
      index_s = cols * BS * by + BS * bx + cols * BS + tx, index_w = cols * BS * by + BS * bx + cols * ty - 1,
      index_e = cols * BS * by + BS * bx + cols * ty + BS;
  __shared__ float temp[BS][BS], north[BS][BS], south[BS][BS], east[BS][BS], west[BS][BS];
  north[ty][tx] = by ? J[index_n] : J[BS * bx + tx];
  south[ty][tx] = by == gridDim.y - 1 ? J[cols * BS * (gridDim.y - 1) + BS * bx + cols * (BS - 1) + tx] : J[index_s];
  __syncthreads();
  west[ty][tx] = bx ? J[index_w] : J[cols * BS * by + cols * ty];
  east[ty][tx] = bx == gridDim.x - 1 ? J[cols * BS * by + BS * (gridDim.x - 1) + cols * ty + BS - 1] : J[index_e];
  __syncthreads();
  temp[ty][tx] = J[index];
  __syncthreads();
  float jc = temp[ty][tx], n, w, s, e;
  if (ty == 0 && tx == 0) {
    n = north[ty][tx] - jc;
    s = temp[ty + 1][tx] - jc;
    w = west[ty][tx] - jc;
    e = temp[ty][tx + 1] - jc;
  } else {
    n = (ty == 0 ? north[ty][tx] : temp[ty - 1][tx]) - jc;
    s = (ty == BS - 1 ? south[ty][tx] : temp[ty + 1][tx]) - jc;
    w = (tx == 0 ? west[ty][tx] : temp[ty][tx - 1]) - jc;
    e = (tx == BS - 1 ? east[ty][tx] : temp[ty][tx + 1]) - jc;
  }
  float g2 = (n * n + s * s + w * w + e * e) / (jc * jc), l = (n + s + w + e) / jc,
        num = (0.5f * g2) - ((1.0f / 16.0f) * (l * l)), den = 1 + (.25f * l), qsqr = num / (den * den);
  den = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
  float c = 1.0f / (1.0f + den);
  E_C[index] = c < 0 ? 0 : c > 1 ? 1 : c;
}
__global__ void collatz(const unsigned *in, int *steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned long long v = in[i];
  int k = 0;
  for (;; k++) {
    if (v == 1)
      break;
    if (v % 2 == 0) {
      v /= 2;
      continue;
    }
    v = 3 * v + 1;
    if (k > 10000)
      goto out;
  }
out:
  steps[i] = k;
}
__global__ void mandel(unsigned char *img, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  double cr = -2 + 3. * x / w, ci = -1.2 + 2.4 * y / h, zr = 0, zi = 0;
  int k = 0;
  do {
    double t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
  } while (zr * zr + zi * zi < 4 && ++k < 255);
  img[y * w + x] = k;
}
__global__ void grid3(int *o, int nx, int ny, int nz) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y,
      z = threadIdx.z + blockIdx.z * blockDim.z;
  __shared__ int s[4][4][4];
  s[threadIdx.z][threadIdx.y][threadIdx.x] = x + 10 * y + 100 * z;
  __syncthreads();
  if (x < nx && y < ny && z < nz)
    o[(z * ny + y) * nx + x] = s[3 - threadIdx.z][threadIdx.y][3 - threadIdx.x];
}
int main() {
  int c = 64, r = 48;
  float *E, *J;
  cudaMallocManaged(&E, c * r * 4);
  cudaMallocManaged(&J, c * r * 4);
  for (int i = 0; i < c * r; i++)
    J[i] = expf((i * 7 % 31) / 31.f);
  srad_cuda_1<<<dim3(c / BS, r / BS), dim3(BS, BS)>>>(E, J, c, r, .05f);
  CHECK(cudaDeviceSynchronize());
  for (int y = 0; y < r; y++)
    for (int x = 0; x < c; x++) {
      float jc = J[y * c + x], n = (y ? J[(y - 1) * c + x] : jc) - jc, s = (y < r - 1 ? J[(y + 1) * c + x] : jc) - jc,
            w = (x ? J[y * c + x - 1] : jc) - jc, e = (x < c - 1 ? J[y * c + x + 1] : jc) - jc,
            g2 = (n * n + s * s + w * w + e * e) / (jc * jc), l = (n + s + w + e) / jc, num = .5f * g2 - l * l / 16,
            den = 1 + .25f * l, q = num / (den * den);
      den = (q - .05f) / (.05f * 1.05f);
      float v = 1 / (1 + den);
      v = v < 0 ? 0 : v > 1 ? 1 : v;
      EXPECT(fabsf(E[y * c + x] - v) < 1e-3f);
    }
  unsigned *in;
  int *st;
  cudaMallocManaged(&in, 4000);
  cudaMallocManaged(&st, 4000);
  for (int i = 0; i < 1000; i++)
    in[i] = i + 1;
  collatz<<<8, 128>>>(in, st, 1000);
  CHECK(cudaDeviceSynchronize());
  EXPECT(st[26] == 111 && st[0] == 0 && st[6] == 16);
  unsigned char *im;
  cudaMallocManaged(&im, 100 * 80);
  mandel<<<dim3(4, 10), dim3(32, 8)>>>(im, 100, 80);
  CHECK(cudaDeviceSynchronize());
  EXPECT(im[40 * 100 + 60] == 255 && im[0] < 5);
  int *o;
  cudaMallocManaged(&o, 7 * 6 * 5 * 4);
  grid3<<<dim3(2, 2, 2), dim3(4, 4, 4)>>>(o, 7, 6, 5);
  CHECK(cudaDeviceSynchronize());
  for (int z = 0; z < 5; z++)
    for (int y = 0; y < 6; y++)
      for (int x = 0; x < 7; x++)
        EXPECT(o[(z * 6 + y) * 7 + x] == (x / 4 * 4 + 3 - x % 4) + 10 * y + 100 * (z / 4 * 4 + 3 - z % 4));
  return finish();
}
