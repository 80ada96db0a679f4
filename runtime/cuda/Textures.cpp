//===- Textures.cpp - arrays and texture objects of the CUDA runtime ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array is rows of elements without gaps. A texture object is the address of
// what was said when it was made; kernels ask for elements one by one
// (retrograd_textures.inc has what they compute of them).
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

using namespace rgcuda;

struct cudaArray {
  cudaChannelFormatDesc Format;
  cudaExtent Size; // a dimension that there is not has length 1
  cudaExtent Asked;
  unsigned Flags;
  unsigned char *Data;
};

namespace {

struct Texture {
  const unsigned char *Data;
  int Size[3];
  size_t Pitch, Slice; // bytes from row to row, and from plane to plane
  cudaChannelFormatDesc Format;
  cudaResourceDesc Resource;
  cudaTextureDesc Desc;
};

struct Known { // what exists: a number from elsewhere is an error, not a crash
  std::mutex Lock;
  std::set<const void *> Arrays, Textures;
};
Known &known() {
  static Known *K = new Known; // outlives destructors that free
  return *K;
}
bool isArray(cudaArray_const_t A) {
  std::lock_guard<std::mutex> Hold(known().Lock);
  return known().Arrays.count(A);
}
Texture *find(cudaTextureObject_t T) {
  auto *P = reinterpret_cast<Texture *>(T);
  std::lock_guard<std::mutex> Hold(known().Lock);
  return known().Textures.count(P) ? P : nullptr;
}

int components(const cudaChannelFormatDesc &F) {
  return (F.x > 0) + (F.y > 0) + (F.z > 0) + (F.w > 0);
}
size_t elementSize(const cudaChannelFormatDesc &F) {
  return size_t(F.x / 8) * size_t(components(F));
}
bool isFormat(const cudaChannelFormatDesc &F) {
  bool Width = F.f == cudaChannelFormatKindFloat
                   ? F.x == 32 || F.x == 16
                   : F.x == 8 || F.x == 16 || F.x == 32;
  int Rest[] = {F.y, F.z, F.w};
  int N = components(F);
  for (int I = 0; I < 3; ++I)
    Width &= Rest[I] == (I + 1 < N ? F.x : 0);
  return Width && N != 3 && unsigned(F.f) < cudaChannelFormatKindNone;
}

/// Bits of a component of an element, as they lie in memory.
uint32_t bits(const Texture &T, int X, int Y, int Z, int Part) {
  if (Part >= components(T.Format))
    return 0;
  size_t Bytes = size_t(T.Format.x / 8);
  uint32_t Word = 0;
  memcpy(&Word,
         T.Data + size_t(Z) * T.Slice + size_t(Y) * T.Pitch +
             size_t(X) * elementSize(T.Format) + size_t(Part) * Bytes,
         Bytes);
  return Word;
}
/// The same as an integer of 32 bits.
uint32_t integer(const Texture &T, uint32_t Word) {
  if (T.Format.f != cudaChannelFormatKindSigned || T.Format.x == 32)
    return Word;
  return T.Format.x == 8 ? uint32_t(int8_t(Word)) : uint32_t(int16_t(Word));
}

cudaError_t rows(unsigned char *To, size_t ToPitch, const unsigned char *From,
                 size_t FromPitch, size_t Width, size_t Height) {
  finishDevice(-1);
  if (cudaError_t E = stickyError())
    return fail(E);
  for (size_t Row = 0; Row < Height; ++Row)
    memmove(To + Row * ToPitch, From + Row * FromPitch, Width);
  return cudaSuccess;
}
size_t rowBytes(cudaArray_const_t A) {
  return A->Size.width * elementSize(A->Format);
}
/// Whether a box of bytes and rows lies in the first plane of the array.
bool fits(cudaArray_const_t A, size_t X, size_t Y, size_t Width,
          size_t Height) {
  return isArray(A) && X <= rowBytes(A) && Width <= rowBytes(A) - X &&
         Y <= A->Size.height && Height <= A->Size.height - Y;
}

} // namespace

bool rgcuda::boxOfArray(cudaArray_const_t A, const cudaPos &At,
                        const cudaExtent &E, Box &Out) {
  if (!isArray(A) || At.x + E.width > A->Size.width ||
      At.y + E.height > A->Size.height || At.z + E.depth > A->Size.depth)
    return false;
  size_t Bytes = elementSize(A->Format);
  Out.Pitch = rowBytes(A);
  Out.Slice = Out.Pitch * A->Size.height;
  Out.Data = A->Data + At.z * Out.Slice + At.y * Out.Pitch + At.x * Bytes;
  Out.Width = E.width * Bytes; // extents count elements where an array is
  return true;
}

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int X, int Y, int Z, int W,
                                            cudaChannelFormatKind F) {
  return {X, Y, Z, W, F};
}

