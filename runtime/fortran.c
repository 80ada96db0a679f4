/*===- fortran.c - flang's runtime, where derivatives flow through it ------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Flang calls its runtime for intrinsics of whole arrays, array assignments and
|* allocation, at -O0 for all of them. These bodies do the same on the same
|* descriptors, and are differentiated like the user's code (Catalogue/Fortran.td
|* says which stands for which). Meanings are those of the Fortran 2018 standard;
|* the layout of descriptors is that of ISO_Fortran_binding.h, which flang
|* documents as its own.
|*
|* The kind of the elements is in the descriptor. Each body asks for it once, and
|* simplification folds the question where the descriptor was made in the program.
|* Dimensions are read by constant index only, so that descriptors in local
|* variables dissolve into registers.
|*
|* Of derived types: values that own nothing are copied like numbers. What their components
|* are otherwise is known from tables of the program: see rg_fortran_initialise.
\*===------------------------------------------------------------------------===*/

#include "fortran.h"

void rg_fortran_refuse(const char *What) {
  fprintf(stderr, "Retrograd: this derivative cannot deal with %s\n", What);
  abort();
}

/*===-- Assignment and allocation ------------------------------------------===*/

RG_INLINE bool sameShape(const Descriptor *A, const Descriptor *B) {
#define RG_DIM(K)                                                              \
  if (A->Rank > K && A->Dims[K].Extent != B->Dims[K].Extent)                   \
    return false;
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  return true;
}

RG_INLINE void setContiguous(Descriptor *To, const Descriptor *Shape) {
  int64_t Stride = To->Bytes;
#define RG_DIM(K)                                                              \
  if (Shape->Rank > K)                                                         \
    Stride = setDim(&To->Dims[K], Shape->Dims[K].Extent, Stride);
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
}

RG_INLINE bool overlap(const Descriptor *A, const Descriptor *B, int64_t N) {
  /* Ends of the memory between first and last element, whatever the strides;
     identical arrays are copied onto themselves. */
  if (A->Base == B->Base && A->Rank == 1 && B->Rank == 1 &&
      A->Dims[0].Stride == B->Dims[0].Stride)
    return false;
  const char *A0 = A->Base, *A1 = A->Base, *B0 = B->Base, *B1 = B->Base;
  (void)N;
#define RG_DIM(K)                                                              \
  if (A->Rank > K) {                                                           \
    int64_t Span = (A->Dims[K].Extent - 1) * A->Dims[K].Stride;                \
    A0 += Span < 0 ? Span : 0;                                                 \
    A1 += Span > 0 ? Span : 0;                                                 \
  }                                                                            \
  if (B->Rank > K) {                                                           \
    int64_t Span = (B->Dims[K].Extent - 1) * B->Dims[K].Stride;                \
    B0 += Span < 0 ? Span : 0;                                                 \
    B1 += Span > 0 ? Span : 0;                                                 \
  }
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  return A0 < B1 + B->Bytes && B0 < A1 + A->Bytes;
}

/* A is B: nothing changes. Of `copyin` the first thread does so while others read. */
RG_INLINE bool sameElements(const Descriptor *A, const Descriptor *B) {
  bool Same = A->Base == B->Base && A->Rank == B->Rank;
#define RG_DIM(K)                                                              \
  if (A->Rank > K && Same)                                                     \
    Same = A->Dims[K].Stride == B->Dims[K].Stride;
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  return Same;
}

RG_INLINE const DerivedType *typeOfCopy(const Descriptor *D) {
  TypedDescriptor Copy;
  copyTyped(&Copy, D);
  return typeOf(&Copy);
}

/* One object of type T: its components get their default values, those that are allocatable
 * the state of what is not allocated. lib/Primal/Language/FortranTypes writes what that means in place
 * of the call where T is known; what remains of these calls ends the program. */
RG_ROUTINE_OF_TYPES void rg_fortran_initialise(char *Object, const DerivedType *T) {
  if (Object)
    rg_fortran_refuse(RG_INITIALISED);
}

/* One object is assigned to another: allocatable components are copied with what they own. */
RG_ROUTINE_OF_TYPES void rg_fortran_copy_object(char *To, const char *From, const DerivedType *T) {
  if (To)
    rg_fortran_refuse(RG_OWNING);
}

