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
template <class Group, class _RgT>
RG_CG void memcpy_async(const Group &_RgG, _RgT *To, const _RgT *From,
                        size_t Count) {
  for (size_t _RgI = _RgG.thread_rank(); _RgI < Count / sizeof(_RgT);
       _RgI += _RgG.size())
    To[_RgI] = From[_RgI];
  if (size_t Rest = Count % sizeof(_RgT); Rest && _RgG.thread_rank() == 0)
    __builtin_memcpy(To + Count / sizeof(_RgT), From + Count / sizeof(_RgT),
                     Rest);
}
/// As many elements as both have room for.
template <class Group, class _RgT>
RG_CG void memcpy_async(const Group &_RgG, _RgT *To, size_t Room,
                        const _RgT *From, size_t Count) {
  for (size_t _RgI = _RgG.thread_rank(); _RgI < Room && _RgI < Count;
       _RgI += _RgG.size())
    To[_RgI] = From[_RgI];
}
template <class Group> RG_CG void wait(const Group &_RgG) { _RgG.sync(); }
template <unsigned Stages, class Group>
RG_CG void wait_prior(const Group &_RgG) {
  _RgG.sync();
}

} // namespace cooperative_groups

#endif