cudaError_t cudaMallocArray(cudaArray_t *A, const cudaChannelFormatDesc *F,
                            size_t Width, size_t Height, unsigned Flags) {
  return cudaMalloc3DArray(A, F, {Width, Height, 0}, Flags);
}
cudaError_t cudaMalloc3DArray(cudaArray_t *A, const cudaChannelFormatDesc *F,
                              cudaExtent E, unsigned Flags) {
  if (!A || !F || !isFormat(*F) || !E.width)
    return fail(cudaErrorInvalidValue);
  // A cube map is six layers, the faces, and several of them are, one behind
  // the other.
  if ((Flags & cudaArrayCubemap) &&
      (E.width != E.height || !E.depth ||
       (Flags & cudaArrayLayered ? E.depth % 6 : E.depth != 6)))
    return fail(cudaErrorInvalidValue);
  if (cudaError_t Before = stickyError())
    return fail(Before);
  cudaExtent Size = {E.width, std::max<size_t>(E.height, 1),
                     std::max<size_t>(E.depth, 1)};
  auto *Data = static_cast<unsigned char *>(
      calloc(Size.height * Size.depth, Size.width * elementSize(*F)));
  if (!Data)
    return fail(cudaErrorMemoryAllocation);
  *A = new cudaArray{*F, Size, E, Flags, Data};
  std::lock_guard<std::mutex> Hold(known().Lock);
  known().Arrays.insert(*A);
  return cudaSuccess;
}
cudaError_t cudaFreeArray(cudaArray_t A) {
  if (!A)
    return cudaSuccess;
  if (!isArray(A))
    return fail(cudaErrorInvalidValue);
  {
    std::lock_guard<std::mutex> Hold(known().Lock);
    known().Arrays.erase(A);
  }
  free(A->Data);
  delete A;
  return cudaSuccess;
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *F, cudaExtent *E,
                             unsigned *Flags, cudaArray_t A) {
  if (!isArray(A))
    return fail(cudaErrorInvalidResourceHandle);
  if (F)
    *F = A->Format;
  if (E)
    *E = A->Asked;
  if (Flags)
    *Flags = A->Flags;
  return cudaSuccess;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t A, size_t X, size_t Y,
                                const void *From, size_t Pitch, size_t Width,
                                size_t Height, cudaMemcpyKind) {
  if (!From || !fits(A, X, Y, Width, Height))
    return fail(cudaErrorInvalidValue);
  return rows(A->Data + Y * rowBytes(A) + X, rowBytes(A),
              static_cast<const unsigned char *>(From), Pitch, Width, Height);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t A, size_t X, size_t Y,
                                     const void *From, size_t Pitch,
                                     size_t Width, size_t Height,
                                     cudaMemcpyKind K, cudaStream_t) {
  return cudaMemcpy2DToArray(A, X, Y, From, Pitch, Width, Height, K);
}
cudaError_t cudaMemcpy2DFromArray(void *To, size_t Pitch, cudaArray_const_t A,
                                  size_t X, size_t Y, size_t Width,
                                  size_t Height, cudaMemcpyKind) {
  if (!To || !fits(A, X, Y, Width, Height))
    return fail(cudaErrorInvalidValue);
  return rows(static_cast<unsigned char *>(To), Pitch,
              A->Data + Y * rowBytes(A) + X, rowBytes(A), Width, Height);
}
// These two go on in the next row at the end of one, and rows have no gaps.
cudaError_t cudaMemcpyToArray(cudaArray_t A, size_t X, size_t Y,
                              const void *From, size_t Size, cudaMemcpyKind) {
  if (!From || !isArray(A) ||
      Y * rowBytes(A) + X + Size > rowBytes(A) * A->Size.height)
    return fail(cudaErrorInvalidValue);
  return rows(A->Data + Y * rowBytes(A) + X, 0,
              static_cast<const unsigned char *>(From), 0, Size, 1);
}
cudaError_t cudaMemcpyFromArray(void *To, cudaArray_const_t A, size_t X,
                                size_t Y, size_t Size, cudaMemcpyKind) {
  if (!To || !isArray(A) ||
      Y * rowBytes(A) + X + Size > rowBytes(A) * A->Size.height)
    return fail(cudaErrorInvalidValue);
  return rows(static_cast<unsigned char *>(To), 0,
              A->Data + Y * rowBytes(A) + X, 0, Size, 1);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *Object,
                                    const cudaResourceDesc *R,
                                    const cudaTextureDesc *D,
                                    const void *View) {
  if (!Object || !R || !D)
    return fail(cudaErrorInvalidValue);
  if (View || D->sRGB)
    return fail(cudaErrorNotSupported);
  Texture T = {};
  switch (R->resType) {
  case cudaResourceTypeLinear:
    T.Format = R->res.linear.desc;
    if (!isFormat(T.Format))
      return fail(cudaErrorInvalidChannelDescriptor);
    T.Data = static_cast<const unsigned char *>(R->res.linear.devPtr);
    T.Size[0] = int(R->res.linear.sizeInBytes / elementSize(T.Format));
    T.Size[1] = T.Size[2] = 1;
    break;
  case cudaResourceTypePitch2D:
    T.Format = R->res.pitch2D.desc;
    T.Data = static_cast<const unsigned char *>(R->res.pitch2D.devPtr);
    T.Size[0] = int(R->res.pitch2D.width);
    T.Size[1] = int(R->res.pitch2D.height);
    T.Size[2] = 1;
    T.Pitch = R->res.pitch2D.pitchInBytes;
    break;
  case cudaResourceTypeArray: {
    cudaArray_t A = R->res.array.array;
    if (!isArray(A))
      return fail(cudaErrorInvalidResourceHandle);
    T.Format = A->Format;
    T.Data = A->Data;
    T.Size[0] = int(A->Size.width), T.Size[1] = int(A->Size.height);
    T.Size[2] = int(A->Size.depth);
    T.Pitch = rowBytes(A);
    T.Slice = T.Pitch * A->Size.height;
    break;
  }
  default:
    return fail(cudaErrorNotSupported);
  }
  // Filters need numbers, and shares of the largest are made of 8 or 16 bits.
  bool Numbers = T.Format.f == cudaChannelFormatKindFloat;
  bool Shares = D->readMode == cudaReadModeNormalizedFloat;
  if (!T.Data || !isFormat(T.Format) ||
      (Shares && !Numbers && T.Format.x == 32))
    return fail(cudaErrorInvalidValue);
  if (D->filterMode == cudaFilterModeLinear && !Numbers && !Shares)
    return fail(cudaErrorInvalidFilterSetting);
  T.Resource = *R;
  T.Desc = *D;
  auto *New = new Texture(T);
  std::lock_guard<std::mutex> Hold(known().Lock);
  known().Textures.insert(New);
  *Object = reinterpret_cast<cudaTextureObject_t>(New);
  return cudaSuccess;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t Object) {
  Texture *T = find(Object);
  if (!T)
    return Object ? fail(cudaErrorInvalidValue) : cudaSuccess;
  {
    std::lock_guard<std::mutex> Hold(known().Lock);
    known().Textures.erase(T);
  }
  delete T;
  return cudaSuccess;
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *R,
                                             cudaTextureObject_t Object) {
  Texture *T = find(Object);
  return T ? (*R = T->Resource, cudaSuccess) : fail(cudaErrorInvalidValue);
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *D,
                                            cudaTextureObject_t Object) {
  Texture *T = find(Object);
  return T ? (*D = T->Desc, cudaSuccess) : fail(cudaErrorInvalidValue);
}

