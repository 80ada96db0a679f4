// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms in shared memory, a lattice Boltzmann step with tables in constant memory.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <complex>
#include <cuComplex.h>
#include <cuda_runtime.h>
#include <vector>
__global__ void fft(cuFloatComplex *d, int n, int logn, int dir) {
  extern __shared__ cuFloatComplex sm[];
  int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x)
    sm[__brev(i) >> (32 - logn)] = d[blockIdx.x * n + i];
  __syncthreads();
  for (int s = 1; s <= logn; s++) {
    int m = 1 << s, h = m / 2;
    for (int k = t; k < n / 2; k += blockDim.x) {
      int j = k % h, b = k / h * m + j;
      float sn, cs;
      sincospif(-2.f * dir * j / m, &sn, &cs);
      cuFloatComplex w = make_cuFloatComplex(cs, sn), u = sm[b], v = cuCmulf(w, sm[b + h]);
      sm[b] = cuCaddf(u, v);
      sm[b + h] = cuCsubf(u, v);
    }
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x)
    d[blockIdx.x * n + i] = sm[i];
}
#define Q 9
__constant__ int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float wt[Q] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
static const int hx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, hy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const float hw[Q] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
struct Fields {
  float *f[2];
  int nx, ny;
};
template <class CX, class W>
__host__ __device__ void cell(const float *in, float *out, int x, int y, int nx, int ny, const CX &cx_, const CX &cy_,
                              const W &w) {
  float f[Q], r = 0, u = 0, v = 0;
  for (int q = 0; q < Q; q++) {
    int xx = (x - cx_[q] + nx) % nx, yy = (y - cy_[q] + ny) % ny;
    f[q] = in[(q * ny + yy) * nx + xx];
    r += f[q];
    u += f[q] * cx_[q];
    v += f[q] * cy_[q];
  }
  u /= r;
  v /= r;
  for (int q = 0; q < Q; q++) {
    float cu = 3 * (cx_[q] * u + cy_[q] * v);
    out[(q * ny + y) * nx + x] = f[q] + 0.8f * (w[q] * r * (1 + cu + .5f * cu * cu - 1.5f * (u * u + v * v)) - f[q]);
  }
}
__global__ void lbm(Fields F, int k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < F.nx && y < F.ny)
    cell(F.f[k], F.f[1 - k], x, y, F.nx, F.ny, cx, cy, wt);
}
int main() {
  int n = 128, b = 3;
  cuFloatComplex *d;
  CHECK(cudaMallocManaged(&d, n * b * 8));
  std::vector<std::complex<double>> h(n * b);
  for (int i = 0; i < n * b; i++) {
    d[i] = make_cuFloatComplex(sinf(i * .7f), cosf(i * .3f));
    h[i] = {d[i].x, d[i].y};
  }
  fft<<<b, 32, n * 8>>>(d, n, 7, 1);
  CHECK(cudaDeviceSynchronize());
  for (int r = 0; r < b; r++)
    for (int k = 0; k < n; k += 7) {
      std::complex<double> s = 0;
      for (int j = 0; j < n; j++)
        s += h[r * n + j] * std::polar(1.0, -2 * M_PI * j * k / n);
      EXPECT(std::abs(s - std::complex<double>(d[r * n + k].x, d[r * n + k].y)) < 1e-3);
    }
  fft<<<b, 32, n * 8>>>(d, n, 7, -1);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n * b; i++)
    EXPECT(fabs(d[i].x / n - h[i].real()) < 1e-5);
  Fields F{{}, 37, 22};
  size_t sz = Q * F.nx * F.ny;
  for (auto &p : F.f)
    cudaMallocManaged(&p, sz * 4);
  std::vector<float> A(sz), B(sz);
  for (int q = 0; q < Q; q++)
    for (int i = 0; i < F.nx * F.ny; i++)
      A[q * F.nx * F.ny + i] = F.f[0][q * F.nx * F.ny + i] = hw[q] * (1 + .1f * (i % 7));
  for (int k = 0; k < 6; k++) {
    lbm<<<dim3(3, 6), dim3(16, 4)>>>(F, k & 1);
    for (int y = 0; y < F.ny; y++)
      for (int x = 0; x < F.nx; x++)
        cell(A.data(), B.data(), x, y, F.nx, F.ny, hx, hy, hw);
    std::swap(A, B);
  }
  CHECK(cudaDeviceSynchronize());
  for (size_t i = 0; i < sz; i++)
    EXPECT(fabsf(F.f[0][i] - A[i]) < 1e-4f);
  return finish();
}
