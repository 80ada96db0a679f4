/*===- fortran-numbers.c - flang's runtime: reductions, products, numbers --===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* See fortran.c. Sums run in array element order, those of real(4) in double;
|* flang's own use compensated summation, and differ in the last bits.
\*===------------------------------------------------------------------------===*/

#include "fortran.h"

#define RG_REDUCTIONS(Type, Sum, N, F, Huge)                                   \
  RG_ROUTINE Type rg_fortran_sum_r##N(const Descriptor *A, const char *File, int Line,    \
                           int Dimension, const Descriptor *Mask) {            \
    Sum R = 0;                                                                 \
    int64_t Count = elements(A);                                               \
    for (int64_t I = 0; I < Count; ++I)                                        \
      if (holds(Mask, I))                                                      \
        R += *(const Type *)at(A, I);                                          \
    return (Type)R;                                                            \
  }                                                                            \
  RG_ROUTINE Type rg_fortran_product_r##N(const Descriptor *A, const char *File,          \
                               int Line, int Dimension,                        \
                               const Descriptor *Mask) {                       \
    Sum R = 1;                                                                 \
    int64_t Count = elements(A);                                               \
    for (int64_t I = 0; I < Count; ++I)                                        \
      if (holds(Mask, I))                                                      \
        R *= *(const Type *)at(A, I);                                          \
    return (Type)R;                                                            \
  }                                                                            \
  RG_ROUTINE Type rg_fortran_maxval_r##N(const Descriptor *A, const char *File, int Line, \
                              int Dimension, const Descriptor *Mask) {         \
    Type R = -Huge;                                                            \
    int64_t Count = elements(A);                                               \
    for (int64_t I = 0; I < Count; ++I)                                        \
      if (holds(Mask, I) && *(const Type *)at(A, I) > R)                       \
        R = *(const Type *)at(A, I);                                           \
    return R;                                                                  \
  }                                                                            \
  RG_ROUTINE Type rg_fortran_minval_r##N(const Descriptor *A, const char *File, int Line, \
                              int Dimension, const Descriptor *Mask) {         \
    Type R = Huge;                                                             \
    int64_t Count = elements(A);                                               \
    for (int64_t I = 0; I < Count; ++I)                                        \
      if (holds(Mask, I) && *(const Type *)at(A, I) < R)                       \
        R = *(const Type *)at(A, I);                                           \
    return R;                                                                  \
  }                                                                            \
  RG_ROUTINE Type rg_fortran_norm2_r##N(const Descriptor *A, const char *File, int Line,  \
                             int Dimension) {                                  \
    Sum R = 0;                                                                 \
    int64_t Count = elements(A);                                               \
    for (int64_t I = 0; I < Count; ++I) {                                      \
      Type X = *(const Type *)at(A, I);                                        \
      R += (Sum)X * X;                                                         \
    }                                                                          \
    return (Type)sqrt(R);                                                      \
  }                                                                            \
  RG_ROUTINE Type rg_fortran_dot_r##N(const Descriptor *A, const Descriptor *B,           \
                           const char *File, int Line) {                       \
    Sum R = 0;                                                                 \
    int64_t Count = elements(A);                                               \
    for (int64_t I = 0; I < Count; ++I)                                        \
      R += (Sum) * (const Type *)at(A, I) * *(const Type *)at(B, I);           \
    return (Type)R;                                                            \
  }                                                                            \
  RG_ROUTINE Type rg_fortran_mod_r##N(Type A, Type P, const char *File, int Line) {       \
    return fmod##F(A, P);                                                      \
  }                                                                            \
  RG_ROUTINE Type rg_fortran_modulo_r##N(Type A, Type P, const char *File, int Line) {    \
    Type R = fmod##F(A, P);                                                    \
    return R != 0 && (R < 0) != (P < 0) ? R + P : R;                           \
  }                                                                            \
  RG_ROUTINE Type rg_fortran_scale_r##N(Type X, int64_t E) {                              \
    return scalbln##F(X, E);                                                   \
  }                                                                            \
  RG_ROUTINE Type rg_fortran_fraction_r##N(Type X) {                                      \
    return X == 0 || !__builtin_isfinite(X) ? X                                \
                                            : scalbn##F(X, -ilogb##F(X) - 1);  \
  }                                                                            \
  RG_ROUTINE void rg_fortran_sum_c##N(Type *R, const Descriptor *A, const char *File,     \
                           int Line, int Dimension, const Descriptor *Mask) {  \
    Sum Re = 0, Im = 0;                                                        \
    int64_t Count = elements(A);                                               \
    for (int64_t I = 0; I < Count; ++I)                                        \
      if (holds(Mask, I)) {                                                    \
        Re += ((const Type *)at(A, I))[0];                                     \
        Im += ((const Type *)at(A, I))[1];                                     \
      }                                                                        \
    R[0] = (Type)Re;                                                           \
    R[1] = (Type)Im;                                                           \
  }                                                                            \
  RG_ROUTINE void rg_fortran_dot_c##N(Type *R, const Descriptor *A, const Descriptor *B,  \
                           const char *File, int Line) {                       \
    Sum Re = 0, Im = 0;                                                        \
    int64_t Count = elements(A);                                               \
    for (int64_t I = 0; I < Count; ++I) {                                      \
      Type X = ((const Type *)at(A, I))[0], Y = -((const Type *)at(A, I))[1];  \
      Type U = ((const Type *)at(B, I))[0], V = ((const Type *)at(B, I))[1];   \
      Re += X * U - Y * V;                                                     \
      Im += X * V + Y * U;                                                     \
    }                                                                          \
    R[0] = (Type)Re;                                                           \
    R[1] = (Type)Im;                                                           \
  }                                                                            \
  RG_ROUTINE _Complex Type rg_fortran_powi_c##N(_Complex Type Z, int P) {                 \
    Type Re = 1, Im = 0, X = __real__ Z, Y = __imag__ Z;                       \
    if (P < 0) {                                                               \
      Type S = X * X + Y * Y;                                                  \
      X = X / S;                                                               \
      Y = -Y / S;                                                              \
    }                                                                          \
    for (unsigned E = P < 0 ? -(unsigned)P : (unsigned)P; E; E >>= 1) {        \
      if (E & 1) {                                                             \
        Type T = Re * X - Im * Y;                                              \
        Im = Re * Y + Im * X;                                                  \
        Re = T;                                                                \
      }                                                                        \
      Type T = X * X - Y * Y;                                                  \
      Y = 2 * X * Y;                                                           \
      X = T;                                                                   \
    }                                                                          \
    return __builtin_complex(Re, Im);                                          \
  }                                                                            \
                                                                               \
  /* An operand of rank 1 is a row on the left, a column on the right.         \
     Turned: the left operand as its transpose. */                             \
  RG_INLINE void matmul##N(Descriptor *R, const Descriptor *A,                 \
                           const Descriptor *B, bool Turned) {                 \
    bool Row = A->Rank == 1, Column = B->Rank == 1;                            \
    int64_t Inner = B->Dims[0].Extent;                                         \
    int64_t InnerStride = Row || Turned ? A->Dims[0].Stride : A->Dims[1].Stride; \
    int64_t RowStride = Row ? 0 : Turned ? A->Dims[1].Stride : A->Dims[0].Stride; \
    int64_t Rows = Row ? 1 : Turned ? A->Dims[1].Extent : A->Dims[0].Extent;   \
    int64_t Columns = Column ? 1 : B->Dims[1].Extent;                          \
    int64_t ColumnStride = Column ? 0 : B->Dims[1].Stride;                     \
    int64_t Bytes = sizeof(Type), All = Bytes;                                 \
    if (Row)                                                                   \
      All = setDim(&R->Dims[0], Columns, All);                                 \
    else                                                                       \
      All = setDim(&R->Dims[0], Rows, All);                                    \
    if (!Row && !Column)                                                       \
      All = setDim(&R->Dims[1], Columns, All);                                 \
    establish(R, A, Row || Column ? 1 : 2, All);                               \
    Type *To = R->Base;                                                        \
    for (int64_t J = 0; J < Columns; ++J)                                      \
      for (int64_t I = 0; I < Rows; ++I) {                                     \
        const char *P = (const char *)A->Base + I * RowStride;                 \
        const char *Q = (const char *)B->Base + J * ColumnStride;              \
        Type S = 0;                                                            \
        for (int64_t K = 0; K < Inner; ++K)                                    \
          S += *(const Type *)(P + K * InnerStride) *                          \
               *(const Type *)(Q + K * B->Dims[0].Stride);                     \
        To[I + J * Rows] = S;                                                  \
      }                                                                        \
  }                                                                            \
  RG_ROUTINE void rg_fortran_matmul_r##N(Descriptor *R, const Descriptor *A,              \
                              const Descriptor *B, const char *File,           \
                              int Line) {                                      \
    matmul##N(R, A, B, false);                                                 \
  }                                                                            \
  RG_ROUTINE void rg_fortran_matmul_transpose_r##N(Descriptor *R, const Descriptor *A,    \
                                        const Descriptor *B, const char *File, \
                                        int Line) {                            \
    matmul##N(R, A, B, true);                                                  \
  }

