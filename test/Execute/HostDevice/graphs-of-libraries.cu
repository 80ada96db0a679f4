// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RG-FLAGS: -lcublas -lcusparse -lcufft
//
// Calls of libraries in streams that are captured: numbers on the host are what they are when the call is captured,
// those on the device what they are when the graph is launched; results on the device; handles that are set to other
// streams and modes afterwards, and descriptors that are changed and destroyed.
#include "gradients.h"
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cufft.h>
#include <cusparse.h>

__global__ void quotient(const double *a, const double *b, double *to, double *negative) {
  *to = *a / *b;
  *negative = -*to;
}
__global__ void fill(double *r, double *x, const double *b, int n) {
  int i = threadIdx.x;
  if (i < n)
    r[i] = b[i], x[i] = 0;
}
// Conjugate gradients for a tridiagonal matrix of x; an iteration is a graph.
double conjugateGradients(const double *x, int n) {
  int rows[65], cols[192], elements = 0;
  double values[192], y[64], s = 0, rr = 1, one = 1, zero = 0;
  for (int i = 0; i < n; i++) {
    rows[i] = elements;
    for (int j = i ? i - 1 : 0; j <= i + 1 && j < n; j++) {
      cols[elements] = j;
      values[elements++] = i == j ? 4 + x[i] : -x[(i + j) / 2];
    }
  }
  rows[n] = elements;
  int *dRows, *dCols;
  double *A, *u, *r, *p, *Ap, *number;
  cudaMalloc(&dRows, sizeof rows), cudaMalloc(&dCols, sizeof cols), cudaMalloc(&A, sizeof values);
  for (double **v : {&u, &r, &p, &Ap})
    cudaMalloc(v, n * sizeof(double));
  cudaMalloc(&number, 8 * sizeof(double));
  double *now = number, *before = number + 1, *pAp = number + 2, *a = number + 3, *minus = number + 4, *b = number + 5,
         *unused = number + 6;
  cudaMemcpy(dRows, rows, (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dCols, cols, elements * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(A, values, elements * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(p, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaStream_t q, other;
  cudaStreamCreate(&q), cudaStreamCreate(&other);
  cublasHandle_t blas;
  cusparseHandle_t sparse;
  cublasCreate(&blas), cusparseCreate(&sparse);
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t from, to;
  cusparseCreateCsr(&matrix, n, n, elements, dRows, dCols, A, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  cusparseCreateDnVec(&from, n, p, CUDA_R_64F), cusparseCreateDnVec(&to, n, Ap, CUDA_R_64F);
  size_t bytes;
  void *buffer;
  cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &zero, to, CUDA_R_64F,
                          CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
  cudaMalloc(&buffer, bytes);
  cublasSetStream(blas, q), cusparseSetStream(sparse, q);
  fill<<<1, 64, 0, q>>>(r, u, p, n);
  cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE);
  cublasDdot(blas, n, r, 1, r, 1, now);

  cudaGraph_t g;
  cudaGraphExec_t e;
  double shrunk = 1 + 0.01 * x[1];
  cudaStreamBeginCapture(q, cudaStreamCaptureModeGlobal);
  cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &shrunk, matrix, from, &zero, to, CUDA_R_64F,
               CUSPARSE_SPMV_ALG_DEFAULT, buffer);
  cublasDdot(blas, n, p, 1, Ap, 1, pAp);
  quotient<<<1, 1, 0, q>>>(now, pAp, a, minus);
  cublasDaxpy(blas, n, a, p, 1, u, 1);
  cublasDaxpy(blas, n, minus, Ap, 1, r, 1);
  cudaMemcpyAsync(before, now, sizeof(double), cudaMemcpyDeviceToDevice, q);
  cublasDdot(blas, n, r, 1, r, 1, now);
  quotient<<<1, 1, 0, q>>>(now, before, b, unused);
  cublasDscal(blas, n, b, p, 1);
  cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST);
  cublasDaxpy(blas, n, &one, r, 1, p, 1);
  cudaMemcpyAsync(&rr, now, sizeof(double), cudaMemcpyDeviceToHost, q);
  cudaStreamEndCapture(q, &g);
  // None of this is the graph's business.
  one = 17, shrunk = 19;
  cublasSetStream(blas, other), cusparseSetStream(sparse, other);
  cusparseDnVecSetValues(from, u);
  cusparseDestroySpMat(matrix), cusparseDestroyDnVec(from), cusparseDestroyDnVec(to);
  cudaGraphInstantiate(&e, g, 0);
  cudaGraphDestroy(g);
  for (int k = 0; k < 4 && rr > 1e-9; k++) {
    cudaGraphLaunch(e, q);
    cudaStreamSynchronize(q);
  }
  double scale = 1 + x[2];
  cublasDscal(blas, n, &scale, u, 1); // now
  cudaStreamSynchronize(other);
  cudaMemcpy(y, u, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    s += y[i] * y[i] * (1 + i % 3);
  cudaGraphExecDestroy(e);
  cublasDestroy(blas), cusparseDestroy(sparse);
  cudaStreamDestroy(q), cudaStreamDestroy(other);
  cudaFree(dRows), cudaFree(dCols);
  for (double *v : {A, u, r, p, Ap, number})
    cudaFree(v);
  cudaFree(buffer);
  return s;
}

__global__ void bend(double *x, double rate, int n) {
  int i = threadIdx.x;
  if (i < n)
    x[i] = sin(x[i]) + rate * x[i];
}
// A transform and back, products of matrices by two names, an active number of the host; plans and handles whose
// streams are set in other orders.
double transformed(const double *x, int n) {
  double *d, *half, *square, y[64], s = 0, a = 0.5 + x[0], b = 0.25 * x[1], part = 1.0 / n;
  cufftHandle there, back;
  cublasHandle_t blas;
  cudaStream_t q, two;
  cudaEvent_t fork, join;
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaStreamCreate(&q), cudaStreamCreate(&two);
  cudaEventCreate(&fork), cudaEventCreate(&join);
  cudaMalloc(&d, n * sizeof(double)), cudaMalloc(&half, (n + 2) * sizeof(double));
  cudaMalloc(&square, n * sizeof(double));
  size_t bytes;
  cufftCreate(&there);
  cufftSetStream(there, q);
  cufftMakePlan1d(there, n, CUFFT_D2Z, 1, &bytes);
  cufftPlan1d(&back, n, CUFFT_Z2D, 1);
  cufftSetStream(back, q);
  cublasCreate(&blas);
  cublasSetStream(blas, two);
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemset(square, 0, n * sizeof(double));
  int m = 4, k = n / m;
  cudaStreamBeginCapture(q, cudaStreamCaptureModeGlobal);
  cufftExecD2Z(there, d, (cufftDoubleComplex *)half);
  bend<<<1, 64, 0, q>>>(half, x[3], n + 2);
  cublasSetStream(blas, q);
  cublasDscal(blas, n + 2, &part, half, 1);
  cublasSetStream(blas, two);
  cufftExecZ2D(back, (cufftDoubleComplex *)half, d);
  cudaEventRecord(fork, q);
  cudaStreamWaitEvent(two, fork, 0);
  cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, m, m, k, &a, d, m, d, m, &b, square, m);
  cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, m, m, m, &b, square, CUDA_R_64F, m, square, CUDA_R_64F, m, &a, d,
               CUDA_R_64F, m, CUBLAS_COMPUTE_64F, CUBLAS_GEMM_DEFAULT);
  cudaEventRecord(join, two);
  cudaStreamWaitEvent(q, join, 0);
  bend<<<1, 64, 0, q>>>(d, 0.1, n);
  cudaStreamEndCapture(q, &g);
  a = 3, b = 4;
  cufftSetStream(there, two);
  cudaGraphInstantiate(&e, g, 0);
  for (int i = 0; i < 2; i++)
    cudaGraphLaunch(e, i ? q : two), cudaDeviceSynchronize();
  cudaMemcpy(y, d, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    s += y[i] * (1 + i % 3);
  cudaGraphExecDestroy(e), cudaGraphDestroy(g);
  cufftDestroy(there), cufftDestroy(back), cublasDestroy(blas);
  cudaEventDestroy(fork), cudaEventDestroy(join);
  cudaStreamDestroy(q), cudaStreamDestroy(two);
  cudaFree(d), cudaFree(half), cudaFree(square);
  return s;
}

int main() {
  rgCheckGradient(conjugateGradients, 12, 0.3);
  rgCheckGradient(transformed, 16, 0.02);
  return rgReport();
}
