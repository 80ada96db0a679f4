//===- Cusparse.cpp - cuSPARSE on this machine ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is memory of the host here, and a call has done its work when
// it returns, so pointer modes and streams make no difference; they are kept,
// and given back. Products are loops over the elements of the matrix, as they
// stand.
//
//===----------------------------------------------------------------------===//

#include "../Runtime.h"

#include "retrograd/cuda/cusparse.h"
#include <cstring>
#include <new>
#include <utility>

struct cusparseContext {
  cudaStream_t Stream;
  cusparsePointerMode_t Numbers;
};
struct cusparseSpMatDescr {
  cusparseFormat_t Format;
  int64_t Rows, Cols, Elements;
  const void *Offsets, *Indices; // by coordinates, Offsets are the rows
  const void *Values;
  cusparseIndexType_t OffsetType, IndexType;
  int64_t Base;
  cudaDataType Type;
};
struct cusparseDnVecDescr {
  int64_t Size;
  const void *Values;
  cudaDataType Type;
};
struct cusparseDnMatDescr {
  int64_t Rows, Cols, ld;
  const void *Values;
  cudaDataType Type;
  cusparseOrder_t Order;
};
struct cusparseMatDescr {
  cusparseMatrixType_t Type;
  cusparseFillMode_t FillMode;
  cusparseDiagType_t DiagType;
  cusparseIndexBase_t IndexBase;
};