/* Values of the type of D are not copied by copying their bytes. */
RG_INLINE bool owns(const Descriptor *D) {
  if (!isDerived(D))
    return false;
  const DerivedType *T = typeOfCopy(D);
  if (!T->NoFinalization)
    rg_fortran_refuse(RG_FINAL);
  if (!T->NoDefinedAssignment)
    rg_fortran_refuse(RG_ASSIGNMENT);
  return !T->NoDestruction;
}

RG_INLINE void initialise(const Descriptor *D) {
  if (!isDerived(D))
    return;
  const DerivedType *T = typeOfCopy(D);
  if (T->NoInitialization)
    return;
  if (!D->Rank) { /* where that is known, its members have known places */
    rg_fortran_initialise(D->Base, T);
    return;
  }
  int64_t N = elements(D);
  for (int64_t I = 0; I < N; ++I)
    rg_fortran_initialise(at(D, I), T);
}
RG_ROUTINE void rg_fortran_initialise_all(Descriptor *D, const char *File, int Line) {
  initialise(D);
}

/* The memory that allocatable components have stays allocated, as in rg_fortran_destroy. */
RG_INLINE void refuseToFinalise(const Descriptor *D) {
  if (isDerived(D) && !typeOfCopy(D)->NoFinalization)
    rg_fortran_refuse(RG_FINAL);
}

/* To becomes a new array of From's shape whose objects are copies of From's. */
RG_INLINE void copyToNew(Descriptor *To, const Descriptor *From, const DerivedType *T) {
  const int64_t Bytes = To->Bytes;
  int64_t N = elements(From);
  char *New = newMemory(N * Bytes);
  for (int64_t I = 0; I < N; ++I) {
    rg_fortran_initialise(New + I * Bytes, T);
    rg_fortran_copy_object(New + I * Bytes, atOrScalar(From, I), T);
  }
  To->Base = New;
  setContiguous(To, From);
}

RG_INLINE void assignOwning(Descriptor *To, const Descriptor *From) {
  const DerivedType *T = typeOfCopy(To);
  if (To->Attribute == Allocatable &&
      (!To->Base || (From->Rank && !sameShape(To, From)))) {
    void *Old = To->Base;
    copyToNew(To, From, T);
    free(Old);
    return;
  }
  if (To->Base == From->Base && To->Rank == From->Rank && sameShape(To, From))
    return;
  int64_t N = elements(To);
  if (From->Rank && overlap(To, From, N))
    rg_fortran_refuse(RG_OWNING);
  for (int64_t I = 0; I < N; ++I)
    rg_fortran_copy_object(at(To, I), atOrScalar(From, I), T);
}

/* An allocatable component, which is contiguous, of numbers or of objects. Rank and kind are
 * what the type says: constants. */
RG_INLINE int64_t sizeOfComponent(const Descriptor *D, int Rank) {
  int64_t N = 1;
#define RG_DIM(K)                                                              \
  if (Rank > K)                                                                \
    N *= D->Dims[K].Extent;
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  return N;
}
RG_INLINE bool becomesNew(Descriptor *To, const Descriptor *From, int Rank, int64_t Bytes) {
  if (To->Base == From->Base)
    return false;
  bool Same = To->Base && From->Base;
#define RG_DIM(K)                                                              \
  if (Rank > K && Same)                                                        \
    Same = To->Dims[K].Extent == From->Dims[K].Extent;
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  if (Same)
    return true;
  free(To->Base);
  To->Base = 0;
  if (!From->Base)
    return false;
#define RG_DIM(K)                                                              \
  if (Rank > K)                                                                \
    To->Dims[K] = From->Dims[K];
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  To->Bytes = Bytes;
  To->Base = newMemory(sizeOfComponent(From, Rank) * Bytes);
  return true;
}
RG_ROUTINE void rg_fortran_copy_numbers(Descriptor *To, const Descriptor *From, int Rank,
                                        int Type, int64_t Bytes) {
  if (!becomesNew(To, From, Rank, Bytes))
    return;
  int64_t N = sizeOfComponent(From, Rank);
  for (int64_t I = 0; I < N; ++I)
    copyKind((char *)To->Base + I * Bytes, (const char *)From->Base + I * Bytes, Type, Bytes);
}
RG_ROUTINE void rg_fortran_copy_objects(Descriptor *To, const Descriptor *From, int Rank,
                                        const DerivedType *T, int64_t Bytes) {
  void *Old = To->Base;
  if (!becomesNew(To, From, Rank, Bytes))
    return;
  int64_t N = sizeOfComponent(From, Rank);
  bool New = To->Base != Old;
  for (int64_t I = 0; I < N; ++I) {
    if (New)
      rg_fortran_initialise((char *)To->Base + I * Bytes, T);
    rg_fortran_copy_object((char *)To->Base + I * Bytes, (const char *)From->Base + I * Bytes, T);
  }
}

