// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: openblas
// RUN: %rgcxx -O2 -I%S/../../test/include %s --offload=cpu -o %t -lcusparse -lcublas
// RUN: %t
//
// A stationary heat equation on a square, -div(k grad u) = f, solved by conjugate gradients: a kernel
// writes the matrix, cuSPARSE multiplies with it, cuBLAS has the rest. The number of rounds depends
// on the numbers. The gradient of the distance to a measured temperature with respect to the
// conductivity and the sources, in one call, and beside it what the adjoint equation says.
//
//     rg-clang++ --offload=cpu -O2 -I test/include examples/cuda/conjugate-gradients.cu -o cg -lcusparse -lcublas && ./cg 48
#include "rgtest.h"
#include <cmath>
#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusparse.h>
#include <vector>

extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

// Row i * m + j: the point, and its neighbours above, left, right and below. Between two points the
// mean of their conductivities counts; at the edge the temperature is 0.
__global__ void assemble(const double *conductivity, const int *offsets, double *values, int m) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, i = row / m, j = row % m;
  if (row >= m * m)
    return;
  const int di[] = {-1, 0, 0, 1}, dj[] = {0, -1, 1, 0};
  double diagonal = 0, own = conductivity[row];
  int at = offsets[row], place = 0;
  for (int n = 0; n < 4; n++) {
    if (n == 2)
      place = at++; // the point itself
    int y = i + di[n], x = j + dj[n];
    bool inside = y >= 0 && y < m && x >= 0 && x < m;
    double between = inside ? 0.5 * (own + conductivity[y * m + x]) : own;
    diagonal += between;
    if (inside)
      values[at++] = -between;
  }
  values[place] = diagonal;
}

struct Grid {
  int m, elements;
  std::vector<int> offsets, columns;
  explicit Grid(int m) : m(m), offsets(1, 0) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) {
        for (int n : {-m, -1, 0, 1, m})
          if ((n != -m || i) && (n != -1 || j) && (n != 1 || j + 1 < m) && (n != m || i + 1 < m))
            columns.push_back(i * m + j + n);
        offsets.push_back((int)columns.size());
      }
    elements = (int)columns.size();
  }
};

