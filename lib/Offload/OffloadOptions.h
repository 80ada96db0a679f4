//===- OffloadOptions.h - switches of the lowering -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_OFFLOAD_OFFLOADOPTIONS_H
#define RETROGRAD_OFFLOAD_OFFLOADOPTIONS_H

namespace retrograd {

struct OffloadOptions {
  bool Recompute =
      true; ///< -rg-offload-recompute: values behind barriers by min-cut
  bool Uniform =
      true; ///< -rg-offload-uniform: scalar values and branches of a block
  bool Parallel =
      true; ///< -rg-offload-parallel: loops over threads promise no conflicts
  bool EliminateBarriers = true; ///< -rg-offload-eliminate-barriers
  bool CutLoops = true; ///< -rg-offload-cut-loops: loops over threads inside of
                        ///< uniform loops
  bool LockStep = true; ///< -rg-offload-lock-step: loops over the grid by the
                        ///< block together
  bool Limit = true;    ///< -rg-offload-limit: loops over the threads that have
                        ///< something to do
  bool Edges = true; ///< -rg-offload-edges: loops of their own for blocks away
                     ///< from the grid's edges
  bool MoveBarriers =
      true; ///< -rg-offload-move-barriers: one barrier for several
  bool ForwardStores =
      true; ///< -rg-offload-forward-stores: stores to loads across barriers
  bool HoistLoads =
      true; ///< -rg-offload-hoist-loads: loads out of loops over threads
  bool Collapse =
      true; ///< -rg-offload-collapse: loops over blocks and threads as one
  bool SerialThreads = true; ///< -rg-offload-serial-threads: one thread of the
                             ///< machine runs those of a block
  bool CheckRaces = false;   ///< -rg-check-races
  bool CheckUninitialized = false; ///< -rg-check-uninitialized
  bool Print = false;              ///< -rg-print-offload: the lowered functions
  bool checks() const { return CheckRaces || CheckUninitialized; }
};

} // namespace retrograd

#endif
