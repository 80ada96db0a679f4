//===- Bfloat.cpp - rounding to bfloat16 ----------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What clang calls where the processor has no instruction for it. compiler-rt
// and libgcc from GCC 13 on have both; older ones do not, so they are weak
// here.
//
// The result is returned as __bf16, in the register that holds floats.
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdint>
#include <cstring>

/// To nearest, ties to even; NaN stays NaN.
static uint16_t rounded(float X) {
  uint32_t Bits;
  memcpy(&Bits, &X, sizeof Bits);
  if (X != X)
    return uint16_t(Bits >> 16 | 0x40);
  return uint16_t((Bits + 0x7fff + (Bits >> 16 & 1)) >> 16);
}

extern "C" {
__attribute__((weak)) __bf16 __truncsfbf2(float X) {
  return __builtin_bit_cast(__bf16, rounded(X));
}

__attribute__((weak)) __bf16 __truncdfbf2(double X) {
  // To float so that the second rounding sees that there was more: the last bit
  // says so.
  float Near = (float)X;
  uint32_t Bits;
  memcpy(&Bits, &Near, sizeof Bits);
  if ((double)Near != X && X == X) {
    Bits -= std::fabs((double)Near) > std::fabs(X);
    Bits |= 1;
  }
  memcpy(&Near, &Bits, sizeof Bits);
  return __builtin_bit_cast(__bf16, rounded(Near));
}
}
