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

/* The function is pure and associative, and takes numbers By address or by
 * value; the first element that the mask takes begins. */
#define RG_REDUCE(Name, Type, Operands, By)                                    \
  RG_ROUTINE Type Name(const Descriptor *A, Type(*Of) Operands,                \
                       const char *File, int Line, int Dimension,              \
                       const Descriptor *Mask, const Type *Identity,           \
                       bool Ordered) {                                         \
    Type R = Identity ? *Identity : 0;                                         \
    bool Any = false;                                                          \
    int64_t Count = elements(A);                                               \
    for (int64_t I = 0; I < Count; ++I)                                        \
      if (holds(Mask, I)) {                                                    \
        Type X = *(const Type *)at(A, I);                                      \
        R = Any ? Of(By R, By X) : X;                                          \
        Any = true;                                                            \
      }                                                                        \
    return R;                                                                  \
  }

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
  RG_ROUTINE void rg_fortran_product_c##N(Type *R, const Descriptor *A,         \
                               const char *File, int Line, int Dimension,      \
                               const Descriptor *Mask) {                       \
    Sum Re = 1, Im = 0;                                                        \
    int64_t Count = elements(A);                                               \
    for (int64_t I = 0; I < Count; ++I)                                        \
      if (holds(Mask, I)) {                                                    \
        Sum X = ((const Type *)at(A, I))[0], Y = ((const Type *)at(A, I))[1];  \
        Sum T = Re * X - Im * Y;                                               \
        Im = Re * Y + Im * X;                                                  \
        Re = T;                                                                \
      }                                                                        \
    R[0] = (Type)Re;                                                           \
    R[1] = (Type)Im;                                                           \
  }                                                                            \
  RG_REDUCE(rg_fortran_reduce_r##N, Type, (const Type *, const Type *), &)     \
  RG_REDUCE(rg_fortran_reduce_values_r##N, Type, (Type, Type), )               \
  RG_ROUTINE Type rg_fortran_set_exponent_r##N(Type X, int64_t E) {            \
    return scalbln##F(rg_fortran_fraction_r##N(X), E);                         \
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
  }

RG_REDUCTIONS(double, double, 8, , __DBL_MAX__)
RG_REDUCTIONS(float, double, 4, f, __FLT_MAX__)

/*===------------------------------------------------------------------------===*/
/* matmul                                                                       */
/*===------------------------------------------------------------------------===*/

/* Rows of the left operand by columns of the right one; strides in bytes. */
typedef struct {
  int64_t Rows, Columns, Inner;
  int64_t Row, Column, Left, Right; /* to the next row, column, factor */
} Product;

/* R becomes a new array for it. An operand of rank 1 is a row on the left, a
 * column on the right. Turned: the left operand as its transpose. */
RG_INLINE Product layOutProduct(Descriptor *R, const Descriptor *A,
                                const Descriptor *B, bool Turned, int8_t Type,
                                size_t Bytes) {
  const bool Row = A->Rank == 1, Column = B->Rank == 1;
  const Dim *Long = &A->Dims[Row || Turned ? 0 : 1],
            *Across = &A->Dims[Turned ? 1 : 0];
  Product P = {.Rows = Row ? 1 : Across->Extent,
               .Columns = Column ? 1 : B->Dims[1].Extent,
               .Inner = B->Dims[0].Extent,
               .Row = Row ? 0 : Across->Stride,
               .Column = Column ? 0 : B->Dims[1].Stride,
               .Left = Long->Stride,
               .Right = B->Dims[0].Stride};
  int64_t All = setDim(&R->Dims[0], Row ? P.Columns : P.Rows, Bytes);
  if (!Row && !Column)
    All = setDim(&R->Dims[1], P.Columns, All);
  establish(R, A, Row || Column ? 1 : 2, All);
  R->Type = Type;
  R->Bytes = Bytes;
  return P;
}

/* Step adds X[0] Y[0], or with parts of complex numbers. */
#define RG_MATMUL_AS(Name, Turned, LeftType, RightType, Type, Parts, Code,      \
                     Step)                                                     \
  RG_ROUTINE void Name(Descriptor *R, const Descriptor *A,                     \
                       const Descriptor *B, const char *File, int Line) {      \
    Product P =                                                                \
        layOutProduct(R, A, B, Turned, Code, Parts * sizeof(Type));            \
    Type *To = R->Base;                                                        \
    for (int64_t J = 0; J < P.Columns; ++J)                                    \
      for (int64_t I = 0; I < P.Rows; ++I) {                                   \
        const char *L = (const char *)A->Base + I * P.Row;                     \
        const char *Q = (const char *)B->Base + J * P.Column;                  \
        Type S[2] = {0, 0};                                                    \
        for (int64_t K = 0; K < P.Inner; ++K) {                                \
          const LeftType *X = (const LeftType *)(L + K * P.Left);              \
          const RightType *Y = (const RightType *)(Q + K * P.Right);           \
          Step;                                                                \
        }                                                                      \
        for (int N = 0; N < Parts; ++N)                                        \
          To[(I + J * P.Rows) * Parts + N] = S[N];                             \
      }                                                                        \
  }
