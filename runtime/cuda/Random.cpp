//===- Random.cpp - far jumps in sequences of random numbers -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of XORWOW's shifts is linear in the 160 bits of its state, so 2^k
// steps are a matrix of bits: computed once by squaring, used as often as
// kernels ask (curand_kernel.h).
//
//===----------------------------------------------------------------------===//

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

namespace {

constexpr unsigned Words = 5, Bits = 32 * Words, Powers = 67 + 64;
using Vector = std::array<uint32_t, Words>;
using Matrix = std::array<Vector, Bits>; ///< the images of the unit vectors

Vector times(const Matrix &M, const Vector &V) {
  Vector R{};
  for (unsigned I = 0; I != Bits; ++I)
    if (V[I / 32] >> (I % 32) & 1)
      for (unsigned W = 0; W != Words; ++W)
        R[W] ^= M[I][W];
  return R;
}

/// The step's powers 1, 2, 4, ...
struct Table {
  std::array<Matrix, Powers> Of;
  Table() {
    for (unsigned I = 0; I != Bits; ++I) {
      Vector V{};
      V[I / 32] = 1u << (I % 32);
      uint32_t T = V[0] ^ V[0] >> 2;
      Of[0][I] = {V[1], V[2], V[3], V[4], V[4] ^ V[4] << 4 ^ T ^ T << 1};
    }
    for (unsigned K = 1; K != Powers; ++K)
      for (unsigned I = 0; I != Bits; ++I)
        Of[K][I] = times(Of[K - 1], Of[K - 1][I]);
  }
};

} // namespace

extern "C" void rg_cuda_xorwow_skip(uint32_t *State, uint64_t Steps,
                                    int Scale) {
  if (!Steps)
    return;
  static const std::unique_ptr<const Table> The = std::make_unique<Table>();
  Vector V;
  memcpy(V.data(), State, sizeof V);
  for (unsigned K = static_cast<unsigned>(Scale); Steps; ++K, Steps >>= 1)
    if (Steps & 1)
      V = times(The->Of[K], V);
  memcpy(State, V.data(), sizeof V);
}
