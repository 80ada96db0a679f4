//===- OffloadOptions.h - switches of the lowering --------------*- C++ -*-===//
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
      true; ///< offload-recompute: values behind barriers by min-cut
  bool Uniform =
      true; ///< offload-uniform: scalar values and branches of a block
  bool Parallel =
      true; ///< offload-parallel: loops over threads promise no conflicts
  bool EliminateBarriers = true; ///< offload-eliminate-barriers
  bool CutLoops = true; ///< offload-cut-loops: loops over threads inside of
                        ///< uniform loops
  bool LockStep = true; ///< offload-lock-step: loops over the grid by the
                        ///< block together
  bool Limit = true;    ///< offload-limit: loops over the threads that have
                        ///< something to do
  bool Edges = true;    ///< offload-edges: loops of their own for blocks away
                        ///< from the grid's edges
  bool MoveBarriers = true; ///< offload-move-barriers: one barrier for several
  bool ForwardStores =
      true; ///< offload-forward-stores: stores to loads across barriers
  bool HoistLoads =
      true; ///< offload-hoist-loads: loads out of loops over threads
  bool Collapse =
      true; ///< offload-collapse: loops over blocks and threads as one
  bool SerialThreads = true; ///< offload-serial-threads: one thread of the
                             ///< machine runs those of a block
  bool Interleave = false;   ///< -rg-gpu-interleave: lanes in lock step, or in
                             ///< the order that RG_GPU_ORDER says
  bool CheckRaces = false;   ///< -rg-check-races
  bool CheckUninitialized = false; ///< -rg-check-uninitialized
  bool Print = false;              ///< -rg-print-offload: the lowered functions
  bool checks() const { return CheckRaces || CheckUninitialized; }
};

} // namespace retrograd

#endif
