/*===- fortran.h - flang's array descriptors ------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* What fortran.c and fortran-numbers.c share: the layout of a descriptor, and
|* elements in array element order.
\*===------------------------------------------------------------------------===*/

#ifndef RG_FORTRAN_H
#define RG_FORTRAN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Source places, status variables: the prototypes are flang's. */
#pragma clang diagnostic ignored "-Wunused-parameter"

typedef struct {
  int64_t Lower, Extent, Stride; /* stride in bytes */
} Dim;

/* CFI_cdesc_t of ISO_Fortran_binding.h (version 20240719). */
typedef struct {
  void *Base;
  size_t Bytes; /* of one element */
  int32_t Version;
  uint8_t Rank;
  int8_t Type;
  uint8_t Attribute;
  uint8_t Extra; /* bit 0: a derived type's addendum follows the dimensions */
  Dim Dims[7];   /* as many as the rank says; more than 7 are not served */
} Descriptor;

/* What flang writes of a derived type (module __fortran_type_info), as far as
 * it is read here: a constant of the program. */
typedef struct DerivedType {
  char Binding[64], Name[24];
  uint64_t Bytes;
  char Uninstantiated[40], KindParameter[48], LengthParameterKind[48];
  char Components[64];
  char ProcedurePointers[64], Special[64];
  uint32_t SpecialBits;
  int8_t HasParent, NoInitialization, NoDestruction, NoFinalization,
      NoDefinedAssignment;
} DerivedType;
_Static_assert(sizeof(DerivedType) == 440, "flang's");

enum {
  Integer4 = 9,
  Integer8 = 10,
  Real4 = 27,
  Real8 = 28,
  Complex4 = 34,
  Complex8 = 35,
  Character = 40,
  Derived = 42
};
enum { Version = 20240719, Allocatable = 2 };

/* What is not served ends the program: rank and kind of an array are facts of
 * the run, though most of the time simplification knows them. */
__attribute__((noreturn, cold)) void rg_fortran_refuse(const char *What);
#define RG_RANK "arrays of a rank above 7"
#define RG_INITIALISED                                                         \
  "ALLOCATE of a derived type with default values or allocatable components "  \
  "that is not known where it is compiled"
#define RG_OWNING                                                              \
  "assignment as a whole of a derived type with allocatable components that "  \
  "is not known where it is compiled, or onto a part of itself"
#define RG_ASSIGNMENT                                                          \
  "derived types with an assignment of their own in assignments of what "      \
  "holds them"
#define RG_FINAL "final procedures, where flang's runtime would call them"
#define RG_CLASS                                                               \
  "assignment to variables of a class that are not allocatable, or of a "      \
  "scalar to an array of a class"
#define RG_ANY_RANK                                                            \
  "arrays of a derived type where a procedure takes arrays of any rank"
#define RG_KIND "arrays of this kind of element"

#define RG_INLINE static inline __attribute__((always_inline))
/* Inlined into primals whatever their size: they shrink where the descriptor is
 * known. */
#define RG_ROUTINE __attribute__((always_inline))
/* What the pass writes, from the tables of a type: nothing may be concluded
 * from the bodies. */
#define RG_ROUTINE_OF_TYPES __attribute__((noinline, weak))
#define RG_FOR_DIMS(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6)

RG_INLINE int64_t elements(const Descriptor *D) {
  int64_t N = 1;
#define RG_DIM(K)                                                              \
  if (D->Rank > K)                                                             \
    N *= D->Dims[K].Extent;
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  if (D->Rank > 7)
    rg_fortran_refuse(RG_RANK);
  return N;
}

/* Address of element I in array element order. */
RG_INLINE char *at(const Descriptor *D, int64_t I) {
  int64_t Offset = 0;
#define RG_DIM(K)                                                              \
  if (D->Rank > K + 1) {                                                       \
    Offset += I % D->Dims[K].Extent * D->Dims[K].Stride;                       \
    I /= D->Dims[K].Extent;                                                    \
  } else if (D->Rank == K + 1)                                                 \
    Offset += I * D->Dims[K].Stride;
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  return (char *)D->Base + Offset;
}

