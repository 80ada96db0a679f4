//===- cooperative_groups/reduce.h - one value of the values of a group -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_CUDA_COOPERATIVE_GROUPS_REDUCE_H
#define RETROGRAD_CUDA_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class T> struct plus {
  RG_CGM T operator()(T A, T B) const { return A + B; }
};
template <class T> struct less {
  RG_CGM T operator()(T A, T B) const { return B < A ? B : A; }
};
template <class T> struct greater {
  RG_CGM T operator()(T A, T B) const { return A < B ? B : A; }
};
template <class T> struct bit_and {
  RG_CGM T operator()(T A, T B) const { return A & B; }
};
template <class T> struct bit_or {
  RG_CGM T operator()(T A, T B) const { return A | B; }
};
template <class T> struct bit_xor {
  RG_CGM T operator()(T A, T B) const { return A ^ B; }
};

/// Every thread of the tile gets the result.
template <unsigned Size, class Parent, class T, class Op>
RG_CG T reduce(const thread_block_tile<Size, Parent> &G, T V, Op Combine) {
  for (unsigned D = Size / 2; D > 0; D /= 2)
    V = Combine(V, G.shfl_xor(V, D));
  return V;
}
template <class T, class Op>
RG_CG T reduce(const coalesced_group &G, T V, Op Combine) {
  T R = G.shfl(V, 0);
  for (unsigned I = 1; I < G.size(); ++I)
    R = Combine(R, G.shfl(V, I));
  return R;
}

} // namespace cooperative_groups

#endif
