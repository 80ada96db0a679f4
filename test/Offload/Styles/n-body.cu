// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies in tiles of dynamic shared memory.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
#define SOFT 1e-3f
__device__ float3 bodyBodyInteraction(float3 ai, float4 bi, float4 bj) {
  float3 r;
  r.x = bj.x - bi.x;
  r.y = bj.y - bi.y;
  r.z = bj.z - bi.z;
  float d = r.x * r.x + r.y * r.y + r.z * r.z + SOFT;
  float inv = rsqrtf(d);
  float s = bj.w * inv * inv * inv;
  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}
__global__ void forces(const float4 *p, float3 *a, int n) {
  extern __shared__ float4 sp[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = i < n ? p[i] : make_float4(0, 0, 0, 0);
  float3 acc = {0, 0, 0};
  for (int t = 0; t < (n + blockDim.x - 1) / blockDim.x; t++) {
    int k = t * blockDim.x + threadIdx.x;
    sp[threadIdx.x] = k < n ? p[k] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < blockDim.x; j++)
      acc = bodyBodyInteraction(acc, me, sp[j]);
    __syncthreads();
  }
  if (i < n)
    a[i] = acc;
}
__global__ void integrate(float4 *p, float3 *v, const float3 *a, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  v[i].x += a[i].x * dt;
  v[i].y += a[i].y * dt;
  v[i].z += a[i].z * dt;
  p[i].x += v[i].x * dt;
  p[i].y += v[i].y * dt;
  p[i].z += v[i].z * dt;
}
int main() {
  int n = 300;
  float4 *p;
  float3 *v, *a;
  cudaMallocManaged(&p, n * 16);
  cudaMallocManaged(&v, n * 12);
  cudaMallocManaged(&a, n * 12);
  float4 *q = new float4[n];
  float3 *w = new float3[n]();
  for (int i = 0; i < n; i++) {
    p[i] = q[i] = make_float4(sinf(i), cosf(2 * i), sinf(3 * i), 1.f / (1 + i % 3));
    v[i] = make_float3(0, 0, 0);
  }
  for (int k = 0; k < 3; k++) {
    forces<<<(n + 127) / 128, 128, 128 * sizeof(float4)>>>(p, a, n);
    integrate<<<(n + 63) / 64, 64>>>(p, v, a, .01f, n);
    float3 *b = new float3[n];
    for (int i = 0; i < n; i++) {
      double x = 0, y = 0, z = 0;
      for (int j = 0; j < n; j++) {
        double dx = q[j].x - q[i].x, dy = q[j].y - q[i].y, dz = q[j].z - q[i].z, d = dx * dx + dy * dy + dz * dz + SOFT,
               s = q[j].w / (d * sqrt(d));
        x += dx * s;
        y += dy * s;
        z += dz * s;
      }
      b[i] = make_float3(x, y, z);
    }
    for (int i = 0; i < n; i++) {
      w[i].x += b[i].x * .01f;
      w[i].y += b[i].y * .01f;
      w[i].z += b[i].z * .01f;
      q[i].x += w[i].x * .01f;
      q[i].y += w[i].y * .01f;
      q[i].z += w[i].z * .01f;
    }
  }
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++)
    EXPECT(fabsf(p[i].x - q[i].x) < 2e-3f * (1 + fabsf(q[i].x)) &&
           fabsf(p[i].z - q[i].z) < 2e-3f * (1 + fabsf(q[i].z)));
  return finish();
}
