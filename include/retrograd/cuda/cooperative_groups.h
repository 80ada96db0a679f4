//===- cooperative_groups.h - groups of threads -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks, tiles of a warp, coalesced groups, and grids of cooperative launches.
//
#ifndef RETROGRAD_CUDA_COOPERATIVE_GROUPS_H
#define RETROGRAD_CUDA_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#define RG_CG static __device__ __forceinline__
#define RG_CGM __device__ __forceinline__

#ifdef __CUDA_ARCH__
extern "C" __device__ void rg_cuda_grid_barrier();
extern "C" __device__ bool rg_cuda_grid_valid();
#endif

namespace cooperative_groups {

namespace details {
RG_CG unsigned blockRank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
RG_CG unsigned lane() { return blockRank() & 31u; }
RG_CG float shuffle(unsigned Mask, float _RgV, unsigned From) {
  return __shfl_sync(Mask, _RgV, (int)From);
}
RG_CG double shuffle(unsigned Mask, double _RgV, unsigned From) {
  return __shfl_sync(Mask, _RgV, (int)From);
}
template <class _RgT>
RG_CG _RgT shuffle(unsigned Mask, _RgT _RgV, unsigned From) {
  static_assert(sizeof(_RgT) % 4 == 0 || sizeof(_RgT) <= 4,
                "values of 1, 2 or a multiple of 4 bytes can be exchanged");
  unsigned Words[(sizeof(_RgT) + 3) / 4] = {};
  __builtin_memcpy(Words, &_RgV, sizeof(_RgT));
  for (unsigned _RgI = 0; _RgI < sizeof(Words) / 4; ++_RgI)
    Words[_RgI] = __shfl_sync(Mask, Words[_RgI], (int)From);
  __builtin_memcpy(&_RgV, Words, sizeof(_RgT));
  return _RgV;
}
} // namespace details

/// Any group, for functions that do not say which.
class thread_group {
public:
  RG_CGM unsigned size() const { return Number; }
  RG_CGM unsigned num_threads() const { return Number; }
  RG_CGM unsigned thread_rank() const {
    return Lanes ? (unsigned)__popc(Lanes & ((1u << details::lane()) - 1))
                 : details::blockRank();
  }
  RG_CGM void sync() const {
    if (Lanes)
      __syncwarp(Lanes);
    else
      __syncthreads();
  }
  RG_CGM bool is_valid() const { return true; }

protected:
  friend RG_CGM thread_group tiled_partition(const thread_group &Parent,
                                             unsigned Tile);
  RG_CGM thread_group(unsigned Lanes, unsigned Number)
      : Lanes(Lanes), Number(Number) {}
  unsigned Lanes; ///< its lanes; 0 for the block
  unsigned Number;
};

class thread_block : public thread_group {
public:
  RG_CGM thread_block() : thread_group(0, size()) {}
  RG_CGM static void sync() { __syncthreads(); }
  RG_CGM void barrier_wait() const { __syncthreads(); }
  RG_CGM static unsigned thread_rank() { return details::blockRank(); }
  RG_CGM static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  RG_CGM static unsigned num_threads() { return size(); }
  RG_CGM static dim3 group_index() {
    return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
  }
  RG_CGM static dim3 thread_index() {
    return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
  }
  RG_CGM static dim3 group_dim() {
    return dim3(blockDim.x, blockDim.y, blockDim.z);
  }
  RG_CGM static dim3 dim_threads() { return group_dim(); }
  RG_CGM unsigned barrier_arrive() const {
    return 0;
  } // the wait is the barrier
  RG_CGM void barrier_wait(unsigned) const { __syncthreads(); }
};

/// Lanes of a warp that are known by a mask.
class coalesced_group : public thread_group {
public:
  RG_CGM explicit coalesced_group(unsigned Lanes)
      : thread_group(Lanes, (unsigned)__popc(Lanes)) {}
  RG_CGM unsigned thread_rank() const {
    return (unsigned)__popc(Lanes & ((1u << details::lane()) - 1));
  }
  RG_CGM void sync() const { __syncwarp(Lanes); }
  RG_CGM unsigned meta_group_rank() const { return 0; }
  RG_CGM unsigned meta_group_size() const { return 1; }
  template <class _RgT> RG_CGM _RgT shfl(_RgT _RgV, unsigned Rank) const {
    return details::shuffle(Lanes, _RgV, laneOf(Rank));
  }
  template <class _RgT> RG_CGM _RgT shfl_down(_RgT _RgV, unsigned _RgD) const {
    unsigned _RgR = thread_rank() + _RgD;
    return details::shuffle(Lanes, _RgV,
                            laneOf(_RgR < size() ? _RgR : thread_rank()));
  }
  template <class _RgT> RG_CGM _RgT shfl_up(_RgT _RgV, unsigned _RgD) const {
    unsigned _RgR = thread_rank();
    return details::shuffle(Lanes, _RgV,
                            laneOf(_RgR >= _RgD ? _RgR - _RgD : _RgR));
  }
  template <class _RgT> RG_CGM _RgT shfl_xor(_RgT _RgV, unsigned _RgD) const {
    unsigned _RgR = thread_rank() ^ _RgD;
    return details::shuffle(Lanes, _RgV,
                            laneOf(_RgR < size() ? _RgR : thread_rank()));
  }
  RG_CGM int any(int _RgP) const { return __any_sync(Lanes, _RgP); }
  RG_CGM int all(int _RgP) const { return __all_sync(Lanes, _RgP); }
  RG_CGM unsigned ballot(int _RgP) const {
    return packed(__ballot_sync(Lanes, _RgP));
  }
  template <class _RgT> RG_CGM unsigned match_any(_RgT _RgV) const {
    return packed(__match_any_sync(Lanes, _RgV));
  }
  template <class _RgT> RG_CGM unsigned match_all(_RgT _RgV, int &Agree) const {
    return packed(__match_all_sync(Lanes, _RgV, &Agree));
  }
  RG_CGM unsigned mask() const { return Lanes; }

private:
  /// The lane of the group's thread number Rank.
  RG_CGM unsigned laneOf(unsigned Rank) const {
    return __fns(Lanes, 0, (int)Rank + 1);
  }
  /// The bits of Bits that belong to the group, side by side.
  RG_CGM unsigned packed(unsigned Bits) const {
    unsigned _RgR = 0, _RgN = 0;
    for (unsigned _RgM = Lanes; _RgM; _RgM &= _RgM - 1)
      _RgR |= (Bits >> (__ffs((int)_RgM) - 1) & 1u) << _RgN++;
    return _RgR;
  }
};
RG_CG coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

template <unsigned Size, class Parent = void> class thread_block_tile;
namespace details {
/// Where a thread is in the group that was divided into tiles.
template <class Parent> struct Within {
  RG_CGM static unsigned rank() { return blockRank(); }
  RG_CGM static unsigned size() { return thread_block::size(); }
};
template <unsigned Size, class Parent>
struct Within<thread_block_tile<Size, Parent>> {
  RG_CGM static unsigned rank() { return blockRank() & (Size - 1); }
  RG_CGM static unsigned size() { return Size; }
};
} // namespace details

/// Several warps side by side. They wait for each other by the barrier of the
/// block: all tiles of the block have to come there, as often as each other.
namespace details {
template <unsigned Size, class Parent> class WarpsTile : public thread_group {
  static_assert(Size <= 1024 && (Size & (Size - 1)) == 0,
                "a tile has a power of two of threads, up to 1024");

  /// A word of each warp, for all warps of the block.
  template <class _RgT> RG_CGM static _RgT *words() {
    __shared__ alignas(16) char Words[32 * 16];
    static_assert(sizeof(_RgT) <= 16, "values of up to 16 bytes");
    return (_RgT *)Words;
  }
  RG_CGM static unsigned firstWarp() {
    return blockRank() / Size * (Size / 32);
  }

public:
  RG_CGM WarpsTile() : thread_group(0, Size) {}
  RG_CGM static unsigned size() { return Size; }
  RG_CGM static unsigned num_threads() { return Size; }
  RG_CGM static unsigned thread_rank() { return blockRank() & (Size - 1); }
  RG_CGM static unsigned meta_group_rank() {
    return Within<Parent>::rank() / Size;
  }
  RG_CGM static unsigned meta_group_size() {
    return (Within<Parent>::size() + Size - 1) / Size;
  }
  RG_CGM static void sync() { __syncthreads(); }
  /// The value of one thread.
  template <class _RgT> RG_CGM _RgT shfl(_RgT _RgV, unsigned Rank) const {
    _RgT *Words = words<_RgT>() + blockRank() / Size;
    if (thread_rank() == (Rank & (Size - 1)))
      *Words = _RgV;
    __syncthreads();
    _RgV = *Words;
    __syncthreads();
    return _RgV;
  }
  /// Of a value per warp, which all of its lanes have, in the order of warps.
  template <class _RgT, class Op>
  RG_CGM _RgT overWarps(_RgT _RgV, Op Combine) const {
    _RgT *Words = words<_RgT>();
    if (lane() == 0)
      Words[blockRank() / 32] = _RgV;
    __syncthreads();
    _RgV = Words[firstWarp()];
    for (unsigned _RgI = 1; _RgI < Size / 32; ++_RgI)
      _RgV = Combine(_RgV, Words[firstWarp() + _RgI]);
    __syncthreads();
    return _RgV;
  }
  RG_CGM int any(int _RgP) const {
    return overWarps(__any_sync(0xffffffffu, _RgP),
                     [](int _RgA, int _RgB) { return _RgA | _RgB; });
  }
  RG_CGM int all(int _RgP) const {
    return overWarps(__all_sync(0xffffffffu, _RgP),
                     [](int _RgA, int _RgB) { return _RgA & _RgB; });
  }
};
} // namespace details
#define RG_CG_TILE(Size)                                                       \
  template <class Parent>                                                      \
  class thread_block_tile<Size, Parent>                                        \
      : public details::WarpsTile<Size, Parent> {};
RG_CG_TILE(64)
RG_CG_TILE(128)
RG_CG_TILE(256)
RG_CG_TILE(512)
RG_CG_TILE(1024)
#undef RG_CG_TILE

/// Size lanes side by side, Size a power of two up to 32.
template <unsigned Size, class Parent>
class thread_block_tile : public thread_group {
  static_assert(Size == 1 || Size == 2 || Size == 4 || Size == 8 ||
                    Size == 16 || Size == 32,
                "a tile has a power of two of threads");

public:
  RG_CGM thread_block_tile() : thread_group(mask(), Size) {}
  template <class _RgP>
  RG_CGM thread_block_tile(const thread_block_tile<Size, _RgP> &)
      : thread_block_tile() {}
  RG_CGM static unsigned size() { return Size; }
  RG_CGM static unsigned num_threads() { return Size; }
  RG_CGM static unsigned thread_rank() {
    return details::blockRank() & (Size - 1);
  }
  /// Among the tiles of the parent.
  RG_CGM static unsigned meta_group_rank() {
    return details::Within<Parent>::rank() / Size;
  }
  RG_CGM static unsigned meta_group_size() {
    return (details::Within<Parent>::size() + Size - 1) / Size;
  }
  RG_CGM static unsigned mask() {
    return Size == 32
               ? 0xffffffffu
               : ((1u << (Size & 31)) - 1) << (details::lane() & ~(Size - 1));
  }
  RG_CGM void sync() const { __syncwarp(mask()); }
  template <class _RgT> RG_CGM _RgT shfl(_RgT _RgV, unsigned Rank) const {
    return details::shuffle(mask(), _RgV, first() | (Rank & (Size - 1)));
  }
  template <class _RgT> RG_CGM _RgT shfl_down(_RgT _RgV, unsigned _RgD) const {
    unsigned _RgR = thread_rank() + _RgD;
    return details::shuffle(mask(), _RgV,
                            first() | (_RgR < Size ? _RgR : thread_rank()));
  }
  template <class _RgT> RG_CGM _RgT shfl_up(_RgT _RgV, unsigned _RgD) const {
    unsigned _RgR = thread_rank();
    return details::shuffle(mask(), _RgV,
                            first() | (_RgR >= _RgD ? _RgR - _RgD : _RgR));
  }
  template <class _RgT> RG_CGM _RgT shfl_xor(_RgT _RgV, unsigned _RgD) const {
    unsigned _RgR = thread_rank() ^ _RgD;
    return details::shuffle(mask(), _RgV,
                            first() | (_RgR < Size ? _RgR : thread_rank()));
  }
  RG_CGM int any(int _RgP) const { return __any_sync(mask(), _RgP); }
  RG_CGM int all(int _RgP) const { return __all_sync(mask(), _RgP); }
  RG_CGM unsigned ballot(int _RgP) const {
    return __ballot_sync(mask(), _RgP) >> first() &
           (0xffffffffu >> (32 - Size));
  }
  template <class _RgT> RG_CGM unsigned match_any(_RgT _RgV) const {
    return __match_any_sync(mask(), _RgV) >> first() &
           (0xffffffffu >> (32 - Size));
  }
  template <class _RgT> RG_CGM unsigned match_all(_RgT _RgV, int &Agree) const {
    return __match_all_sync(mask(), _RgV, &Agree) >> first() &
           (0xffffffffu >> (32 - Size));
  }

private:
  RG_CGM static unsigned first() { return details::lane() & ~(Size - 1); }
};

/// Memory by which tiles of more than a warp communicate. Ours have their own.
template <unsigned MaxBlockSize = 1024> struct block_tile_memory {
  unsigned long long Words[MaxBlockSize / 32 + 1];
};
namespace experimental {
template <unsigned Communicated = 8, unsigned MaxBlockSize = 1024>
struct block_tile_memory : cooperative_groups::block_tile_memory<MaxBlockSize> {
};
} // namespace experimental

RG_CG thread_block this_thread_block() { return {}; }
template <unsigned MaxBlockSize>
RG_CG thread_block this_thread_block(block_tile_memory<MaxBlockSize> &) {
  return {};
}
namespace experimental {
template <unsigned Communicated, unsigned MaxBlockSize>
RG_CG thread_block
this_thread_block(block_tile_memory<Communicated, MaxBlockSize> &) {
  return {};
}
} // namespace experimental
template <unsigned Size, class Parent>
RG_CG thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
  return {};
}
/// Tiles of a size that only the run time knows: a power of two up to 32, side
/// by side in the parent.
RG_CGM inline thread_group tiled_partition(const thread_group &Parent,
                                           unsigned Tile) {
  unsigned Lane = details::lane(),
           All = Tile >= 32 ? 0xffffffffu
                            : ((1u << Tile) - 1) << (Lane & ~(Tile - 1));
  if (!Parent.Lanes) {
    unsigned Left = Parent.Number - (details::blockRank() & ~31u);
    unsigned Here = Left >= 32 ? 0xffffffffu : (1u << Left) - 1;
    return {All & Here, (unsigned)__popc(All & Here)};
  }
  // By rank in the parent, which may have any lanes.
  unsigned Mask = 0, Rank = Parent.thread_rank() / Tile, _RgN = 0;
  for (unsigned _RgM = Parent.Lanes; _RgM; _RgM &= _RgM - 1)
    if (_RgN++ / Tile == Rank)
      Mask |= _RgM & (0u - _RgM);
  return {Mask, (unsigned)__popc(Mask)};
}
template <class Group, class _RgT>
RG_CG coalesced_group labeled_partition(const Group &_RgG, _RgT Label) {
  return coalesced_group(__match_any_sync(_RgG.mask(), Label));
}
template <class Group>
RG_CG coalesced_group binary_partition(const Group &_RgG, bool Side) {
  unsigned Yes = __ballot_sync(_RgG.mask(), Side);
  return coalesced_group(Side ? Yes : _RgG.mask() & ~Yes);
}
/// One thread of the group calls F.
template <class Group, class Fn, class... _RgA>
RG_CG void invoke_one(const Group &_RgG, Fn &&_RgF, _RgA &&...Arguments) {
  if (_RgG.thread_rank() == 0)
    _RgF(static_cast<_RgA &&>(Arguments)...);
}