/* Characters of another length: blanks are added at the end, or what is too much left out. */
RG_INLINE void copyCharacters(char *To, int64_t Bytes, const char *From, int64_t Have) {
  memcpy(To, From, Have < Bytes ? Have : Bytes);
  if (Have < Bytes)
    memset(To + Have, ' ', Bytes - Have);
}
/* Elements may be parts of To: they are read before it is written. A length that is not
 * declared (Free) becomes that of the value. */
RG_INLINE void assignCharacters(Descriptor *To, const Descriptor *From, bool Free) {
  const int64_t Have = From->Bytes;
  const bool New = To->Attribute == Allocatable &&
                   (Free || !To->Base || (From->Rank && !sameShape(To, From)));
  const int64_t Bytes = New && Free ? Have : (int64_t)To->Bytes;
  const int64_t N = New ? elements(From) : elements(To);
  char *Value = newMemory(N * Bytes);
  for (int64_t I = 0; I < N; ++I)
    copyCharacters(Value + I * Bytes, Bytes, atOrScalar(From, I), Have);
  if (New) {
    free(To->Base);
    To->Base = Value;
    To->Bytes = Bytes;
    setContiguous(To, From);
    return;
  }
  for (int64_t I = 0; I < N; ++I)
    memcpy(at(To, I), Value + I * Bytes, Bytes);
  free(Value);
}

RG_ROUTINE void rg_fortran_assign(Descriptor *To, const Descriptor *From, const char *File,
                       int Line) {
  /* One of the two often says what the other, in memory of the heap, does not. */
  if (isDerived(From) && owns(To)) {
    assignOwning(To, From);
    return;
  }
  /* Read once: where one of the two is known, the comparison tells the other. */
  const int8_t Type = To->Type;
  const int64_t Bytes = To->Bytes;
  if (Type == Character && From->Type == Character && Bytes != (int64_t)From->Bytes) {
    assignCharacters(To, From, true);
    return;
  }
  if (Type != From->Type || Bytes != (int64_t)From->Bytes) {
    rg_fortran_refuse(RG_KIND);
    return;
  }
  if (To->Attribute == Allocatable &&
      (!To->Base || (From->Rank && !sameShape(To, From)))) {
    /* The value may be a part of the old variable. */
    void *Old = To->Base;
    int64_t N = elements(From);
    char *New = newMemory(N * Bytes);
    for (int64_t I = 0; I < N; ++I)
      copyKind(New + I * Bytes, at(From, I), Type, Bytes);
    To->Base = New;
    setContiguous(To, From);
    free(Old);
    return;
  }
  if (From->Rank && sameElements(To, From))
    return;
  int64_t N = elements(To);
  if (From->Rank && overlap(To, From, N)) {
    char *Between = newMemory(N * Bytes);
    for (int64_t I = 0; I < N; ++I)
      copyKind(Between + I * Bytes, at(From, I), Type, Bytes);
    for (int64_t I = 0; I < N; ++I)
      copyKind(at(To, I), Between + I * Bytes, Type, Bytes);
    free(Between);
    return;
  }
  for (int64_t I = 0; I < N; ++I)
    copyKind(at(To, I), atOrScalar(From, I), Type, Bytes);
}

/* To has a length of its own: character(8), allocatable. */
RG_ROUTINE void rg_fortran_assign_fixed_length(Descriptor *To, const Descriptor *From,
                                               const char *File, int Line) {
  assignCharacters(To, From, false);
}