RG_REDUCTIONS(double, double, 8, , __DBL_MAX__)
RG_REDUCTIONS(float, double, 4, f, __FLT_MAX__)

/* Along one dimension: the result has the others. */
#define RG_ALONG(Name, Type, Start, Step)                                      \
  RG_INLINE void Name##Type(Descriptor *R, const Descriptor *A,                \
                            int64_t Inner, int64_t Length,                     \
                            const Descriptor *Mask) {                          \
    int64_t N = elements(R);                                                   \
    for (int64_t I = 0; I < N; ++I) {                                          \
      Type S = Start;                                                          \
      for (int64_t K = 0; K < Length; ++K) {                                   \
        int64_t From = I % Inner + (I / Inner * Length + K) * Inner;           \
        if (holds(Mask, From)) {                                               \
          Type X = *(const Type *)at(A, From);                                 \
          Step;                                                                \
        }                                                                      \
      }                                                                        \
      ((Type *)R->Base)[I] = S;                                                \
    }                                                                          \
  }
#define RG_ALONG_BOTH(Name, Start4, Start8, Step)                              \
  RG_ALONG(Name, float, Start4, Step)                                          \
  RG_ALONG(Name, double, Start8, Step)                                         \
  RG_ROUTINE void rg_fortran_##Name##_dim(Descriptor *R, const Descriptor *A,             \
                               int Dimension, const char *File, int Line,      \
                               const Descriptor *Mask) {                       \
    int64_t Inner = 1, Length = 1;                                             \
    int64_t All = layOutWithout(R, A, Dimension, &Inner, &Length);             \
    establish(R, A, A->Rank - 1, All);                                         \
    if (A->Type == Real8)                                                      \
      Name##double(R, A, Inner, Length, Mask);                                 \
    else if (A->Type == Real4)                                                 \
      Name##float(R, A, Inner, Length, Mask);                                  \
    else                                                                       \
      rg_fortran_refuse(RG_KIND);                                            \
  }

RG_INLINE int64_t layOutWithout(Descriptor *R, const Descriptor *A, int Dimension,
                                int64_t *Inner, int64_t *Length) {
  int64_t Bytes = A->Bytes, All = Bytes;
#define RG_DIM(K)                                                              \
  if (A->Rank > K) {                                                           \
    if (K == Dimension - 1) {                                                  \
      *Inner = All / Bytes;                                                    \
      *Length = A->Dims[K].Extent;                                             \
    } else if (K < Dimension - 1)                                              \
      All = setDim(&R->Dims[K], A->Dims[K].Extent, All);                       \
    else                                                                       \
      All = setDim(&R->Dims[K ? K - 1 : 0], A->Dims[K].Extent, All);           \
  }
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  return All;
}

RG_ALONG_BOTH(sum, 0, 0, S += X)
RG_ALONG_BOTH(product, 1, 1, S *= X)
RG_ALONG_BOTH(maxval, -__FLT_MAX__, -__DBL_MAX__, S = X > S ? X : S)
RG_ALONG_BOTH(minval, __FLT_MAX__, __DBL_MAX__, S = X < S ? X : S)