// The distance to `measured`, which may be null: then the temperature goes there.
double solve(const double *conductivity, const double *sources, const double *measured, double *temperature, int m,
             int elements, const int *offsets, const int *columns, int *rounds) {
  int n = m * m;
  double *k, *values, *u, *r, *p, *Ap, one = 1, zero = 0, minus = -1;
  int *o, *c;
  cudaMalloc(&k, n * sizeof(double));
  cudaMalloc(&values, elements * sizeof(double));
  cudaMalloc(&u, n * sizeof(double));
  cudaMalloc(&r, n * sizeof(double));
  cudaMalloc(&p, n * sizeof(double));
  cudaMalloc(&Ap, n * sizeof(double));
  cudaMalloc(&o, (n + 1) * sizeof(int));
  cudaMalloc(&c, elements * sizeof(int));
  cudaMemcpy(k, conductivity, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(r, sources, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(o, offsets, (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(c, columns, elements * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(u, 0, n * sizeof(double));
  assemble<<<(n + 127) / 128, 128>>>(k, o, values, m);

  cublasHandle_t blas;
  cusparseHandle_t sparse;
  cusparseSpMatDescr_t A;
  cusparseDnVecDescr_t vp, vAp;
  cublasCreate(&blas);
  cusparseCreate(&sparse);
  cusparseCreateCsr(&A, n, n, elements, o, c, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  cusparseCreateDnVec(&vp, n, p, CUDA_R_64F);
  cusparseCreateDnVec(&vAp, n, Ap, CUDA_R_64F);
  size_t bytes;
  void *buffer;
  cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, vp, &zero, vAp, CUDA_R_64F,
                          CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
  cudaMalloc(&buffer, bytes);

  double rr, first, last, pAp;
  cublasDcopy(blas, n, r, 1, p, 1);
  cublasDdot(blas, n, r, 1, r, 1, &rr);
  first = rr;
  int round = 0;
  for (; rr > 1e-22 * first && round < 10 * m; ++round) {
    cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, vp, &zero, vAp, CUDA_R_64F,
                 CUSPARSE_SPMV_ALG_DEFAULT, buffer);
    cublasDdot(blas, n, p, 1, Ap, 1, &pAp);
    double step = rr / pAp, back = -step;
    cublasDaxpy(blas, n, &step, p, 1, u, 1);
    cublasDaxpy(blas, n, &back, Ap, 1, r, 1);
    last = rr;
    cublasDdot(blas, n, r, 1, r, 1, &rr);
    double more = rr / last;
    cublasDscal(blas, n, &more, p, 1);
    cublasDaxpy(blas, n, &one, r, 1, p, 1);
  }
  *rounds = round;

  double distance = 0;
  if (measured) {
    cudaMemcpy(r, measured, n * sizeof(double), cudaMemcpyHostToDevice);
    cublasDaxpy(blas, n, &minus, r, 1, u, 1);
    cublasDdot(blas, n, u, 1, u, 1, &distance);
  } else {
    cudaMemcpy(temperature, u, n * sizeof(double), cudaMemcpyDeviceToHost);
  }
  cusparseDestroySpMat(A);
  cusparseDestroyDnVec(vp);
  cusparseDestroyDnVec(vAp);
  cusparseDestroy(sparse);
  cublasDestroy(blas);
  cudaFree(k), cudaFree(values), cudaFree(u), cudaFree(r), cudaFree(p), cudaFree(Ap), cudaFree(o), cudaFree(c);
  cudaFree(buffer);
  return distance;
}

int main(int argc, char **argv) {
  int m = argc > 1 ? atoi(argv[1]) : 12, n = m * m, rounds;
  Grid grid(m);
  std::vector<double> k(n), f(n), measured(n), gk(n), gf(n), tk(n), tf(n), u(n);
  for (int i = 0; i < n; i++) {
    k[i] = 1 + 0.5 * sin(0.7 * i);
    f[i] = cos(0.3 * i) + 1;
    measured[i] = 0.1 * sin(0.2 * i);
    tk[i] = cos(1.3 * i);
    tf[i] = sin(2.1 * i + 1);
  }
  auto at = [&](double h) {
    std::vector<double> kh = k, fh = f;
    for (int i = 0; i < n; i++)
      kh[i] += h * tk[i], fh[i] += h * tf[i];
    return solve(kh.data(), fh.data(), measured.data(), nullptr, m, grid.elements, grid.offsets.data(),
                 grid.columns.data(), &rounds);
  };
  __enzyme_autodiff<double>((void *)solve, enzyme_dup, k.data(), gk.data(), enzyme_dup, f.data(), gf.data(),
                            enzyme_const, measured.data(), enzyme_const, (double *)nullptr, m, grid.elements,
                            enzyme_const, grid.offsets.data(), enzyme_const, grid.columns.data(), enzyme_const,
                            &rounds);
  double along = 0, tangent, h = 1e-5;
  for (int i = 0; i < n; i++)
    along += tk[i] * gk[i] + tf[i] * gf[i];
  tangent = __enzyme_fwddiff<double>((void *)solve, enzyme_dup, k.data(), tk.data(), enzyme_dup, f.data(), tf.data(),
                                     enzyme_const, measured.data(), enzyme_const, (double *)nullptr, m,
                                     grid.elements, enzyme_const, grid.offsets.data(), enzyme_const,
                                     grid.columns.data(), enzyme_const, &rounds);
  printf("%d unknowns, %d rounds\n", n, rounds);
  RG_WITHIN(along, (at(h) - at(-h)) / (2 * h), 1e-6);
  RG_WITHIN(tangent, along, 1e-9);
  // A is symmetric: the adjoint of the sources solves the same equation.
  std::vector<double> other(n), adjoint(n);
  solve(k.data(), f.data(), nullptr, u.data(), m, grid.elements, grid.offsets.data(), grid.columns.data(), &rounds);
  for (int i = 0; i < n; i++)
    other[i] = 2 * (u[i] - measured[i]);
  solve(k.data(), other.data(), nullptr, adjoint.data(), m, grid.elements, grid.offsets.data(), grid.columns.data(),
        &rounds);
  for (int i = 0; i < n; i += n / 7)
    RG_WITHIN(gf[i], adjoint[i], 1e-6);
  return rgReport();
}
