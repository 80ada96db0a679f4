/*===- halves.c - numbers of 16 bits in host code of CUDA programs --------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Bodies that are differentiated: what the toolkit's headers do in integer
|* arithmetic on the host, as conversions. A __half or a __nv_bfloat16 is its bits.
\*===------------------------------------------------------------------------===*/
enum { TO_ZERO, DOWN, UP };
double rg_rounded_half(double x, int way);
double rg_rounded_bfloat(double x, int way);

static inline unsigned short bits_of(_Float16 x) {
  unsigned short bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline _Float16 half_of(unsigned short bits) {
  _Float16 x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}
unsigned short rg_expand_half_of_float(float x) { return bits_of((_Float16)x); }
unsigned short rg_expand_half_of_double(double x) {
  return bits_of((_Float16)x);
}
float rg_expand_float_of_half(unsigned short bits) {
  return (float)half_of(bits);
}
static inline unsigned short bits_of_bfloat(__bf16 x) {
  unsigned short bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
unsigned short rg_expand_bfloat_of_float(float x) {
  return bits_of_bfloat((__bf16)x);
}
unsigned short rg_expand_bfloat_of_double(double x) {
  return bits_of_bfloat((__bf16)x);
}
float rg_expand_float_of_bfloat(unsigned short bits) {
  __bf16 x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return (float)x;
}

/* What is rounded already is converted as it is. */
#define ROUNDED(suffix, way)                                                   \
  unsigned short rg_expand_half_##suffix(float x) {                            \
    return bits_of((_Float16)(float)rg_rounded_half(x, way));                  \
  }                                                                            \
  unsigned short rg_expand_bfloat_##suffix(float x) {                          \
    return bits_of_bfloat((__bf16)(float)rg_rounded_bfloat(x, way));           \
  }
ROUNDED(rz, TO_ZERO)
ROUNDED(rd, DOWN)
ROUNDED(ru, UP)