RG_ROUTINE void rg_fortran_set_bounds(Descriptor *D, int Dimension, int64_t Lower,
                           int64_t Upper) {
  int64_t Stride = D->Bytes;
#define RG_DIM(K)                                                              \
  if (Dimension == K) {                                                        \
    D->Dims[K].Lower = Lower;                                                  \
    D->Dims[K].Extent = Upper >= Lower ? Upper - Lower + 1 : 0;                \
    D->Dims[K].Stride = Stride;                                                \
  }                                                                            \
  Stride *= D->Dims[K].Extent;
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
}

/* An argument of any rank, whose bounds are the procedure's own: 1 or, for
 * procedures of C, 0. */
RG_ROUTINE void rg_fortran_copy_descriptor(Descriptor *To,
                                           const Descriptor *From,
                                           const void *Type, int8_t Attribute,
                                           int Bounds) {
  enum { Ones = 1, Zeroes = 2 };
  if (Type || isDerived(From))
    rg_fortran_refuse(RG_ANY_RANK);
  if (From->Rank > 7)
    rg_fortran_refuse(RG_RANK);
  To->Base = From->Base;
  To->Bytes = From->Bytes;
  To->Version = From->Version;
  To->Rank = From->Rank;
  To->Type = From->Type;
  To->Attribute = Attribute;
  To->Extra = From->Extra;
#define RG_DIM(K)                                                              \
  if (From->Rank > K) {                                                        \
    To->Dims[K] = From->Dims[K];                                               \
    if (Bounds == Ones)                                                        \
      To->Dims[K].Lower = 1;                                                   \
    if (Bounds == Zeroes)                                                      \
      To->Dims[K].Lower = 0;                                                   \
  }
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
}

RG_INLINE void allocate(Descriptor *D) {
  int64_t Stride = D->Bytes;
#define RG_DIM(K)                                                              \
  if (D->Rank > K) {                                                           \
    D->Dims[K].Stride = Stride;                                                \
    Stride *= D->Dims[K].Extent;                                               \
  }
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  D->Base = newMemory(Stride);
}
RG_ROUTINE int rg_fortran_allocate(Descriptor *D, void *Async, bool HasStatus, void *Message,
                        const char *File, int Line, void *Device) {
  allocate(D);
  initialise(D);
  return 0;
}
RG_ROUTINE int rg_fortran_allocate_pointer(Descriptor *D, bool HasStatus, void *Message,
                                const char *File, int Line, void *Device) {
  allocate(D);
  initialise(D);
  return 0;
}
/*===-- Objects of a class --------------------------------------------------===*/

/* D is of type T from now on; null: not known. */
RG_INLINE void setType(Descriptor *D, const DerivedType *T, int Rank) {
  ((const DerivedType **)D)[3 + 3 * Rank] = T;
}
/* ALLOCATE is to make objects of type T of D. */
RG_ROUTINE void rg_fortran_begin_object(Descriptor *D, const DerivedType *T, int Rank, int Corank) {
  if (D->Base)
    return;
  if (Corank)
    rg_fortran_refuse(RG_KIND);
  D->Bytes = T->Bytes;
  D->Version = Version;
  D->Rank = Rank;
  D->Type = Derived;
  D->Attribute = Allocatable;
  D->Extra = 1;
  setType(D, T, Rank);
}
/* ALLOCATE is to make objects of the type, the length and (unless it is a scalar) the shape of Mold. */
RG_ROUTINE void rg_fortran_begin_like(Descriptor *D, const Descriptor *Mold, int Rank) {
  if (D->Base)
    return;
  D->Bytes = Mold->Bytes;
  D->Rank = Rank;
  D->Type = Mold->Type;
#define RG_DIM(K)                                                              \
  if (Rank > K && Mold->Rank > K)                                              \
    D->Dims[K] = Mold->Dims[K];
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  if (isDerived(D) && isDerived(Mold))
    setType(D, typeOfCopy(Mold), Rank);
}
RG_ROUTINE int rg_fortran_deallocate_object(Descriptor *D, const DerivedType *T, bool HasStatus, void *Message,
                                            const char *File, int Line) {
  refuseToFinalise(D);
  free(D->Base);
  D->Base = 0;
  if (isDerived(D))
    setType(D, T, D->Rank);
  return 0;
}
/* The variable becomes of the type of the value. */
RG_ROUTINE void rg_fortran_assign_object(Descriptor *To, const Descriptor *From, const char *File, int Line) {
  if (To->Attribute != Allocatable || !isDerived(From) || !isDerived(To) || From->Rank != To->Rank) {
    rg_fortran_refuse(RG_CLASS);
    return;
  }
  const DerivedType *T = typeOfCopy(From);
  const bool Owning = owns(From);
  const int64_t Bytes = From->Bytes, N = elements(From);
  const bool Same = To->Base && typeOfCopy(To) == T && sameShape(To, From) &&
                    (To->Base == From->Base || !overlap(To, From, N));
  char *Old = To->Base, *New = Same ? Old : newMemory(N * Bytes);
  if (!Same) {
    refuseToFinalise(To);
    setContiguous(To, From);
    To->Bytes = Bytes;
    To->Base = New;
    setType(To, T, To->Rank);
  }
  if (Owning)
    for (int64_t I = 0; I < N; ++I) {
      if (!Same)
        rg_fortran_initialise(at(To, I), T);
      rg_fortran_copy_object(at(To, I), at(From, I), T);
    }
  else
    for (int64_t I = 0; I < N; ++I)
      memcpy(at(To, I), at(From, I), Bytes);
  if (!Same)
    free(Old);
}