class grid_group {
public:
  RG_CGM static unsigned long long thread_rank() {
    return ((blockIdx.z * (unsigned long long)gridDim.y + blockIdx.y) *
                gridDim.x +
            blockIdx.x) *
               thread_block::size() +
           details::blockRank();
  }
  RG_CGM static unsigned long long size() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z *
           thread_block::size();
  }
  RG_CGM static unsigned long long num_threads() { return size(); }
  RG_CGM static unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  RG_CGM static dim3 group_dim() {
    return dim3(gridDim.x, gridDim.y, gridDim.z);
  }
  RG_CGM static dim3 dim_blocks() { return group_dim(); }
  RG_CGM static dim3 block_index() {
    return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
  }
  RG_CGM static unsigned long long block_rank() {
    return (blockIdx.z * (unsigned long long)gridDim.y + blockIdx.y) *
               gridDim.x +
           blockIdx.x;
  }
#ifdef __CUDA_ARCH__
  RG_CGM static bool is_valid() { return rg_cuda_grid_valid(); }
  /// One thread of each block meets those of the others.
  RG_CGM static void sync() {
    __syncthreads();
    if (details::blockRank() == 0)
      rg_cuda_grid_barrier();
    __syncthreads();
  }
#else
  RG_CGM static bool is_valid();
  RG_CGM static void sync();
#endif
};
RG_CG grid_group this_grid() { return {}; }

template <class Group> RG_CG void sync(const Group &_RgG) { _RgG.sync(); }
template <class Group> RG_CG unsigned thread_rank(const Group &_RgG) {
  return _RgG.thread_rank();
}
template <class Group> RG_CG unsigned group_size(const Group &_RgG) {
  return _RgG.size();
}

} // namespace cooperative_groups

#endif
