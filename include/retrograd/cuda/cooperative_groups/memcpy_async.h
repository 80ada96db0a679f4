//===- cooperative_groups/memcpy_async.h - copies by all threads of a group
//-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy is done when the call returns, in the part of each thread; wait() is
// the barrier.
//
#ifndef RETROGRAD_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define RETROGRAD_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

namespace cooperative_groups {

/// Count bytes.
template <class Group, class T>
RG_CG void memcpy_async(const Group &G, T *To, const T *From, size_t Count) {
  for (size_t I = G.thread_rank(); I < Count / sizeof(T); I += G.size())
    To[I] = From[I];
  if (size_t Rest = Count % sizeof(T); Rest && G.thread_rank() == 0)
    __builtin_memcpy(To + Count / sizeof(T), From + Count / sizeof(T), Rest);
}
/// As many elements as both have room for.
template <class Group, class T>
RG_CG void memcpy_async(const Group &G, T *To, size_t Room, const T *From,
                        size_t Count) {
  for (size_t I = G.thread_rank(); I < Room && I < Count; I += G.size())
    To[I] = From[I];
}
template <class Group> RG_CG void wait(const Group &G) { G.sync(); }
template <unsigned Stages, class Group> RG_CG void wait_prior(const Group &G) {
  G.sync();
}

} // namespace cooperative_groups

#endif
