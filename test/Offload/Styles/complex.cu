// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuComplex.h: a Fourier transform, the Mandelbrot set.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuComplex.h>
#include <cuda_runtime.h>
typedef cuFloatComplex cf;
__global__ void dft(const cuDoubleComplex *x, cuDoubleComplex *y, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n)
    return;
  cuDoubleComplex s = make_cuDoubleComplex(0, 0);
  for (int j = 0; j < n; j++) {
    double a = -2 * M_PI * j * k / n;
    s = cuCadd(s, cuCmul(x[j], make_cuDoubleComplex(cos(a), sin(a))));
  }
  y[k] = s;
}
__device__ static __inline__ cf cexpfc(cf z) {
  float t = expf(z.x);
  return make_cuFloatComplex(t * cosf(z.y), t * sinf(z.y));
}
__global__ void mandel(int *o, int w, int h, int it) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    cf c = make_cuComplex(-2.f + 3.f * x / w, -1.f + 2.f * y / h), z = make_cuFloatComplex(0, 0);
    int k = 0;
    while (k < it && cuCabsf(z) < 2) {
      z = cuCaddf(cuCmulf(z, z), c);
      k++;
    }
    o[y * w + x] = k;
  }
}
__global__ void one(cf *o, double *d) {
  cf a = make_cuFloatComplex(3, 4), b = make_cuFloatComplex(1, -2);
  o[0] = cuCdivf(a, b);
  o[1] = cuConjf(a);
  o[2] = cuCsubf(a, b);
  o[3] = cexpfc(make_cuFloatComplex(0, 1));
  o[4] = cuCfmaf(a, b, a);
  d[0] = cuCabs(make_cuDoubleComplex(3, 4));
  d[1] = cuCreal(cuComplexFloatToDouble(a)) + cuCimag(cuCdiv(make_cuDoubleComplex(1, 1), make_cuDoubleComplex(0, 1)));
}
int main() {
  int n = 16;
  cuDoubleComplex *x, *y;
  cudaMallocManaged(&x, 16 * n);
  cudaMallocManaged(&y, 16 * n);
  for (int i = 0; i < n; i++)
    x[i] = make_cuDoubleComplex(cos(2 * M_PI * 3 * i / n), 0);
  dft<<<1, 32>>>(x, y, n);
  CHECK(cudaDeviceSynchronize());
  EXPECT(fabs(y[3].x - 8) < 1e-9 && fabs(y[2].x) < 1e-9);
  int *o;
  cudaMallocManaged(&o, 64 * 48 * 4);
  mandel<<<dim3(4, 6), dim3(16, 8)>>>(o, 64, 48, 50);
  CHECK(cudaDeviceSynchronize());
  for (int yy = 0; yy < 48; yy++)
    for (int xx = 0; xx < 64; xx++) {
      float cx = -2.f + 3.f * xx / 64, cy = -1.f + 2.f * yy / 48, zx = 0, zy = 0;
      int k = 0;
      while (k < 50 && sqrtf(zx * zx + zy * zy) < 2) {
        float t = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = t;
        k++;
      }
      EXPECT(abs(o[yy * 64 + xx] - k) <= 1 || k > 20);
    }
  cf *c;
  double *d;
  cudaMallocManaged(&c, 64);
  cudaMallocManaged(&d, 16);
  one<<<1, 1>>>(c, d);
  CHECK(cudaDeviceSynchronize());
  EXPECT(fabsf(c[0].x + 1) < 1e-6 && fabsf(c[0].y - 2) < 1e-6 && c[1].y == -4 && c[2].y == 6 &&
         fabsf(c[3].x - cosf(1)) < 1e-6 && c[4].x == 14 && c[4].y == 2 && d[0] == 5 && d[1] == 2);
  return finish();
}
