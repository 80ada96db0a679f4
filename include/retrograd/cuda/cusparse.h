//===- cusparse.h - cuSPARSE on this machine ------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is declared here is implemented in runtime/cuda/libraries/Cusparse.cpp.
// What is not declared does not exist.
//
#ifndef RETROGRAD_CUDA_CUSPARSE_H
#define RETROGRAD_CUDA_CUSPARSE_H
// Programs ask for this name to know whether the library is there.
#define CUSPARSEAPI

#include "driver_types.h"
#include "library_types.h"
#include <stddef.h>
#include <stdint.h>

typedef enum {
  CUSPARSE_STATUS_SUCCESS = 0,
  CUSPARSE_STATUS_NOT_INITIALIZED = 1,
  CUSPARSE_STATUS_ALLOC_FAILED = 2,
  CUSPARSE_STATUS_INVALID_VALUE = 3,
  CUSPARSE_STATUS_ARCH_MISMATCH = 4,
  CUSPARSE_STATUS_MAPPING_ERROR = 5,
  CUSPARSE_STATUS_EXECUTION_FAILED = 6,
  CUSPARSE_STATUS_INTERNAL_ERROR = 7,
  CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
  CUSPARSE_STATUS_ZERO_PIVOT = 9,
  CUSPARSE_STATUS_NOT_SUPPORTED = 10,
  CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} cusparseStatus_t;
typedef enum {
  CUSPARSE_POINTER_MODE_HOST = 0,
  CUSPARSE_POINTER_MODE_DEVICE = 1
} cusparsePointerMode_t;
typedef enum {
  CUSPARSE_INDEX_BASE_ZERO = 0,
  CUSPARSE_INDEX_BASE_ONE = 1
} cusparseIndexBase_t;
typedef enum {
  CUSPARSE_OPERATION_NON_TRANSPOSE = 0,
  CUSPARSE_OPERATION_TRANSPOSE = 1,
  CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
} cusparseOperation_t;
typedef enum {
  CUSPARSE_FORMAT_CSR = 1,
  CUSPARSE_FORMAT_CSC = 2,
  CUSPARSE_FORMAT_COO = 3
} cusparseFormat_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum {
  CUSPARSE_INDEX_16U = 1,
  CUSPARSE_INDEX_32I = 2,
  CUSPARSE_INDEX_64I = 3
} cusparseIndexType_t;
typedef enum {
  CUSPARSE_SPMV_ALG_DEFAULT = 0,
  CUSPARSE_SPMV_COO_ALG1 = 1,
  CUSPARSE_SPMV_CSR_ALG1 = 2,
  CUSPARSE_SPMV_CSR_ALG2 = 3,
  CUSPARSE_SPMV_COO_ALG2 = 4
} cusparseSpMVAlg_t;
typedef enum {
  CUSPARSE_SPMM_ALG_DEFAULT = 0,
  CUSPARSE_SPMM_COO_ALG1 = 1,
  CUSPARSE_SPMM_COO_ALG2 = 2,
  CUSPARSE_SPMM_COO_ALG3 = 3,
  CUSPARSE_SPMM_CSR_ALG1 = 4,
  CUSPARSE_SPMM_COO_ALG4 = 5,
  CUSPARSE_SPMM_CSR_ALG2 = 6,
  CUSPARSE_SPMM_CSR_ALG3 = 12
} cusparseSpMMAlg_t;

/* Of matrices as older routines describe them, which are not here. */
typedef enum {
  CUSPARSE_MATRIX_TYPE_GENERAL = 0,
  CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1,
  CUSPARSE_MATRIX_TYPE_HERMITIAN = 2,
  CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
} cusparseMatrixType_t;
typedef enum {
  CUSPARSE_FILL_MODE_LOWER = 0,
  CUSPARSE_FILL_MODE_UPPER = 1
} cusparseFillMode_t;
typedef enum {
  CUSPARSE_DIAG_TYPE_NON_UNIT = 0,
  CUSPARSE_DIAG_TYPE_UNIT = 1
} cusparseDiagType_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;

typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef const struct cusparseSpMatDescr *cusparseConstSpMatDescr_t;
typedef const struct cusparseDnVecDescr *cusparseConstDnVecDescr_t;
typedef const struct cusparseDnMatDescr *cusparseConstDnMatDescr_t;

#ifdef __cplusplus
extern "C" {
#endif
cusparseStatus_t cusparseCreate(cusparseHandle_t *handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle,
                                   cudaStream_t stream);
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle,
                                   cudaStream_t *stream);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle,
                                        cusparsePointerMode_t mode);
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle,
                                        cusparsePointerMode_t *mode);
const char *cusparseGetErrorName(cusparseStatus_t status);
const char *cusparseGetErrorString(cusparseStatus_t status);
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descriptor);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descriptor);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descriptor,
                                    cusparseMatrixType_t type);
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descriptor);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descriptor,
                                        cusparseFillMode_t fill);
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descriptor);
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descriptor,
                                        cusparseDiagType_t diag);
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descriptor);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descriptor,
                                         cusparseIndexBase_t base);