namespace {
template <class D, class H> cusparseStatus_t create(H *To, const D &From) {
  if (!To)
    return CUSPARSE_STATUS_INVALID_VALUE;
  *To = new (std::nothrow) D(From);
  return *To ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}
template <class D> cusparseStatus_t destroy(const D *Descriptor) {
  delete Descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class D> cusparseStatus_t getValues(D *Descriptor, void **Values) {
  if (!Descriptor || !Values)
    return CUSPARSE_STATUS_INVALID_VALUE;
  *Values = const_cast<void *>(Descriptor->Values);
  return CUSPARSE_STATUS_SUCCESS;
}
template <class D> cusparseStatus_t setValues(D *Descriptor, void *Values) {
  if (!Descriptor)
    return CUSPARSE_STATUS_INVALID_VALUE;
  Descriptor->Values = Values;
  return CUSPARSE_STATUS_SUCCESS;
}

template <class H>
cusparseStatus_t sparse(H *To, cusparseFormat_t Format, int64_t Rows,
                        int64_t Cols, int64_t Elements, const void *Offsets,
                        const void *Indices, const void *Values,
                        cusparseIndexType_t OffsetType,
                        cusparseIndexType_t IndexType, cusparseIndexBase_t Base,
                        cudaDataType Type) {
  if (Rows < 0 || Cols < 0 || Elements < 0 ||
      OffsetType == CUSPARSE_INDEX_16U || IndexType == CUSPARSE_INDEX_16U)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return create(To, cusparseSpMatDescr{Format, Rows, Cols, Elements, Offsets,
                                       Indices, Values, OffsetType, IndexType,
                                       Base, Type});
}
int64_t at(const void *P, cusparseIndexType_t Type, int64_t I) {
  return Type == CUSPARSE_INDEX_64I ? static_cast<const int64_t *>(P)[I]
                                    : static_cast<const int32_t *>(P)[I];
}
/// Row, column and number of each element.
template <class F> void elements(const cusparseSpMatDescr &A, F Do) {
  if (A.Format == CUSPARSE_FORMAT_COO) {
    for (int64_t K = 0; K < A.Elements; ++K)
      Do(at(A.Offsets, A.OffsetType, K) - A.Base,
         at(A.Indices, A.IndexType, K) - A.Base, K);
    return;
  }
  int64_t Lines = A.Format == CUSPARSE_FORMAT_CSR ? A.Rows : A.Cols;
  for (int64_t L = 0; L < Lines; ++L)
    for (int64_t K = at(A.Offsets, A.OffsetType, L) - A.Base;
         K < at(A.Offsets, A.OffsetType, L + 1) - A.Base; ++K) {
      int64_t Other = at(A.Indices, A.IndexType, K) - A.Base;
      if (A.Format == CUSPARSE_FORMAT_CSR)
        Do(L, Other, K);
      else
        Do(Other, L, K);
    }
}

struct Dense {
  int64_t Rows, Cols, Row, Col;
  void *Values;
  cudaDataType Type;
  Dense(const cusparseDnVecDescr &V)
      : Rows(V.Size), Cols(1), Row(1), Col(0),
        Values(const_cast<void *>(V.Values)), Type(V.Type) {}
  Dense(const cusparseDnMatDescr &M, bool Transposed)
      : Rows(M.Rows), Cols(M.Cols),
        Row(M.Order == CUSPARSE_ORDER_COL ? 1 : M.ld),
        Col(M.Order == CUSPARSE_ORDER_COL ? M.ld : 1),
        Values(const_cast<void *>(M.Values)), Type(M.Type) {
    if (Transposed) {
      Dense Was = *this;
      Rows = Was.Cols, Cols = Was.Rows, Row = Was.Col, Col = Was.Row;
    }
  }
};

cusparseStatus_t fits(const cusparseSpMatDescr &A, bool Transposed,
                      const Dense &B, const Dense &C, cudaDataType Type) {
  if (A.Type != Type || B.Type != Type || C.Type != Type ||
      (Type != CUDA_R_32F && Type != CUDA_R_64F))
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (C.Rows != (Transposed ? A.Cols : A.Rows) ||
      B.Rows != (Transposed ? A.Rows : A.Cols) || B.Cols != C.Cols)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return CUSPARSE_STATUS_SUCCESS;
}

template <class T>
void multiply(T a, const cusparseSpMatDescr &A, bool Transposed, const Dense &B,
              T b, const Dense &C) {
  auto *To = static_cast<T *>(C.Values);
  auto *From = static_cast<const T *>(B.Values);
  auto *Values = static_cast<const T *>(A.Values);
  for (int64_t I = 0; I < C.Rows; ++I)
    for (int64_t J = 0; J < C.Cols; ++J) {
      T &Y = To[I * C.Row + J * C.Col];
      Y = b == 0 ? 0 : b * Y;
    }
  elements(A, [&](int64_t I, int64_t J, int64_t K) {
    if (Transposed)
      std::swap(I, J);
    for (int64_t N = 0; N < C.Cols; ++N)
      To[I * C.Row + N * C.Col] += a * Values[K] * From[J * B.Row + N * B.Col];
  });
}
cusparseStatus_t product(cusparseHandle_t H, const void *a,
                         const cusparseSpMatDescr &A, bool Transposed,
                         const Dense &B, const void *b, const Dense &C,
                         cudaDataType Type) {
  if (!H)
    return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (!a || !b)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (cusparseStatus_t Error = fits(A, Transposed, B, C, Type))
    return Error;
  if (Type == CUDA_R_64F)
    multiply(*(const double *)a, A, Transposed, B, *(const double *)b, C);
  else
    multiply(*(const float *)a, A, Transposed, B, *(const float *)b, C);
  return CUSPARSE_STATUS_SUCCESS;
}
/// Now, or when a graph is launched: it has descriptors, and numbers of the
/// host, as they are.
cusparseStatus_t productIn(cusparseHandle_t H, const void *a,
                           const cusparseSpMatDescr &A, bool Transposed,
                           const Dense &B, const void *b, const Dense &C,
                           cudaDataType Type) {
  if (!H || !rgcuda::lists(H->Stream)) {
    rgcuda::beforeCall();
    return product(H, a, A, Transposed, B, b, C, Type);
  }
  bool OnHost = H->Numbers == CUSPARSE_POINTER_MODE_HOST;
  size_t Bytes = Type == CUDA_R_64F ? 8 : 4;
  rgcuda::AnyNumber X(a, Bytes, OnHost), Y(b, Bytes, OnHost);
  rgcuda::list(H->Stream, [=]() -> int {
    return product(H, X, A, Transposed, B, Y, C, Type);
  });
  return CUSPARSE_STATUS_SUCCESS;
}
} // namespace

extern "C" {
cusparseStatus_t cusparseCreate(cusparseHandle_t *handle) {
  return create(handle, cusparseContext{nullptr, CUSPARSE_POINTER_MODE_HOST});
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  return destroy(handle);
}
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descriptor) {
  return create(descriptor, cusparseMatDescr{});
}
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descriptor) {
  return destroy(descriptor);
}
#define RG_DESCRIBED(Name, T)                                                  \
  cusparseStatus_t cusparseSetMat##Name(cusparseMatDescr_t descriptor,         \
                                        T value) {                             \
    if (!descriptor)                                                           \
      return CUSPARSE_STATUS_INVALID_VALUE;                                    \
    return descriptor->Name = value, CUSPARSE_STATUS_SUCCESS;                  \
  }                                                                            \
  T cusparseGetMat##Name(const cusparseMatDescr_t descriptor) {                \
    return descriptor ? descriptor->Name : T();                                \
  }