/* ALLOCATE is to make Length characters of D. */
RG_ROUTINE void rg_fortran_begin_characters(Descriptor *D, int64_t Length, int Kind, int Rank,
                                            int Corank) {
  if (D->Base)
    return;
  if (Kind != 1 || Corank)
    rg_fortran_refuse(RG_KIND);
  D->Bytes = Length < 0 ? 0 : Length;
  D->Version = Version;
  D->Rank = Rank;
  D->Type = Character;
  D->Attribute = Allocatable;
  D->Extra = 0;
}
RG_ROUTINE int rg_fortran_allocate_source(Descriptor *D, const Descriptor *Source,
                               bool HasStatus, void *Message, const char *File,
                               int Line) {
  if (isDerived(Source) && owns(D)) {
    copyToNew(D, Source, typeOfCopy(D));
    return 0;
  }
  allocate(D);
  int64_t N = elements(D);
  /* The source is the one of the two whose kind is often known. */
  const int8_t Type = Source->Type;
  const int64_t Have = Source->Bytes;
  if (Type == Character && (int64_t)D->Bytes != Have) {
    for (int64_t I = 0; I < N; ++I)
      copyCharacters(at(D, I), D->Bytes, atOrScalar(Source, I), Have);
    return 0;
  }
  for (int64_t I = 0; I < N; ++I)
    copyKind(at(D, I), atOrScalar(Source, I), Type, Have);
  return 0;
}
RG_ROUTINE int rg_fortran_deallocate(Descriptor *D, bool HasStatus, void *Message,
                          const char *File, int Line) {
  refuseToFinalise(D);
  free(D->Base);
  D->Base = 0;
  return 0;
}
RG_ROUTINE int rg_fortran_move(Descriptor *To, Descriptor *From, const void *Type,
                    bool HasStatus, void *Message, const char *File, int Line) {
  refuseToFinalise(To);
  free(To->Base);
  To->Base = From->Base;
#define RG_DIM(K)                                                              \
  if (To->Rank > K)                                                            \
    To->Dims[K] = From->Dims[K];
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  From->Base = 0;
  return 0;
}

/* Frees the allocatable components of a variable that goes out of scope. That
 * needs type information, and the reverse sweep may still need their contents:
 * the memory stays. */
RG_ROUTINE void rg_fortran_destroy(Descriptor *D) {}

/*===-- Characters ---------------------------------------------------------===*/

/* A new scalar of that many characters. */
RG_INLINE char *newCharacters(Descriptor *R, const Descriptor *Kind, int64_t Bytes) {
  if (Kind->Type != Character)
    rg_fortran_refuse(RG_KIND);
  establish(R, Kind, 0, Bytes);
  R->Bytes = Bytes;
  return R->Base;
}