/* A scalar goes with every element. */
RG_INLINE char *atOrScalar(const Descriptor *D, int64_t I) {
  return D->Rank ? at(D, I) : (char *)D->Base;
}

/* Logicals of any kind: true has a nonzero first byte. No mask takes all. */
RG_INLINE bool holds(const Descriptor *Mask, int64_t I) {
  return !Mask || *atOrScalar(Mask, I) != 0;
}

RG_INLINE void copyKind(char *To, const char *From, int8_t Type, size_t Bytes) {
  switch (Type) {
  case Real8:
    *(double *)To = *(const double *)From;
    break;
  case Real4:
    *(float *)To = *(const float *)From;
    break;
  case Complex8:
    ((double *)To)[0] = ((const double *)From)[0];
    ((double *)To)[1] = ((const double *)From)[1];
    break;
  case Complex4:
    ((float *)To)[0] = ((const float *)From)[0];
    ((float *)To)[1] = ((const float *)From)[1];
    break;
  default:
    memcpy(To, From, Bytes);
  }
}
RG_INLINE void copy1(char *To, const char *From, const Descriptor *Kind) {
  copyKind(To, From, Kind->Type, Kind->Bytes);
}

/* One dimension of a contiguous array; returns the stride of the next one. */
RG_INLINE int64_t setDim(Dim *D, int64_t Extent, int64_t Stride) {
  D->Lower = 1;
  D->Extent = Extent;
  D->Stride = Stride;
  return Stride * Extent;
}

RG_INLINE void *newMemory(int64_t Bytes) {
  return malloc(Bytes > 0 ? Bytes : 1);
}

/* R becomes a new array of elements like those of Kind; its dimensions are set.
 */
RG_INLINE void establish(Descriptor *R, const Descriptor *Kind, int Rank,
                         int64_t Bytes) {
  R->Bytes = Kind->Bytes;
  R->Version = Version;
  R->Rank = Rank;
  R->Type = Kind->Type;
  R->Attribute = Allocatable;
  R->Extra = 0;
  R->Base = newMemory(Bytes);
}

/* R becomes a new array of A's shape and kind. */
RG_INLINE void establishLike(Descriptor *R, const Descriptor *A) {
  int64_t Stride = A->Bytes;
#define RG_DIM(K)                                                              \
  if (A->Rank > K)                                                             \
    Stride = setDim(&R->Dims[K], A->Dims[K].Extent, Stride);
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  establish(R, A, A->Rank, Stride);
}

/* A number or an address. */
typedef int64_t __attribute__((may_alias)) Word;

/* A descriptor with its addendum. */
typedef struct {
  Descriptor D;
  int64_t Rest[2];
} TypedDescriptor;

/* To is a copy of From, whose address may be handed on: the program's own
 * descriptor is only read at constant places, and dissolves into registers. The
 * word behind the dimensions says the type. */
RG_INLINE void copyTyped(TypedDescriptor *To, const Descriptor *From) {
  To->D.Base = From->Base;
  To->D.Bytes = From->Bytes;
  To->D.Rank = From->Rank;
  To->D.Type = From->Type;
  To->D.Attribute = From->Attribute;
  To->D.Extra = From->Extra;
#define RG_DIM(K)                                                              \
  if (From->Rank >= K)                                                         \
    ((Word *)To)[3 + 3 * K] = ((const Word *)From)[3 + 3 * K];                 \
  if (From->Rank > K) {                                                        \
    ((Word *)To)[4 + 3 * K] = ((const Word *)From)[4 + 3 * K];                 \
    ((Word *)To)[5 + 3 * K] = ((const Word *)From)[5 + 3 * K];                 \
  }
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  if (From->Rank > 6)
    rg_fortran_refuse(RG_RANK);
}

RG_INLINE bool isDerived(const Descriptor *D) { return D->Extra & 1; }

RG_INLINE const DerivedType *typeOf(const TypedDescriptor *T) {
  return (const DerivedType *)((const Word *)T)[3 + 3 * T->D.Rank];
}

#endif