RG_DESCRIBED(Type, cusparseMatrixType_t)
RG_DESCRIBED(FillMode, cusparseFillMode_t)
RG_DESCRIBED(DiagType, cusparseDiagType_t)
RG_DESCRIBED(IndexBase, cusparseIndexBase_t)
#define HANDLE(Good)                                                           \
  if (!handle)                                                                 \
    return CUSPARSE_STATUS_NOT_INITIALIZED;                                    \
  if (!(Good))                                                                 \
  return CUSPARSE_STATUS_INVALID_VALUE
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version) {
  HANDLE(version);
  return *version = 12600, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle,
                                   cudaStream_t stream) {
  HANDLE(true);
  return handle->Stream = stream, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle,
                                   cudaStream_t *stream) {
  HANDLE(stream);
  return *stream = handle->Stream, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle,
                                        cusparsePointerMode_t mode) {
  HANDLE(true);
  return handle->Numbers = mode, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle,
                                        cusparsePointerMode_t *mode) {
  HANDLE(mode);
  return *mode = handle->Numbers, CUSPARSE_STATUS_SUCCESS;
}
#define RG_STATUSES(X)                                                         \
  X(SUCCESS, "success")                                                        \
  X(NOT_INITIALIZED, "initialization error")                                   \
  X(ALLOC_FAILED, "out of memory")                                             \
  X(INVALID_VALUE, "invalid value")                                            \
  X(NOT_SUPPORTED, "operation not supported")
const char *cusparseGetErrorName(cusparseStatus_t status) {
  switch (status) {
#define X(Name, Text)                                                          \
  case CUSPARSE_STATUS_##Name:                                                 \
    return "CUSPARSE_STATUS_" #Name;
    RG_STATUSES(X)
#undef X
  default:
    return "unrecognized error code";
  }
}
const char *cusparseGetErrorString(cusparseStatus_t status) {
  switch (status) {
#define X(Name, Text)                                                          \
  case CUSPARSE_STATUS_##Name:                                                 \
    return Text;
    RG_STATUSES(X)
#undef X
  default:
    return "unrecognized error code";
  }
}

#define RG_COMPRESSED(Const, Format, Q)                                        \
  cusparseStatus_t cusparseCreate##Const##Format(                              \
      cusparse##Const##SpMatDescr_t *matrix, int64_t rows, int64_t cols,       \
      int64_t nnz, Q void *offsets, Q void *indices, Q void *values,           \
      cusparseIndexType_t offsetType, cusparseIndexType_t indexType,           \
      cusparseIndexBase_t base, cudaDataType type) {                           \
    return sparse(matrix, RG_##Format, rows, cols, nnz, offsets, indices,      \
                  values, offsetType, indexType, base, type);                  \
  }
#define RG_Csr CUSPARSE_FORMAT_CSR
#define RG_Csc CUSPARSE_FORMAT_CSC
RG_COMPRESSED(, Csr, )
RG_COMPRESSED(Const, Csr, const)
RG_COMPRESSED(, Csc, )
RG_COMPRESSED(Const, Csc, const)
#define RG_REST(Const, Q)                                                      \
  cusparseStatus_t cusparseCreate##Const##Coo(                                 \
      cusparse##Const##SpMatDescr_t *matrix, int64_t rows, int64_t cols,       \
      int64_t nnz, Q void *rowInd, Q void *colInd, Q void *values,             \
      cusparseIndexType_t idxType, cusparseIndexBase_t base,                   \
      cudaDataType type) {                                                     \
    return sparse(matrix, CUSPARSE_FORMAT_COO, rows, cols, nnz, rowInd,        \
                  colInd, values, idxType, idxType, base, type);               \
  }                                                                            \
  cusparseStatus_t cusparseCreate##Const##DnVec(                               \
      cusparse##Const##DnVecDescr_t *vector, int64_t size, Q void *values,     \
      cudaDataType type) {                                                     \
    return size < 0 ? CUSPARSE_STATUS_INVALID_VALUE                            \
                    : create(vector, cusparseDnVecDescr{size, values, type});  \
  }                                                                            \
  cusparseStatus_t cusparseCreate##Const##DnMat(                               \
      cusparse##Const##DnMatDescr_t *matrix, int64_t rows, int64_t cols,       \
      int64_t ld, Q void *values, cudaDataType type, cusparseOrder_t order) {  \
    return rows < 0 || cols < 0 ||                                             \
                   ld < (order == CUSPARSE_ORDER_COL ? rows : cols)            \
               ? CUSPARSE_STATUS_INVALID_VALUE                                 \
               : create(matrix, cusparseDnMatDescr{rows, cols, ld, values,     \
                                                   type, order});              \
  }
