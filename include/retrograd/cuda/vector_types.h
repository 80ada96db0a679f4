//===- vector_types.h - char1 to double4, dim3 -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_CUDA_VECTOR_TYPES_H
#define RETROGRAD_CUDA_VECTOR_TYPES_H

#include "host_defines.h"

// Alignments are those of the CUDA C++ programming guide, table of built-in
// vector types.
struct __align__(1) char1 {
  signed char x;
};
struct __align__(2) char2 {
  signed char x;
  signed char y;
};
struct __align__(1) char3 {
  signed char x;
  signed char y;
  signed char z;
};
struct __align__(4) char4 {
  signed char x;
  signed char y;
  signed char z;
  signed char w;
};
struct __align__(1) uchar1 {
  unsigned char x;
};
struct __align__(2) uchar2 {
  unsigned char x;
  unsigned char y;
};
struct __align__(1) uchar3 {
  unsigned char x;
  unsigned char y;
  unsigned char z;
};
struct __align__(4) uchar4 {
  unsigned char x;
  unsigned char y;
  unsigned char z;
  unsigned char w;
};
struct __align__(2) short1 {
  short x;
};
struct __align__(4) short2 {
  short x;
  short y;
};
struct __align__(2) short3 {
  short x;
  short y;
  short z;
};
struct __align__(8) short4 {
  short x;
  short y;
  short z;
  short w;
};
struct __align__(2) ushort1 {
  unsigned short x;
};
struct __align__(4) ushort2 {
  unsigned short x;
  unsigned short y;
};
struct __align__(2) ushort3 {
  unsigned short x;
  unsigned short y;
  unsigned short z;
};
struct __align__(8) ushort4 {
  unsigned short x;
  unsigned short y;
  unsigned short z;
  unsigned short w;
};
struct __align__(4) int1 {
  int x;
};
struct __align__(8) int2 {
  int x;
  int y;
};
struct __align__(4) int3 {
  int x;
  int y;
  int z;
};
struct __align__(16) int4 {
  int x;
  int y;
  int z;
  int w;
};
struct __align__(4) uint1 {
  unsigned int x;
};
struct __align__(8) uint2 {
  unsigned int x;
  unsigned int y;
};
struct __align__(4) uint3 {
  unsigned int x;
  unsigned int y;
  unsigned int z;
};
struct __align__(16) uint4 {
  unsigned int x;
  unsigned int y;
  unsigned int z;
  unsigned int w;
};
struct __align__(8) long1 {
  long x;
};
struct __align__(16) long2 {
  long x;
  long y;
};
struct __align__(8) long3 {
  long x;
  long y;
  long z;
};
struct __align__(16) long4 {
  long x;
  long y;
  long z;
  long w;
};
struct __align__(8) ulong1 {
  unsigned long x;
};
struct __align__(16) ulong2 {
  unsigned long x;
  unsigned long y;
};
struct __align__(8) ulong3 {
  unsigned long x;
  unsigned long y;
  unsigned long z;
};
struct __align__(16) ulong4 {
  unsigned long x;
  unsigned long y;
  unsigned long z;
  unsigned long w;
};
struct __align__(8) longlong1 {
  long long x;
};
struct __align__(16) longlong2 {
  long long x;
  long long y;
};
struct __align__(8) longlong3 {
  long long x;
  long long y;
  long long z;
};
struct __align__(16) longlong4 {
  long long x;
  long long y;
  long long z;
  long long w;
};
struct __align__(8) ulonglong1 {
  unsigned long long x;
};
struct __align__(16) ulonglong2 {
  unsigned long long x;
  unsigned long long y;
};
struct __align__(8) ulonglong3 {
  unsigned long long x;
  unsigned long long y;
  unsigned long long z;
};
struct __align__(16) ulonglong4 {
  unsigned long long x;
  unsigned long long y;
  unsigned long long z;
  unsigned long long w;
};
struct __align__(4) float1 {
  float x;
};
struct __align__(8) float2 {
  float x;
  float y;
};
struct __align__(4) float3 {
  float x;
  float y;
  float z;
};
struct __align__(16) float4 {
  float x;
  float y;
  float z;
  float w;
};
struct __align__(8) double1 {
  double x;
};
struct __align__(16) double2 {
  double x;
  double y;
};
struct __align__(8) double3 {
  double x;
  double y;
  double z;
};
struct __align__(16) double4 {
  double x;
  double y;
  double z;
  double w;
};

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int _RgX = 1,
                                     unsigned int _RgY = 1,
                                     unsigned int _RgZ = 1)
      : x(_RgX), y(_RgY), z(_RgZ) {}
  __host__ __device__ constexpr dim3(uint3 _RgV)
      : x(_RgV.x), y(_RgV.y), z(_RgV.z) {}
  __host__ __device__ constexpr operator uint3() const {
    return uint3{x, y, z};
  }
};

#endif
