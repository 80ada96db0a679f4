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
template <class Group, class _RgT, class Op>
RG_CG _RgT inclusive_scan(const Group &_RgG, _RgT _RgV, Op Combine) {
  for (unsigned _RgD = 1; _RgD < _RgG.size(); _RgD *= 2) {
    _RgT Before = _RgG.shfl_up(_RgV, _RgD);
    if (_RgG.thread_rank() >= _RgD)
      _RgV = Combine(Before, _RgV);
  }
  return _RgV;
}
template <class Group, class _RgT>
RG_CG _RgT inclusive_scan(const Group &_RgG, _RgT _RgV) {
  return inclusive_scan(_RgG, _RgV, plus<_RgT>());
}
/// Of the threads before this one; T() for the first.
template <class Group, class _RgT, class Op>
RG_CG _RgT exclusive_scan(const Group &_RgG, _RgT _RgV, Op Combine) {
  _RgT Before = _RgG.shfl_up(inclusive_scan(_RgG, _RgV, Combine), 1);
  return _RgG.thread_rank() ? Before : _RgT();
}
template <class Group, class _RgT>
RG_CG _RgT exclusive_scan(const Group &_RgG, _RgT _RgV) {
  return exclusive_scan(_RgG, _RgV, plus<_RgT>());
}

} // namespace cooperative_groups

#endif