RG_ROUTINE void rg_fortran_trim(Descriptor *R, const Descriptor *A, const char *File, int Line) {
  int64_t N = A->Bytes;
  while (N && ((const char *)A->Base)[N - 1] == ' ')
    --N;
  memcpy(newCharacters(R, A, N), A->Base, N);
}

RG_ROUTINE void rg_fortran_repeat(Descriptor *R, const Descriptor *A, int64_t Copies,
                                  const char *File, int Line) {
  const int64_t N = A->Bytes;
  Copies = Copies < 0 ? 0 : Copies;
  char *To = newCharacters(R, A, N * Copies);
  for (int64_t I = 0; I < Copies; ++I)
    memcpy(To + I * N, A->Base, N);
}

RG_ROUTINE void rg_fortran_adjustl(Descriptor *R, const Descriptor *A, const char *File,
                                   int Line) {
  if (A->Type != Character)
    rg_fortran_refuse(RG_KIND);
  establishLike(R, A);
  const int64_t N = elements(A), Bytes = A->Bytes;
  for (int64_t I = 0; I < N; ++I) {
    const char *From = atOrScalar(A, I);
    int64_t Blanks = 0;
    while (Blanks < Bytes && From[Blanks] == ' ')
      ++Blanks;
    copyCharacters((char *)R->Base + I * Bytes, Bytes, From + Blanks, Bytes - Blanks);
  }
}

RG_ROUTINE void rg_fortran_adjustr(Descriptor *R, const Descriptor *A, const char *File,
                                   int Line) {
  if (A->Type != Character)
    rg_fortran_refuse(RG_KIND);
  establishLike(R, A);
  const int64_t N = elements(A), Bytes = A->Bytes;
  for (int64_t I = 0; I < N; ++I) {
    const char *From = atOrScalar(A, I);
    char *To = (char *)R->Base + I * Bytes;
    int64_t Blanks = 0;
    while (Blanks < Bytes && From[Bytes - 1 - Blanks] == ' ')
      ++Blanks;
    memset(To, ' ', Blanks);
    memcpy(To + Blanks, From, Bytes - Blanks);
  }
}

/*===-- Moves --------------------------------------------------------------===*/

RG_ROUTINE void rg_fortran_transpose(Descriptor *R, const Descriptor *A, const char *File,
                          int Line) {
  int64_t Rows = A->Dims[0].Extent, Columns = A->Dims[1].Extent;
  int64_t Bytes = A->Bytes;
  int64_t All = setDim(&R->Dims[1], Rows, setDim(&R->Dims[0], Columns, Bytes));
  establish(R, A, 2, All);
  for (int64_t J = 0; J < Columns; ++J)
    for (int64_t I = 0; I < Rows; ++I)
      copy1((char *)R->Base + (I * Columns + J) * Bytes,
            (char *)A->Base + I * A->Dims[0].Stride + J * A->Dims[1].Stride, A);
}

RG_INLINE int64_t integerAt(const Descriptor *D, int64_t I) {
  const char *P = at(D, I);
  return D->Bytes == 8 ? *(const int64_t *)P : *(const int32_t *)P;
}

/* Where element I of the source of RESHAPE goes in R: the first of Order is the
 * dimension that varies fastest, and so on. */
RG_INLINE int64_t placeInOrder(const Descriptor *R, const Descriptor *Order, int64_t I) {
  int64_t Offset = 0;
#define RG_DIM(K)                                                              \
  if (R->Rank > K) {                                                           \
    const Dim *D = &R->Dims[integerAt(Order, K) - 1];                          \
    Offset += I % D->Extent * D->Stride;                                       \
    I /= D->Extent;                                                            \
  }
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  return Offset;
}

RG_ROUTINE void rg_fortran_reshape(Descriptor *R, const Descriptor *A, const Descriptor *Shape,
                        const Descriptor *Pad, const Descriptor *Order,
                        const char *File, int Line) {
  int64_t Bytes = A->Bytes, All = Bytes, Rank = Shape->Dims[0].Extent;
#define RG_DIM(K)                                                              \
  if (Rank > K)                                                                \
    All = setDim(&R->Dims[K], integerAt(Shape, K), All);
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  establish(R, A, Rank, All);
  int64_t Have = elements(A), N = All / Bytes;
  for (int64_t I = 0; I < N; ++I)
    copy1((char *)R->Base + (Order ? placeInOrder(R, Order, I) : I * Bytes),
          I < Have ? at(A, I) : at(Pad, (I - Have) % elements(Pad)), A);
}

