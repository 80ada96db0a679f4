// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network trained in kernels: both modes against central differences, and each other.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
extern __device__ int enzyme_dup, enzyme_const, enzyme_dupnoneed;
template <class R, class... T> __device__ R __enzyme_autodiff(void *, T...);
template <class R, class... T> __device__ R __enzyme_fwddiff(void *, T...);
#define IN 8
#define HID 16
#define OUT 4
// a block per sample, a thread per hidden unit; softmax by warp shuffles
__device__ void net(const float *w1, const float *w2, const float *x, const int *label, float *loss) {
  __shared__ float h[HID];
  int t = threadIdx.x, b = blockIdx.x;
  if (t < HID) {
    float a = 0;
    for (int i = 0; i < IN; i++)
      a += w1[t * IN + i] * x[b * IN + i];
    h[t] = tanhf(a);
  }
  __syncthreads();
  float z = -1e30f;
  if (t < OUT) {
    z = 0;
    for (int i = 0; i < HID; i++)
      z += w2[t * HID + i] * h[i];
  }
  float e = t < OUT ? expf(z) : 0;
  float s = e;
  for (int o = 16; o; o >>= 1)
    s += __shfl_xor_sync(0xffffffffu, s, o);
  if (t == label[b])
    loss[b] = -logf(e / s);
}
__global__ void forward(const float *w1, const float *w2, const float *x, const int *l, float *loss) {
  net(w1, w2, x, l, loss);
}
__global__ void backward(const float *w1, float *d1, const float *w2, float *d2, const float *x, const int *l,
                         float *loss, float *dl) {
  __enzyme_autodiff<void>((void *)net, enzyme_dup, w1, d1, enzyme_dup, w2, d2, enzyme_const, x, enzyme_const, l,
                          enzyme_dup, loss, dl);
}
__global__ void tangent(const float *w1, const float *d1, const float *w2, const float *d2, const float *x,
                        const int *l, float *loss, float *dl) {
  __enzyme_fwddiff<void>((void *)net, enzyme_dup, w1, d1, enzyme_dup, w2, d2, enzyme_const, x, enzyme_const, l,
                         enzyme_dup, loss, dl);
}
__global__ void sgd(float *w, const float *d, float lr, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    w[i] -= lr * d[i];
}
int main() {
  const int B = 24;
  float *w1, *w2, *d1, *d2, *x, *loss, *dl;
  int *l;
  cudaMallocManaged(&w1, HID * IN * 4);
  cudaMallocManaged(&d1, HID * IN * 4);
  cudaMallocManaged(&w2, OUT * HID * 4);
  cudaMallocManaged(&d2, OUT * HID * 4);
  cudaMallocManaged(&x, B * IN * 4);
  cudaMallocManaged(&loss, B * 4);
  cudaMallocManaged(&dl, B * 4);
  cudaMallocManaged(&l, B * 4);
  for (int i = 0; i < HID * IN; i++)
    w1[i] = .3f * sinf(i);
  for (int i = 0; i < OUT * HID; i++)
    w2[i] = .3f * cosf(i);
  for (int i = 0; i < B * IN; i++)
    x[i] = sinf(i * 1.7f);
  for (int i = 0; i < B; i++)
    l[i] = i % OUT;
  auto total = [&] {
    forward<<<B, 32>>>(w1, w2, x, l, loss);
    CHECK(cudaDeviceSynchronize());
    double s = 0;
    for (int i = 0; i < B; i++)
      s += loss[i];
    return s;
  };
  auto grad = [&] {
    cudaMemset(d1, 0, HID * IN * 4);
    cudaMemset(d2, 0, OUT * HID * 4);
    for (int i = 0; i < B; i++)
      dl[i] = 1;
    backward<<<B, 32>>>(w1, d1, w2, d2, x, l, loss, dl);
    CHECK(cudaDeviceSynchronize());
  };
  grad();
  for (int i = 0; i < HID * IN; i += 9) {
    float o = w1[i], h = 1e-2f;
    w1[i] = o + h;
    double a = total();
    w1[i] = o - h;
    double b = total();
    w1[i] = o;
    EXPECT(fabs((a - b) / (2 * h) - d1[i]) < 5e-3 * (1 + fabs(d1[i])));
  }
  for (int i = 0; i < OUT * HID; i += 7) {
    float o = w2[i], h = 1e-2f;
    w2[i] = o + h;
    double a = total();
    w2[i] = o - h;
    double b = total();
    w2[i] = o;
    EXPECT(fabs((a - b) / (2 * h) - d2[i]) < 5e-3 * (1 + fabs(d2[i])));
  }
  float *t1, *t2, *tl;
  cudaMallocManaged(&t1, HID * IN * 4);
  cudaMallocManaged(&t2, OUT * HID * 4);
  cudaMallocManaged(&tl, B * 4);
  double dot = 0, fw = 0;
  for (int i = 0; i < HID * IN; i++)
    dot += (t1[i] = i % 3 - 1) * d1[i];
  for (int i = 0; i < OUT * HID; i++)
    dot += (t2[i] = i % 2) * d2[i];
  tangent<<<B, 32>>>(w1, t1, w2, t2, x, l, loss, tl);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < B; i++)
    fw += tl[i];
  EXPECT(fabs(fw - dot) < 1e-3 * (1 + fabs(dot)));
  double before = total();
  for (int k = 0; k < 300; k++) {
    grad();
    sgd<<<2, 64>>>(w1, d1, .03f, HID * IN);
    sgd<<<1, 64>>>(w2, d2, .03f, OUT * HID);
  }
  double after = total();
  printf("%f %f\n", before, after);
  EXPECT(after < .7 * before);
  return finish();
}