RG_REST(, )
RG_REST(Const, const)

#define RG_DESCRIPTOR(Name)                                                    \
  cusparseStatus_t cusparseDestroy##Name(                                      \
      cusparseConst##Name##Descr_t descriptor) {                               \
    return destroy(descriptor);                                                \
  }                                                                            \
  cusparseStatus_t cusparse##Name##GetValues(                                  \
      cusparse##Name##Descr_t descriptor, void **values) {                     \
    return getValues(descriptor, values);                                      \
  }                                                                            \
  cusparseStatus_t cusparse##Name##SetValues(                                  \
      cusparse##Name##Descr_t descriptor, void *values) {                      \
    return setValues(descriptor, values);                                      \
  }
RG_DESCRIPTOR(SpMat)
RG_DESCRIPTOR(DnVec)
RG_DESCRIPTOR(DnMat)
#define RG_POINTERS(Name)                                                      \
  cusparseStatus_t cusparse##Name##SetPointers(cusparseSpMatDescr_t matrix,    \
                                               void *offsets, void *indices,   \
                                               void *values) {                 \
    if (!matrix || matrix->Format != RG_##Name)                                \
      return CUSPARSE_STATUS_INVALID_VALUE;                                    \
    matrix->Offsets = offsets;                                                 \
    matrix->Indices = indices;                                                 \
    return setValues(matrix, values);                                          \
  }
#define RG_Coo CUSPARSE_FORMAT_COO
RG_POINTERS(Csr)
RG_POINTERS(Csc)
RG_POINTERS(Coo)
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix,
                                      int64_t *rows, int64_t *cols,
                                      int64_t *nnz) {
  if (!matrix)
    return CUSPARSE_STATUS_INVALID_VALUE;
  *rows = matrix->Rows, *cols = matrix->Cols, *nnz = matrix->Elements;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix,
                                        cusparseFormat_t *format) {
  if (!matrix)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return *format = matrix->Format, CUSPARSE_STATUS_SUCCESS;
}

#define PRODUCT                                                                \
  if (!matA || !B || !C)                                                       \
  return CUSPARSE_STATUS_INVALID_VALUE
cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle,
                                         cusparseOperation_t, const void *,
                                         cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnVecDescr_t B,
                                         const void *, cusparseDnVecDescr_t C,
                                         cudaDataType, cusparseSpMVAlg_t,
                                         size_t *bufferSize) {
  HANDLE(bufferSize);
  PRODUCT;
  return *bufferSize = 8, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV_preprocess(
    cusparseHandle_t handle, cusparseOperation_t, const void *,
    cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t B, const void *,
    cusparseDnVecDescr_t C, cudaDataType, cusparseSpMVAlg_t, void *) {
  HANDLE(true);
  PRODUCT;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA,
                              const void *alpha, cusparseConstSpMatDescr_t matA,
                              cusparseConstDnVecDescr_t B, const void *beta,
                              cusparseDnVecDescr_t C, cudaDataType computeType,
                              cusparseSpMVAlg_t, void *) {
  PRODUCT;
  return productIn(handle, alpha, *matA, opA != 0, *B, beta, *C, computeType);
}
cusparseStatus_t cusparseSpMM_bufferSize(
    cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t,
    const void *, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t B,
    const void *, cusparseDnMatDescr_t C, cudaDataType, cusparseSpMMAlg_t,
    size_t *bufferSize) {
  HANDLE(bufferSize);
  PRODUCT;
  return *bufferSize = 8, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMM_preprocess(
    cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t,
    const void *, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t B,
    const void *, cusparseDnMatDescr_t C, cudaDataType, cusparseSpMMAlg_t,
    void *) {
  HANDLE(true);
  PRODUCT;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA,
                              cusparseOperation_t opB, const void *alpha,
                              cusparseConstSpMatDescr_t matA,
                              cusparseConstDnMatDescr_t B, const void *beta,
                              cusparseDnMatDescr_t C, cudaDataType computeType,
                              cusparseSpMMAlg_t, void *) {
  PRODUCT;
  return productIn(handle, alpha, *matA, opA != 0, Dense(*B, opB != 0), beta,
                   Dense(*C, false), computeType);
}
} // extern "C"
