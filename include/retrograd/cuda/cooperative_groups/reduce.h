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

template <class _RgT> struct plus {
  RG_CGM _RgT operator()(_RgT _RgA, _RgT _RgB) const { return _RgA + _RgB; }
};
template <class _RgT> struct less {
  RG_CGM _RgT operator()(_RgT _RgA, _RgT _RgB) const {
    return _RgB < _RgA ? _RgB : _RgA;
  }
};
template <class _RgT> struct greater {
  RG_CGM _RgT operator()(_RgT _RgA, _RgT _RgB) const {
    return _RgA < _RgB ? _RgB : _RgA;
  }
};
template <class _RgT> struct bit_and {
  RG_CGM _RgT operator()(_RgT _RgA, _RgT _RgB) const { return _RgA & _RgB; }
};
template <class _RgT> struct bit_or {
  RG_CGM _RgT operator()(_RgT _RgA, _RgT _RgB) const { return _RgA | _RgB; }
};
template <class _RgT> struct bit_xor {
  RG_CGM _RgT operator()(_RgT _RgA, _RgT _RgB) const { return _RgA ^ _RgB; }
};

/// Every thread of the tile gets the result.
template <unsigned Size, class Parent, class _RgT, class Op>
RG_CG _RgT reduce(const thread_block_tile<Size, Parent> &_RgG, _RgT _RgV,
                  Op Combine) {
  for (unsigned _RgD = Size / 2; _RgD > 0; _RgD /= 2)
    _RgV = Combine(_RgV, _RgG.shfl_xor(_RgV, _RgD));
  return _RgV;
}
template <unsigned Size, class Parent, class _RgT, class Op>
RG_CG _RgT reduceWarps(const details::WarpsTile<Size, Parent> &_RgG, _RgT _RgV,
                       Op Combine) {
  return _RgG.overWarps(reduce(thread_block_tile<32>(), _RgV, Combine),
                        Combine);
}
#define RG_CG_REDUCE(Size)                                                     \
  template <class Parent, class _RgT, class Op>                                \
  RG_CG _RgT reduce(const thread_block_tile<Size, Parent> &_RgG, _RgT _RgV,    \
                    Op Combine) {                                              \
    return reduceWarps<Size, Parent>(_RgG, _RgV, Combine);                     \
  }
RG_CG_REDUCE(64)
RG_CG_REDUCE(128)
RG_CG_REDUCE(256)
RG_CG_REDUCE(512)
RG_CG_REDUCE(1024)
#undef RG_CG_REDUCE
template <class _RgT, class Op>
RG_CG _RgT reduce(const coalesced_group &_RgG, _RgT _RgV, Op Combine) {
  _RgT _RgR = _RgG.shfl(_RgV, 0);
  for (unsigned _RgI = 1; _RgI < _RgG.size(); ++_RgI)
    _RgR = Combine(_RgR, _RgG.shfl(_RgV, _RgI));
  return _RgR;
}

} // namespace cooperative_groups

#endif
