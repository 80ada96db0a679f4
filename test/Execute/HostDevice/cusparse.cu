// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RG-FLAGS: -lcusparse
//
// Products of cuSPARSE, with a vector and with dense matrices: reverse against forward mode and
// differences, for each format, width and base of indices, transposition and order of elements,
// with numbers in both kinds of memory, with buffers that are overwritten, and with a matrix whose
// descriptor was made outside.
#include "rgdirections.h"
#include <cmath>
#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>
#include <cusparse.h>
#include <vector>

#ifndef CUSPARSEAPI // programs ask for it
#error "CUSPARSEAPI"
#endif

enum { Csr, Csc, Coo };
enum { Rows = 5, Cols = 4, Elements = 9, Columns = 3, Dense = 3 * 32, Size = Elements + Dense };
// Row after row; the fourth is empty.
const int rowOf[Elements] = {0, 0, 1, 1, 1, 2, 2, 4, 4}, colOf[Elements] = {1, 3, 0, 1, 2, 3, 0, 2, 3};

struct Setting {
  int format, wide, base, ta, tb, orderB, orderC, matrix, device, set;
  cusparseSpMatDescr_t made; // outside
};

template <class T> __global__ void soften(T *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = sin(x[i]) + T(0.5) * x[i];
}

template <class T> constexpr cudaDataType type = sizeof(T) == sizeof(double) ? CUDA_R_64F : CUDA_R_32F;

template <class T> void *indices(const std::vector<int> &from, int wide) {
  std::vector<int64_t> many(from.begin(), from.end());
  size_t bytes = from.size() * (wide ? 8 : 4);
  void *p;
  cudaMalloc(&p, bytes);
  cudaMemcpy(p, wide ? (const void *)many.data() : from.data(), bytes, cudaMemcpyHostToDevice);
  return p;
}
// What describes the elements, whose order is that of rows, also where columns are compressed.
template <class T> cusparseSpMatDescr_t describe(const Setting *w, T *values, void **first, void **second) {
  int order[Elements], n = 0, lines = w->format == Csc ? Cols : Rows;
  for (int l = 0; l < lines; l++)
    for (int k = 0; k < Elements; k++)
      if ((w->format == Csc ? colOf : rowOf)[k] == l)
        order[n++] = k;
  std::vector<int> offsets, others;
  for (int k = 0, l = 0; k <= Elements; k++)
    for (; l <= lines && (k == Elements || (w->format == Csc ? colOf : rowOf)[order[k]] >= l); l++)
      offsets.push_back(k + w->base);
  if (w->format == Coo)
    offsets.clear();
  for (int k : order) {
    others.push_back((w->format == Csc ? rowOf : colOf)[k] + w->base);
    if (w->format == Coo)
      offsets.push_back(rowOf[k] + w->base);
  }
  *first = indices<T>(offsets, w->wide);
  *second = indices<T>(others, w->wide);
  cusparseIndexType_t index = w->wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
  cusparseIndexBase_t base = w->base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
  cusparseSpMatDescr_t A = 0;
  if (w->format == Csr)
    cusparseCreateCsr(&A, Rows, Cols, Elements, *first, *second, values, index, index, base, type<T>);
  else if (w->format == Csc)
    cusparseCreateCsc(&A, Rows, Cols, Elements, *first, *second, values, index, index, base, type<T>);
  else
    cusparseCreateCoo(&A, Rows, Cols, Elements, *first, *second, values, index, base, type<T>);
  return A;
}