#define RG_MATMUL(L, LeftType, Q, RightType, Type, Parts, Code, Step)           \
  RG_MATMUL_AS(rg_fortran_matmul_##L##_##Q, false, LeftType, RightType, Type,   \
               Parts, Code, Step)                                              \
  RG_MATMUL_AS(rg_fortran_matmul_transpose_##L##_##Q, true, LeftType,          \
               RightType, Type, Parts, Code, Step)

#define RG_RR S[0] += (Sum)X[0] * (Sum)Y[0]
#define RG_RC (S[0] += (Sum)X[0] * (Sum)Y[0], S[1] += (Sum)X[0] * (Sum)Y[1])
#define RG_CR (S[0] += (Sum)X[0] * (Sum)Y[0], S[1] += (Sum)X[1] * (Sum)Y[0])
#define RG_CC                                                                  \
  (S[0] += (Sum)X[0] * (Sum)Y[0] - (Sum)X[1] * (Sum)Y[1],                      \
   S[1] += (Sum)X[0] * (Sum)Y[1] + (Sum)X[1] * (Sum)Y[0])

/* All pairs whose result is a number of that precision. */
#define Sum float
RG_MATMUL(r4, float, r4, float, float, 1, Real4, RG_RR)
RG_MATMUL(r4, float, i4, int32_t, float, 1, Real4, RG_RR)
RG_MATMUL(r4, float, i8, int64_t, float, 1, Real4, RG_RR)
RG_MATMUL(i4, int32_t, r4, float, float, 1, Real4, RG_RR)
RG_MATMUL(i8, int64_t, r4, float, float, 1, Real4, RG_RR)
RG_MATMUL(c4, float, c4, float, float, 2, Complex4, RG_CC)
RG_MATMUL(c4, float, r4, float, float, 2, Complex4, RG_CR)
RG_MATMUL(r4, float, c4, float, float, 2, Complex4, RG_RC)
RG_MATMUL(c4, float, i4, int32_t, float, 2, Complex4, RG_CR)
RG_MATMUL(i4, int32_t, c4, float, float, 2, Complex4, RG_RC)
#undef Sum
#define Sum double
RG_MATMUL(r8, double, r8, double, double, 1, Real8, RG_RR)
RG_MATMUL(r8, double, r4, float, double, 1, Real8, RG_RR)
RG_MATMUL(r4, float, r8, double, double, 1, Real8, RG_RR)
RG_MATMUL(r8, double, i4, int32_t, double, 1, Real8, RG_RR)
RG_MATMUL(r8, double, i8, int64_t, double, 1, Real8, RG_RR)
RG_MATMUL(i4, int32_t, r8, double, double, 1, Real8, RG_RR)
RG_MATMUL(i8, int64_t, r8, double, double, 1, Real8, RG_RR)
RG_MATMUL(c8, double, c8, double, double, 2, Complex8, RG_CC)
RG_MATMUL(c8, double, c4, float, double, 2, Complex8, RG_CC)
RG_MATMUL(c4, float, c8, double, double, 2, Complex8, RG_CC)
RG_MATMUL(c8, double, r8, double, double, 2, Complex8, RG_CR)
RG_MATMUL(r8, double, c8, double, double, 2, Complex8, RG_RC)
RG_MATMUL(c8, double, r4, float, double, 2, Complex8, RG_CR)
RG_MATMUL(r4, float, c8, double, double, 2, Complex8, RG_RC)
RG_MATMUL(c4, float, r8, double, double, 2, Complex8, RG_CR)
RG_MATMUL(r8, double, c4, float, double, 2, Complex8, RG_RC)
RG_MATMUL(c8, double, i4, int32_t, double, 2, Complex8, RG_CR)
RG_MATMUL(i4, int32_t, c8, double, double, 2, Complex8, RG_RC)
#undef Sum

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
      Name##_others(R, A, Inner, Length, Mask);                                \
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

