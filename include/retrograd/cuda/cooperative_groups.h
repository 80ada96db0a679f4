//===- cooperative_groups.h - groups of threads -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks, tiles of a warp and coalesced groups. A grid knows its size, but has no
// barrier here: blocks run one after the other.
//
#ifndef RETROGRAD_CUDA_COOPERATIVE_GROUPS_H
#define RETROGRAD_CUDA_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#define RG_CG static __device__ __forceinline__
#define RG_CGM __device__ __forceinline__

namespace cooperative_groups {

namespace details {
RG_CG unsigned blockRank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
RG_CG unsigned lane() { return blockRank() & 31u; }
RG_CG float shuffle(unsigned Mask, float V, unsigned From) { return __shfl_sync(Mask, V, (int)From); }
RG_CG double shuffle(unsigned Mask, double V, unsigned From) { return __shfl_sync(Mask, V, (int)From); }
template <class T> RG_CG T shuffle(unsigned Mask, T V, unsigned From) {
  static_assert(sizeof(T) % 4 == 0 || sizeof(T) <= 4, "values of 1, 2 or a multiple of 4 bytes can be exchanged");
  unsigned Words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(Words, &V, sizeof(T));
  for (unsigned I = 0; I < sizeof(Words) / 4; ++I)
    Words[I] = __shfl_sync(Mask, Words[I], (int)From);
  __builtin_memcpy(&V, Words, sizeof(T));
  return V;
}
} // namespace details

class thread_block {
public:
  RG_CGM static void sync() { __syncthreads(); }
  RG_CGM void barrier_wait() const { __syncthreads(); }
  RG_CGM static unsigned thread_rank() { return details::blockRank(); }
  RG_CGM static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  RG_CGM static unsigned num_threads() { return size(); }
  RG_CGM static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  RG_CGM static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  RG_CGM static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  RG_CGM static dim3 dim_threads() { return group_dim(); }
};

/// Lanes of a warp that are known by a mask.
class coalesced_group {
public:
  RG_CGM explicit coalesced_group(unsigned Mask) : Mask(Mask) {}
  RG_CGM unsigned size() const { return (unsigned)__popc(Mask); }
  RG_CGM unsigned num_threads() const { return size(); }
  RG_CGM unsigned thread_rank() const { return (unsigned)__popc(Mask & ((1u << details::lane()) - 1)); }
  RG_CGM void sync() const { __syncwarp(Mask); }
  RG_CGM unsigned meta_group_rank() const { return 0; }
  RG_CGM unsigned meta_group_size() const { return 1; }
  template <class T> RG_CGM T shfl(T V, unsigned Rank) const { return details::shuffle(Mask, V, laneOf(Rank)); }
  template <class T> RG_CGM T shfl_down(T V, unsigned D) const {
    unsigned R = thread_rank() + D;
    return details::shuffle(Mask, V, laneOf(R < size() ? R : thread_rank()));
  }
  template <class T> RG_CGM T shfl_up(T V, unsigned D) const {
    unsigned R = thread_rank();
    return details::shuffle(Mask, V, laneOf(R >= D ? R - D : R));
  }
  template <class T> RG_CGM T shfl_xor(T V, unsigned D) const {
    unsigned R = thread_rank() ^ D;
    return details::shuffle(Mask, V, laneOf(R < size() ? R : thread_rank()));
  }
  RG_CGM int any(int P) const { return __any_sync(Mask, P); }
  RG_CGM int all(int P) const { return __all_sync(Mask, P); }
  RG_CGM unsigned ballot(int P) const { return packed(__ballot_sync(Mask, P)); }
  template <class T> RG_CGM unsigned match_any(T V) const { return packed(__match_any_sync(Mask, V)); }

protected:
  unsigned Mask;
  /// The lane of the group's thread number Rank.
  RG_CGM unsigned laneOf(unsigned Rank) const { return __fns(Mask, 0, (int)Rank + 1); }
  /// The bits of Bits that belong to the group, side by side.
  RG_CGM unsigned packed(unsigned Bits) const {
    unsigned R = 0, N = 0;
    for (unsigned M = Mask; M; M &= M - 1)
      R |= (Bits >> (__ffs((int)M) - 1) & 1u) << N++;
    return R;
  }
};
RG_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/// Size lanes side by side, Size a power of two up to 32.
template <unsigned Size, class Parent = thread_block> class thread_block_tile {
  static_assert(Size == 1 || Size == 2 || Size == 4 || Size == 8 || Size == 16 || Size == 32,
                "tiles of 1 to 32 threads, a power of two, run on a CPU");

public:
  RG_CGM thread_block_tile() {}
  template <class P> RG_CGM thread_block_tile(const thread_block_tile<Size, P> &) {}
  RG_CGM static unsigned size() { return Size; }
  RG_CGM static unsigned num_threads() { return Size; }
  RG_CGM static unsigned thread_rank() { return details::blockRank() & (Size - 1); }
  RG_CGM static unsigned meta_group_rank() { return details::blockRank() / Size; }
  RG_CGM static unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
  RG_CGM static unsigned mask() {
    return Size == 32 ? 0xffffffffu : ((1u << (Size & 31)) - 1) << (details::lane() & ~(Size - 1));
  }
  RG_CGM void sync() const { __syncwarp(mask()); }
  template <class T> RG_CGM T shfl(T V, unsigned Rank) const { return details::shuffle(mask(), V, first() | (Rank & (Size - 1))); }
  template <class T> RG_CGM T shfl_down(T V, unsigned D) const {
    unsigned R = thread_rank() + D;
    return details::shuffle(mask(), V, first() | (R < Size ? R : thread_rank()));
  }
  template <class T> RG_CGM T shfl_up(T V, unsigned D) const {
    unsigned R = thread_rank();
    return details::shuffle(mask(), V, first() | (R >= D ? R - D : R));
  }
  template <class T> RG_CGM T shfl_xor(T V, unsigned D) const {
    unsigned R = thread_rank() ^ D;
    return details::shuffle(mask(), V, first() | (R < Size ? R : thread_rank()));
  }
  RG_CGM int any(int P) const { return __any_sync(mask(), P); }
  RG_CGM int all(int P) const { return __all_sync(mask(), P); }
  RG_CGM unsigned ballot(int P) const { return __ballot_sync(mask(), P) >> first() & (0xffffffffu >> (32 - Size)); }
  template <class T> RG_CGM unsigned match_any(T V) const {
    return __match_any_sync(mask(), V) >> first() & (0xffffffffu >> (32 - Size));
  }

private:
  RG_CGM static unsigned first() { return details::lane() & ~(Size - 1); }
};

RG_CG thread_block this_thread_block() { return {}; }
template <unsigned Size, class Parent> RG_CG thread_block_tile<Size, Parent> tiled_partition(const Parent &) { return {}; }

class grid_group {
public:
  RG_CGM static unsigned long long thread_rank() {
    return ((blockIdx.z * (unsigned long long)gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * thread_block::size() +
           details::blockRank();
  }
  RG_CGM static unsigned long long size() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block::size();
  }
  RG_CGM static unsigned long long num_threads() { return size(); }
  RG_CGM static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  RG_CGM static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  RG_CGM static bool is_valid() { return false; }
  template <class Never = void> RG_CGM void sync() const {
    static_assert(sizeof(Never *) == 0, "a barrier of the whole grid is not part of --offload=cpu: launch a kernel per phase");
  }
};
RG_CG grid_group this_grid() { return {}; }

template <class Group> RG_CG void sync(const Group &G) { G.sync(); }
template <class Group> RG_CG unsigned thread_rank(const Group &G) { return G.thread_rank(); }
template <class Group> RG_CG unsigned group_size(const Group &G) { return G.size(); }

} // namespace cooperative_groups

#endif