RG_ROUTINE void rg_fortran_spread(Descriptor *R, const Descriptor *A, int Dimension,
                       int64_t Copies, const char *File, int Line) {
  if (A->Rank > 6)
    rg_fortran_refuse(RG_RANK);
  Copies = Copies < 0 ? 0 : Copies;
  int64_t Bytes = A->Bytes, All = Bytes, Inner = 1;
#define RG_DIM(K)                                                              \
  if (K == Dimension - 1) {                                                    \
    Inner = All / Bytes;                                                       \
    All = setDim(&R->Dims[K], Copies, All);                                    \
  } else if (A->Rank >= K)                                                     \
    All = setDim(&R->Dims[K],                                                  \
                 A->Dims[K < Dimension - 1 || !K ? K : K - 1].Extent, All);
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  establish(R, A, A->Rank + 1, All);
  int64_t N = elements(A);
  for (int64_t C = 0; C < Copies; ++C)
    for (int64_t I = 0; I < N; ++I)
      copy1((char *)R->Base +
                (I % Inner + (I / Inner * Copies + C) * Inner) * Bytes,
            atOrScalar(A, I), A);
}

RG_ROUTINE void rg_fortran_cshift(Descriptor *R, const Descriptor *A, int64_t Shift,
                       const char *File, int Line) {
  establishLike(R, A);
  int64_t N = elements(A), Bytes = A->Bytes;
  for (int64_t I = 0; I < N; ++I) {
    int64_t From = (I + Shift) % N;
    copy1((char *)R->Base + I * Bytes, at(A, From < 0 ? From + N : From), A);
  }
}

RG_ROUTINE void rg_fortran_eoshift(Descriptor *R, const Descriptor *A, int64_t Shift,
                        const Descriptor *Boundary, const char *File, int Line) {
  establishLike(R, A);
  int64_t N = elements(A), Bytes = A->Bytes;
  for (int64_t I = 0; I < N; ++I) {
    int64_t From = I + Shift;
    char *To = (char *)R->Base + I * Bytes;
    if (From >= 0 && From < N)
      copy1(To, at(A, From), A);
    else if (Boundary)
      copy1(To, Boundary->Base, A);
    else
      memset(To, 0, Bytes);
  }
}

/* Shifts of arrays along one dimension, by one amount or one for each vector of it. */
RG_INLINE int64_t shiftOf(const Descriptor *Shift, int64_t Vector) {
  const char *P = atOrScalar(Shift, Vector);
  return Shift->Bytes == 8 ? *(const int64_t *)P : *(const int32_t *)P;
}

typedef struct {
  int64_t Inner, Extent; /* elements below the dimension, and in it */
} Along;

RG_INLINE Along along(const Descriptor *A, int Dimension) {
  Along L = {1, 1};
#define RG_DIM(K)                                                              \
  if (A->Rank > K) {                                                           \
    if (K < Dimension - 1)                                                     \
      L.Inner *= A->Dims[K].Extent;                                            \
    if (K == Dimension - 1)                                                    \
      L.Extent = A->Dims[K].Extent;                                            \
  }
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  return L;
}

RG_ROUTINE void rg_fortran_cshift_dim(Descriptor *R, const Descriptor *A, const Descriptor *Shift,
                           int Dimension, const char *File, int Line) {
  establishLike(R, A);
  int64_t N = elements(A), Bytes = A->Bytes;
  Along L = along(A, Dimension);
  for (int64_t I = 0; I < N; ++I) {
    int64_t In = I % L.Inner, Place = I / L.Inner % L.Extent, Out = I / L.Inner / L.Extent;
    int64_t From = (Place + shiftOf(Shift, Out * L.Inner + In)) % L.Extent;
    From = From < 0 ? From + L.Extent : From;
    copy1((char *)R->Base + I * Bytes, at(A, (Out * L.Extent + From) * L.Inner + In), A);
  }
}

