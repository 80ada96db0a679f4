// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: openblas
// RG-FLAGS: -lcublas
//
// A perceptron of two layers, trained on the device: cuBLAS for the products, kernels for what is
// between them. The loss has to fall as it does with the gradient written by hand.
//
//     rg-clang++ --offload=cpu -O2 -I test/include examples/cuda/perceptron.cu -lcublas -o perceptron
#include "rgtest.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <vector>

extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

// Column by column one sample; biases are added to each.
__global__ void activate(double *z, const double *bias, int rows, int samples) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * samples)
    z[i] = tanh(z[i] + bias[i % rows]);
}
__global__ void squares(const double *out, const double *bias, const double *want, double *loss, int rows,
                        int samples) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * samples) {
    double d = out[i] + bias[i % rows] - want[i];
    loss[i] = 0.5 * d * d / samples;
  }
}
struct Net {
  int in, hidden, out, samples;
};
// w: the first layer's matrix and bias, then the second's. All of it is on the device already.
double loss(cublasHandle_t h, const double *w, const double *x, const double *want, Net n) {
  const double *w1 = w, *b1 = w1 + n.hidden * n.in, *w2 = b1 + n.hidden, *b2 = w2 + n.out * n.hidden;
  double *z, *y, *l, one = 1, zero = 0, sum = 0;
  cudaMalloc(&z, n.hidden * n.samples * sizeof(double));
  cudaMalloc(&y, n.out * n.samples * sizeof(double));
  cudaMalloc(&l, n.out * n.samples * sizeof(double));
  cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n.hidden, n.samples, n.in, &one, w1, n.hidden, x, n.in, &zero, z, n.hidden);
  activate<<<(n.hidden * n.samples + 127) / 128, 128>>>(z, b1, n.hidden, n.samples);
  cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n.out, n.samples, n.hidden, &one, w2, n.out, z, n.hidden, &zero, y, n.out);
  squares<<<(n.out * n.samples + 127) / 128, 128>>>(y, b2, want, l, n.out, n.samples);
  cublasDasum(h, n.out * n.samples, l, 1, &sum);
  cudaFree(z), cudaFree(y), cudaFree(l);
  return sum;
}

// The same by hand.
__global__ void errors(const double *y, const double *b2, const double *want, double *e, int rows, int samples) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * samples)
    e[i] = (y[i] + b2[i % rows] - want[i]) / samples;
}
__global__ void backThroughTanh(const double *z, double *e, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    e[i] *= 1 - z[i] * z[i];
}
__global__ void fill(double *p, double value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = value;
}
void byHand(cublasHandle_t h, const double *w, const double *x, const double *want, double *g, Net n) {
  const double *w1 = w, *b1 = w1 + n.hidden * n.in, *w2 = b1 + n.hidden, *b2 = w2 + n.out * n.hidden;
  double *g1 = g, *gb1 = g1 + n.hidden * n.in, *g2 = gb1 + n.hidden, *gb2 = g2 + n.out * n.hidden;
  double *z, *e, *d, *ones, one = 1, zero = 0;
  int hs = n.hidden * n.samples, os = n.out * n.samples;
  cudaMalloc(&z, hs * sizeof(double)), cudaMalloc(&d, hs * sizeof(double));
  cudaMalloc(&e, os * sizeof(double)), cudaMalloc(&ones, n.samples * sizeof(double));
  fill<<<(n.samples + 127) / 128, 128>>>(ones, 1, n.samples);
  cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n.hidden, n.samples, n.in, &one, w1, n.hidden, x, n.in, &zero, z, n.hidden);
  activate<<<(hs + 127) / 128, 128>>>(z, b1, n.hidden, n.samples);
  cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n.out, n.samples, n.hidden, &one, w2, n.out, z, n.hidden, &zero, e, n.out);
  errors<<<(os + 127) / 128, 128>>>(e, b2, want, e, n.out, n.samples);
  cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, n.out, n.hidden, n.samples, &one, e, n.out, z, n.hidden, &zero, g2, n.out);
  cublasDgemv(h, CUBLAS_OP_N, n.out, n.samples, &one, e, n.out, ones, 1, &zero, gb2, 1);
  cublasDgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, n.hidden, n.samples, n.out, &one, w2, n.out, e, n.out, &zero, d, n.hidden);
  backThroughTanh<<<(hs + 127) / 128, 128>>>(z, d, hs);
  cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, n.hidden, n.in, n.samples, &one, d, n.hidden, x, n.in, &zero, g1, n.hidden);
  cublasDgemv(h, CUBLAS_OP_N, n.hidden, n.samples, &one, d, n.hidden, ones, 1, &zero, gb1, 1);
  cudaFree(z), cudaFree(d), cudaFree(e), cudaFree(ones);
}

int main(int argc, char **argv) {
  Net n = {2, 8, 1, 24};
  int rounds = 60;
  if (argc > 4)
    n = {atoi(argv[1]), atoi(argv[2]), atoi(argv[3]), atoi(argv[4])}, rounds = argc > 5 ? atoi(argv[5]) : 10;
  int weights = n.hidden * n.in + n.hidden + n.out * n.hidden + n.out;
  std::vector<double> w(weights), x(n.in * n.samples), want(n.out * n.samples);
  for (int i = 0; i < weights; ++i)
    w[i] = sin(1.0 + 3 * i) / sqrt(n.hidden);
  for (int i = 0; i < n.in * n.samples; ++i)
    x[i] = sin(0.7 * i);
  for (int i = 0; i < n.out * n.samples; ++i)
    want[i] = tanh(x[i % n.samples * n.in] - 0.5 * x[i % n.samples * n.in + n.in - 1]);
  cublasHandle_t h;
  cublasCreate(&h);
  double *dw[2], *dg[2], *dx, *dwant, rate = -0.5, first = 0, last[2] = {};
  cudaMalloc(&dx, x.size() * sizeof(double)), cudaMalloc(&dwant, want.size() * sizeof(double));
  cudaMemcpy(dx, x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(dwant, want.data(), want.size() * sizeof(double), cudaMemcpyHostToDevice);
  for (int way = 0; way < 2; ++way) {
    cudaMalloc(&dw[way], weights * sizeof(double)), cudaMalloc(&dg[way], weights * sizeof(double));
    cudaMemcpy(dw[way], w.data(), weights * sizeof(double), cudaMemcpyHostToDevice);
    for (int round = 0; round < rounds; ++round) {
      if (way == 0) {
        cudaMemset(dg[0], 0, weights * sizeof(double));
        __enzyme_autodiff<void>((void *)loss, enzyme_const, h, enzyme_dup, dw[0], dg[0], enzyme_const, dx,
                                enzyme_const, dwant, enzyme_const, n);
      } else {
        byHand(h, dw[1], dx, dwant, dg[1], n);
      }
      cublasDaxpy(h, weights, &rate, dg[way], 1, dw[way], 1);
      double now = loss(h, dw[way], dx, dwant, n);
      if (round == 0)
        first = now;
      last[way] = now;
    }
  }
  printf("loss after one step %g, at the end %g, with gradients by hand %g\n", first, last[0], last[1]);
  RG_WITHIN(last[0], last[1], 1e-9);
  RG_TRUE(last[0] < 0.7 * first);
  for (int way = 0; way < 2; ++way)
    cudaFree(dw[way]), cudaFree(dg[way]);
  cudaFree(dx), cudaFree(dwant);
  cublasDestroy(h);
  return rgReport();
}
