/*===- halves.c - numbers of 16 bits in host code of CUDA programs --------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Bodies that are differentiated: what the toolkit's headers do in integer
|* arithmetic on the host, as conversions. A __half is its bits.
\*===------------------------------------------------------------------------===*/
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