RG_ROUTINE void rg_fortran_eoshift_dim(Descriptor *R, const Descriptor *A, const Descriptor *Shift,
                            const Descriptor *Boundary, int Dimension, const char *File,
                            int Line) {
  establishLike(R, A);
  int64_t N = elements(A), Bytes = A->Bytes;
  Along L = along(A, Dimension);
  for (int64_t I = 0; I < N; ++I) {
    int64_t In = I % L.Inner, Place = I / L.Inner % L.Extent, Out = I / L.Inner / L.Extent;
    int64_t From = Place + shiftOf(Shift, Out * L.Inner + In);
    char *To = (char *)R->Base + I * Bytes;
    if (From >= 0 && From < L.Extent)
      copy1(To, at(A, (Out * L.Extent + From) * L.Inner + In), A);
    else if (Boundary)
      copy1(To, atOrScalar(Boundary, Out * L.Inner + In), A);
    else
      memset(To, 0, Bytes);
  }
}

RG_ROUTINE void rg_fortran_pack(Descriptor *R, const Descriptor *A, const Descriptor *Mask,
                     const Descriptor *Vector, const char *File, int Line) {
  int64_t N = elements(A), Bytes = A->Bytes, Count = 0;
  for (int64_t I = 0; I < N; ++I)
    Count += holds(Mask, I);
  int64_t Size = Vector ? elements(Vector) : Count;
  establish(R, A, 1, setDim(&R->Dims[0], Size, Bytes));
  int64_t Next = 0;
  for (int64_t I = 0; I < N; ++I)
    if (holds(Mask, I))
      copy1((char *)R->Base + Next++ * Bytes, at(A, I), A);
  for (int64_t I = Count; I < Size; ++I)
    copy1((char *)R->Base + I * Bytes, at(Vector, I), A);
}

RG_ROUTINE void rg_fortran_unpack(Descriptor *R, const Descriptor *Vector,
                       const Descriptor *Mask, const Descriptor *Field,
                       const char *File, int Line) {
  int64_t Bytes = Vector->Bytes, All = Bytes;
#define RG_DIM(K)                                                              \
  if (Mask->Rank > K)                                                          \
    All = setDim(&R->Dims[K], Mask->Dims[K].Extent, All);
  RG_FOR_DIMS(RG_DIM)
#undef RG_DIM
  establish(R, Vector, Mask->Rank, All);
  int64_t N = elements(Mask), Next = 0;
  for (int64_t I = 0; I < N; ++I)
    copy1((char *)R->Base + I * Bytes,
          holds(Mask, I) ? at(Vector, Next++) : atOrScalar(Field, I), Vector);
}

/*===-- Array constructors of a length that is known at the end ------------===*/

typedef struct {
  Descriptor *To;
  int64_t Next, Size; /* in elements */
  const char *File;
  int Line;
  bool UseLength;
} Constructor;

RG_ROUTINE void rg_fortran_begin_constructor(Constructor *C, Descriptor *To,
                                             bool UseLength, const char *File,
                                             int Line) {
  C->To = To;
  C->Next = 0;
  C->Size = To->Base ? elements(To) : 0;
}

RG_INLINE void growTo(Constructor *C, int64_t Size) {
  Descriptor *To = C->To;
  if (Size > C->Size) {
    C->Size = Size > 2 * C->Size ? Size : 2 * C->Size;
    To->Base = realloc(To->Base, C->Size * To->Bytes);
    setDim(&To->Dims[0], Size, To->Bytes);
  } else if (Size > To->Dims[0].Extent)
    To->Dims[0].Extent = Size;
}

RG_ROUTINE void rg_fortran_push(Constructor *C, const Descriptor *From) {
  int64_t N = elements(From), Start = C->Next;
  C->Next += N;
  growTo(C, C->Next);
  char *To = (char *)C->To->Base + Start * (int64_t)From->Bytes;
  for (int64_t I = 0; I < N; ++I)
    copy1(To + I * (int64_t)From->Bytes, atOrScalar(From, I), From);
}

RG_ROUTINE void rg_fortran_push_scalar(Constructor *C, const void *From) {
  const Descriptor *Kind = C->To;
  growTo(C, C->Next + 1);
  copy1((char *)C->To->Base + C->Next++ * (int64_t)Kind->Bytes, From, Kind);
}
