// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences in three dimensions with a queue of planes, the game of life with margins.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
#define RADIUS 2
__constant__ float st[RADIUS + 1];
__global__ void fd3d(float *out, const float *in, int dx, int dy, int dz) {
  __shared__ float tile[8 + 2 * RADIUS][16 + 2 * RADIUS];
  const int gx = blockIdx.x * blockDim.x + threadIdx.x, gy = blockIdx.y * blockDim.y + threadIdx.y, lx = threadIdx.x,
            ly = threadIdx.y, wx = blockDim.x, wy = blockDim.y;
  bool valid = gx < dx && gy < dy;
  int sx = dx + 2 * RADIUS, sy = sx * (dy + 2 * RADIUS);
  int tx = lx + RADIUS, ty = ly + RADIUS, idx = gy * sx + gx + RADIUS * sx + RADIUS;
  float infront[RADIUS], behind[RADIUS], cur;
  int oi = 0;
  for (int i = RADIUS - 2; i >= 0; i--) {
    behind[i] = in[idx];
    idx += sy;
  }
  cur = in[idx];
  oi = idx;
  idx += sy;
  for (int i = 0; i < RADIUS; i++) {
    infront[i] = in[idx];
    idx += sy;
  }
#pragma unroll 3
  for (int iz = 0; iz < dz; iz++) {
    for (int i = RADIUS - 1; i > 0; i--)
      behind[i] = behind[i - 1];
    behind[0] = cur;
    cur = infront[0];
#pragma unroll
    for (int i = 0; i < RADIUS - 1; i++)
      infront[i] = infront[i + 1];
    infront[RADIUS - 1] = in[idx];
    idx += sy;
    oi += sy;
    __syncthreads();
    if (ly < RADIUS) {
      tile[ly][tx] = in[oi - RADIUS * sx];
      tile[ly + wy + RADIUS][tx] = in[oi + wy * sx];
    }
    if (lx < RADIUS) {
      tile[ty][lx] = in[oi - RADIUS];
      tile[ty][lx + wx + RADIUS] = in[oi + wx];
    }
    tile[ty][tx] = cur;
    __syncthreads();
    float v = st[0] * cur;
#pragma unroll
    for (int i = 1; i <= RADIUS; i++)
      v += st[i] *
           (infront[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] + tile[ty][tx - i] + tile[ty][tx + i]);
    if (valid)
      out[oi] = v;
  }
}
__global__ void life(const unsigned char *a, unsigned char *b, int w, int h) {
  extern __shared__ unsigned char s[];
  int x = blockIdx.x * (blockDim.x - 2) + threadIdx.x, y = blockIdx.y * (blockDim.y - 2) + threadIdx.y,
      i = threadIdx.y * blockDim.x + threadIdx.x;
  bool in = x <= w + 1 && y <= h + 1;
  if (in)
    s[i] = a[y * (w + 2) + x];
  __syncthreads();
  if (in && x >= 1 && x <= w && y >= 1 && y <= h && threadIdx.x > 0 && threadIdx.x < blockDim.x - 1 &&
      threadIdx.y > 0 && threadIdx.y < blockDim.y - 1) {
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++)
        n += s[i + dy * (int)blockDim.x + dx];
    n -= s[i];
    b[y * (w + 2) + x] = n == 3 || (n == 2 && s[i]);
  }
}
int main() {
  int X = 35, Y = 21, Z = 7, W = X + 2 * RADIUS, H = Y + 2 * RADIUS, D = Z + 2 * RADIUS;
  size_t n = (size_t)W * H * D + 16 * W * 16;
  float *a, *b, c[] = {.4f, .1f, .05f};
  cudaMallocManaged(&a, n * 4);
  cudaMallocManaged(&b, n * 4);
  for (size_t i = 0; i < n; i++)
    a[i] = (i * 37) % 23, b[i] = 0;
  CHECK(cudaMemcpyToSymbol(st, c, sizeof c));
  fd3d<<<dim3((X + 15) / 16, (Y + 7) / 8), dim3(16, 8)>>>(b, a, X, Y, Z);
  CHECK(cudaDeviceSynchronize());
  for (int z = 0; z < Z; z++)
    for (int y = 0; y < Y; y++)
      for (int x = 0; x < X; x++) {
        auto A = [&](int x, int y, int z) { return a[((z + RADIUS) * H + y + RADIUS) * W + x + RADIUS]; };
        float v = c[0] * A(x, y, z);
        for (int i = 1; i <= RADIUS; i++)
          v += c[i] *
               (A(x + i, y, z) + A(x - i, y, z) + A(x, y + i, z) + A(x, y - i, z) + A(x, y, z + i) + A(x, y, z - i));
        EXPECT(fabsf(b[((z + RADIUS) * H + y + RADIUS) * W + x + RADIUS] - v) < 1e-4f * (1 + fabsf(v)));
      }
  int w = 60, h = 40;
  unsigned char *p, *q;
  cudaMallocManaged(&p, (w + 2) * (h + 2));
  cudaMallocManaged(&q, (w + 2) * (h + 2));
  cudaMemset(p, 0, (w + 2) * (h + 2));
  cudaMemset(q, 0, (w + 2) * (h + 2));
  unsigned char *r = new unsigned char[(w + 2) * (h + 2)](), *t = new unsigned char[(w + 2) * (h + 2)]();
  for (int y = 1; y <= h; y++)
    for (int x = 1; x <= w; x++)
      p[y * (w + 2) + x] = r[y * (w + 2) + x] = (x * y + x) % 3 == 0;
  for (int k = 0; k < 10; k++) {
    life<<<dim3((w + 13) / 14, (h + 13) / 14), dim3(16, 16), 256>>>(p, q, w, h);
    CHECK(cudaDeviceSynchronize());
    for (int y = 1; y <= h; y++)
      for (int x = 1; x <= w; x++) {
        int n = -r[y * (w + 2) + x];
        for (int dy = -1; dy <= 1; dy++)
          for (int dx = -1; dx <= 1; dx++)
            n += r[(y + dy) * (w + 2) + x + dx];
        t[y * (w + 2) + x] = n == 3 || (n == 2 && r[y * (w + 2) + x]);
      }
    unsigned char *z = p;
    p = q;
    q = z;
    z = r;
    r = t;
    t = z;
  }
  for (int i = 0; i < (w + 2) * (h + 2); i++)
    EXPECT(p[i] == r[i]);
  return finish();
}