/* Of integers, and sums of complex numbers. */
#define RG_ALONG_INTEGERS(Name, Start4, Start8, Step)                          \
  RG_ALONG(Name, int32_t, Start4, Step)                                        \
  RG_ALONG(Name, int64_t, Start8, Step)                                        \
  RG_INLINE void Name##_integers(Descriptor *R, const Descriptor *A,           \
                                 int64_t Inner, int64_t Length,                \
                                 const Descriptor *Mask) {                     \
    if (A->Type == Integer4)                                                   \
      Name##int32_t(R, A, Inner, Length, Mask);                                \
    else if (A->Type == Integer8)                                              \
      Name##int64_t(R, A, Inner, Length, Mask);                                \
    else                                                                       \
      rg_fortran_refuse(RG_KIND);                                              \
  }
RG_ALONG_INTEGERS(sum, 0, 0, S += X)
RG_ALONG_INTEGERS(product, 1, 1, S *= X)
RG_ALONG_INTEGERS(maxval, INT32_MIN, INT64_MIN, S = X > S ? X : S)
RG_ALONG_INTEGERS(minval, INT32_MAX, INT64_MAX, S = X < S ? X : S)

#define RG_COMPLEX_ALONG(Part, Code)                                           \
  if (A->Type == Code) {                                                       \
    int64_t N = elements(R);                                                   \
    for (int64_t I = 0; I < N; ++I) {                                          \
      Part Re = 0, Im = 0;                                                     \
      for (int64_t K = 0; K < Length; ++K) {                                   \
        int64_t From = I % Inner + (I / Inner * Length + K) * Inner;           \
        if (holds(Mask, From)) {                                               \
          Re += ((const Part *)at(A, From))[0];                                \
          Im += ((const Part *)at(A, From))[1];                                \
        }                                                                      \
      }                                                                        \
      ((Part *)R->Base)[2 * I] = Re;                                           \
      ((Part *)R->Base)[2 * I + 1] = Im;                                       \
    }                                                                          \
    return;                                                                    \
  }
RG_INLINE void sum_others(Descriptor *R, const Descriptor *A, int64_t Inner,
                          int64_t Length, const Descriptor *Mask) {
  RG_COMPLEX_ALONG(double, Complex8)
  RG_COMPLEX_ALONG(float, Complex4)
  sum_integers(R, A, Inner, Length, Mask);
}
#define product_others product_integers
#define maxval_others maxval_integers
#define minval_others minval_integers

RG_ALONG_BOTH(sum, 0, 0, S += X)
RG_ALONG_BOTH(product, 1, 1, S *= X)
RG_ALONG_BOTH(maxval, -__FLT_MAX__, -__DBL_MAX__, S = X > S ? X : S)
RG_ALONG_BOTH(minval, __FLT_MAX__, __DBL_MAX__, S = X < S ? X : S)

/* norm2 along one dimension. */
#define RG_NORM_ALONG(Type)                                                    \
  {                                                                            \
    int64_t N = elements(R);                                                   \
    for (int64_t I = 0; I < N; ++I) {                                          \
      double S = 0;                                                            \
      for (int64_t K = 0; K < Length; ++K) {                                   \
        Type X = *(const Type *)at(                                            \
            A, I % Inner + (I / Inner * Length + K) * Inner);                  \
        S += (double)X * X;                                                    \
      }                                                                        \
      ((Type *)R->Base)[I] = (Type)sqrt(S);                                    \
    }                                                                          \
  }
RG_ROUTINE void rg_fortran_norm2_dim(Descriptor *R, const Descriptor *A,
                                     int Dimension, const char *File,
                                     int Line) {
  int64_t Inner = 1, Length = 1;
  int64_t All = layOutWithout(R, A, Dimension, &Inner, &Length);
  establish(R, A, A->Rank - 1, All);
  if (A->Type == Real8)
    RG_NORM_ALONG(double)
  else if (A->Type == Real4)
    RG_NORM_ALONG(float)
  else
    rg_fortran_refuse(RG_KIND);
}

/* The bytes of A as elements like those of Mold: one, or an array. */
RG_ROUTINE void rg_fortran_transfer(Descriptor *R, const Descriptor *A,
                                    const Descriptor *Mold, const char *File,
                                    int Line) {
  int64_t Count = elements(A), Each = Mold->Bytes, Bytes = Count * A->Bytes;
  int64_t Made = Mold->Rank ? (Bytes + Each - 1) / Each : 1;
  int64_t All = Made * Each, N = 0;
  if (Mold->Rank)
    setDim(&R->Dims[0], Made, Each);
  establish(R, Mold, Mold->Rank ? 1 : 0, All > Bytes ? All : Bytes);
  for (; N < Count && (N + 1) * (int64_t)A->Bytes <= All; ++N)
    copy1((char *)R->Base + N * A->Bytes, at(A, N), A);
  if (N < Count && N * (int64_t)A->Bytes < All)
    memcpy((char *)R->Base + N * A->Bytes, at(A, N), All - N * A->Bytes);
}