template <class T> double f(const double *x, const Setting *w) {
  T host[Size + 2], *d, *numbers;
  for (int i = 0; i < Size + 2; i++)
    host[i] = x[i];
  cudaMalloc(&d, (Size + 2) * sizeof(T));
  cudaMemcpy(d, host, (Size + 2) * sizeof(T), cudaMemcpyHostToDevice);
  T *v = d, *B = d + Elements, *C = B + 32, *other = C + 32;
  cusparseHandle_t h;
  cusparseCreate(&h);
  T onHost[2] = {host[Size], host[Size + 1]};
  numbers = onHost;
  if (w->device) {
    cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE);
    numbers = d + Size;
  }
  void *first = 0, *second = 0;
  cusparseSpMatDescr_t A = w->made ? w->made : describe(w, w->set ? (T *)0 : v, &first, &second);
  if (w->set)
    cusparseSpMatSetValues(A, v);
  auto ta = w->ta ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
  auto tb = w->tb ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
  int m = w->ta ? Cols : Rows, k = w->ta ? Rows : Cols;
  size_t bytes = 0;
  void *buffer;
  cusparseStatus_t e;
  if (w->matrix) {
    int rowsB = w->tb ? Columns : k, colsB = w->tb ? k : Columns;
    cusparseDnMatDescr_t MB, MC;
    cusparseCreateDnMat(&MB, rowsB, colsB, w->orderB ? colsB + 1 : rowsB + 1, B, type<T>,
                        w->orderB ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL);
    cusparseCreateDnMat(&MC, m, Columns, w->orderC ? Columns + 1 : m + 1, C, type<T>,
                        w->orderC ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL);
    cusparseSpMM_bufferSize(h, ta, tb, numbers, A, MB, numbers + 1, MC, type<T>, CUSPARSE_SPMM_ALG_DEFAULT, &bytes);
    cudaMalloc(&buffer, bytes);
    for (int round = 0; round < 2; ++round) {
      e = cusparseSpMM(h, ta, tb, numbers, A, MB, numbers + 1, MC, type<T>, CUSPARSE_SPMM_ALG_DEFAULT, buffer);
      soften<<<2, 64>>>(d, Size); // changes what was read
    }
    cusparseDestroyDnMat(MB);
    cusparseDestroyDnMat(MC);
  } else {
    cusparseDnVecDescr_t X, Y;
    cusparseCreateDnVec(&X, k, B, type<T>);
    cusparseCreateDnVec(&Y, m, C, type<T>);
    cusparseSpMV_bufferSize(h, ta, numbers, A, X, numbers + 1, Y, type<T>, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
    cudaMalloc(&buffer, bytes);
    for (int round = 0; round < 2; ++round) {
      e = cusparseSpMV(h, ta, numbers, A, X, numbers + 1, Y, type<T>, CUSPARSE_SPMV_ALG_DEFAULT, buffer);
      soften<<<2, 64>>>(d, Size);
      if (w->set)
        cusparseDnVecSetValues(Y, other); // its old contents are read
    }
    cusparseDestroyDnVec(X);
    cusparseDestroyDnVec(Y);
  }
  if (e != CUSPARSE_STATUS_SUCCESS)
    return NAN;
  if (!w->made) {
    cusparseDestroySpMat(A);
    cudaFree(first);
    cudaFree(second);
  }
  cusparseDestroy(h);
  cudaFree(buffer);
  cudaMemcpy(host, d, Size * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(d);
  double s = 0;
  for (int i = 0; i < Size; ++i)
    s += host[i] * host[i] * (1 + i % 7) * 0.1;
  return s;
}

template <class T> void check(Setting w) {
  double x[Size + 2];
  bool exact = sizeof(T) == sizeof(double);
  for (int i = 0; i < Size + 2; ++i)
    x[i] = 0.7 * sin(1.0 + 5 * i);
  void *first = 0, *second = 0;
  T *values = 0, ones[Elements];
  if (w.made) { // with numbers of its own, which are constant
    for (int i = 0; i < Elements; ++i)
      ones[i] = 1 + i;
    cudaMalloc(&values, sizeof ones);
    cudaMemcpy(values, ones, sizeof ones, cudaMemcpyHostToDevice);
    w.made = describe(&w, values, &first, &second);
    // Other routines of the library get what it knows.
    int64_t rows, cols, elements;
    RG_TRUE(cusparseSpMatGetSize(w.made, &rows, &cols, &elements) == CUSPARSE_STATUS_SUCCESS && rows == Rows &&
             cols == Cols && elements == Elements);
  }
  rgCheckLanes(f<T>, x, Size + 2, &w, exact, exact ? 1e-10 : 1e-4);
  if (w.made) {
    cusparseDestroySpMat(w.made);
    cudaFree(first);
    cudaFree(second);
    cudaFree(values);
  }
}

int main() {
  int number = 0;
  for (int format = Csr; format <= Coo; ++format)
    for (int way = 0; way < 48; ++way) {
      Setting w = {format,       way & 1,     way >> 1 & 1,      way >> 2 & 1, way >> 3 & 1,
                   number / 3 & 1, number / 5 & 1, way >= 16, number % 4 == 0, number % 3 == 0, 0};
      ++number;
      if (number % 7 == 0 && !w.set)
        w.made = (cusparseSpMatDescr_t)1;
      check<double>(w);
      if (number % 5 == 0)
        check<float>(w);
    }
  return rgReport();
}
