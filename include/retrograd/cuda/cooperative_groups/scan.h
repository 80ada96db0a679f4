//===- cooperative_groups/scan.h - values of a group up to each thread -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_CUDA_COOPERATIVE_GROUPS_SCAN_H
#define RETROGRAD_CUDA_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

namespace cooperative_groups {

/// Of the threads up to this one, in order of their rank.
template <class Group, class T, class Op>
RG_CG T inclusive_scan(const Group &G, T V, Op Combine) {
  for (unsigned D = 1; D < G.size(); D *= 2) {
    T Before = G.shfl_up(V, D);
    if (G.thread_rank() >= D)
      V = Combine(Before, V);
  }
  return V;
}
template <class Group, class T> RG_CG T inclusive_scan(const Group &G, T V) {
  return inclusive_scan(G, V, plus<T>());
}
/// Of the threads before this one; T() for the first.
template <class Group, class T, class Op>
RG_CG T exclusive_scan(const Group &G, T V, Op Combine) {
  T Before = G.shfl_up(inclusive_scan(G, V, Combine), 1);
  return G.thread_rank() ? Before : T();
}
template <class Group, class T> RG_CG T exclusive_scan(const Group &G, T V) {
  return exclusive_scan(G, V, plus<T>());
}

} // namespace cooperative_groups

#endif