cusparseIndexBase_t
cusparseGetMatIndexBase(const cusparseMatDescr_t descriptor);

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *matrix, int64_t rows,
                                   int64_t cols, int64_t nnz, void *rowOffsets,
                                   void *colInd, void *values,
                                   cusparseIndexType_t rowOffsetsType,
                                   cusparseIndexType_t colIndType,
                                   cusparseIndexBase_t idxBase,
                                   cudaDataType valueType);
cusparseStatus_t cusparseCreateConstCsr(
    cusparseConstSpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz,
    const void *rowOffsets, const void *colInd, const void *values,
    cusparseIndexType_t rowOffsetsType, cusparseIndexType_t colIndType,
    cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *matrix, int64_t rows,
                                   int64_t cols, int64_t nnz, void *colOffsets,
                                   void *rowInd, void *values,
                                   cusparseIndexType_t colOffsetsType,
                                   cusparseIndexType_t rowIndType,
                                   cusparseIndexBase_t idxBase,
                                   cudaDataType valueType);
cusparseStatus_t cusparseCreateConstCsc(
    cusparseConstSpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz,
    const void *colOffsets, const void *rowInd, const void *values,
    cusparseIndexType_t colOffsetsType, cusparseIndexType_t rowIndType,
    cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *matrix, int64_t rows,
                                   int64_t cols, int64_t nnz, void *rowInd,
                                   void *colInd, void *values,
                                   cusparseIndexType_t idxType,
                                   cusparseIndexBase_t idxBase,
                                   cudaDataType valueType);
cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *matrix,
                                        int64_t rows, int64_t cols, int64_t nnz,
                                        const void *rowInd, const void *colInd,
                                        const void *values,
                                        cusparseIndexType_t idxType,
                                        cusparseIndexBase_t idxBase,
                                        cudaDataType valueType);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix,
                                        void *rowOffsets, void *colInd,
                                        void *values);
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t matrix,
                                        void *colOffsets, void *rowInd,
                                        void *values);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix,
                                        void *rowInd, void *colInd,
                                        void *values);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix,
                                      int64_t *rows, int64_t *cols,
                                      int64_t *nnz);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix,
                                        cusparseFormat_t *format);
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t matrix,
                                        void **values);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix,
                                        void *values);

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vector, int64_t size,
                                     void *values, cudaDataType valueType);
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *vector,
                                          int64_t size, const void *values,
                                          cudaDataType valueType);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector);
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t vector,
                                        void **values);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector,
                                        void *values);
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *matrix, int64_t rows,
                                     int64_t cols, int64_t ld, void *values,
                                     cudaDataType valueType,
                                     cusparseOrder_t order);
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *matrix,
                                          int64_t rows, int64_t cols,
                                          int64_t ld, const void *values,
                                          cudaDataType valueType,
                                          cusparseOrder_t order);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix);
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t matrix,
                                        void **values);
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t matrix,
                                        void *values);

cusparseStatus_t
cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                        const void *alpha, cusparseConstSpMatDescr_t matA,
                        cusparseConstDnVecDescr_t vecX, const void *beta,
                        cusparseDnVecDescr_t vecY, cudaDataType computeType,
                        cusparseSpMVAlg_t alg, size_t *bufferSize);
cusparseStatus_t
cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                        const void *alpha, cusparseConstSpMatDescr_t matA,
                        cusparseConstDnVecDescr_t vecX, const void *beta,
                        cusparseDnVecDescr_t vecY, cudaDataType computeType,
                        cusparseSpMVAlg_t alg, void *externalBuffer);
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA,
                              const void *alpha, cusparseConstSpMatDescr_t matA,
                              cusparseConstDnVecDescr_t vecX, const void *beta,
                              cusparseDnVecDescr_t vecY,
                              cudaDataType computeType, cusparseSpMVAlg_t alg,
                              void *externalBuffer);
cusparseStatus_t cusparseSpMM_bufferSize(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
    const void *alpha, cusparseConstSpMatDescr_t matA,
    cusparseConstDnMatDescr_t matB, const void *beta, cusparseDnMatDescr_t matC,
    cudaDataType computeType, cusparseSpMMAlg_t alg, size_t *bufferSize);
cusparseStatus_t cusparseSpMM_preprocess(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
    const void *alpha, cusparseConstSpMatDescr_t matA,
    cusparseConstDnMatDescr_t matB, const void *beta, cusparseDnMatDescr_t matC,
    cudaDataType computeType, cusparseSpMMAlg_t alg, void *externalBuffer);
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA,
                              cusparseOperation_t opB, const void *alpha,
                              cusparseConstSpMatDescr_t matA,
                              cusparseConstDnMatDescr_t matB, const void *beta,
                              cusparseDnMatDescr_t matC,
                              cudaDataType computeType, cusparseSpMMAlg_t alg,
                              void *externalBuffer);
#ifdef __cplusplus
}
#endif

#endif