// What kernels ask for (retrograd_textures.inc).
int rg_texture_fact(const void *Object, int Which);
float rg_texture_number(const void *Object, int X, int Y, int Z, int Part);
unsigned rg_texture_word(const void *Object, int X, int Y, int Z, int Part);

int rg_texture_fact(const void *Object, int Which) {
  const Texture &T = *static_cast<const Texture *>(Object);
  return Which < 3    ? T.Size[Which]
         : Which < 6  ? int(T.Desc.addressMode[Which - 3])
         : Which == 6 ? T.Desc.filterMode == cudaFilterModeLinear
                      : T.Desc.normalizedCoords != 0;
}
float rg_texture_number(const void *Object, int X, int Y, int Z, int Part) {
  const Texture &T = *static_cast<const Texture *>(Object);
  if (X < 0 || Y < 0 || Z < 0)
    return T.Desc.borderColor[Part];
  uint32_t Word = bits(T, X, Y, Z, Part);
  if (T.Format.f == cudaChannelFormatKindFloat) {
    if (T.Format.x == 16) {
      auto Half = uint16_t(Word);
      return float(__builtin_bit_cast(_Float16, Half));
    }
    return __builtin_bit_cast(float, Word);
  }
  uint32_t Value = integer(T, Word);
  if (T.Format.f == cudaChannelFormatKindUnsigned)
    return float(Value) / (T.Format.x == 8 ? 255.0f : 65535.0f);
  return std::max(float(int(Value)) / (T.Format.x == 8 ? 127.0f : 32767.0f),
                  -1.0f);
}
unsigned rg_texture_word(const void *Object, int X, int Y, int Z, int Part) {
  const Texture &T = *static_cast<const Texture *>(Object);
  if (X < 0 || Y < 0 || Z < 0)
    return unsigned(int64_t(T.Desc.borderColor[Part]));
  return integer(T, bits(T, X, Y, Z, Part));
}
}
