//===- KernelLowering.h - a kernel as a function that runs blocks ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// KernelLowering turns one kernel into
//
//   void kernel(void **Arguments, const RgLaunch *Launch,
//               int64_t First, int64_t Last,
//               char *Scratch, char *Dynamic)
//
// which runs the blocks [First, Last) of a launch one after the other. In a
// block each region (SplitPoints.h) is a loop over the block's threads. Three
// forms:
//
//   Uniform    regions follow each other by the block's own control flow;
//   ExitOnly   the same, but threads that have ended are passed over;
//   Divergent  each thread has a program counter, and a scheduler picks the
//              region that the most backward threads wait for. Kernels with
//              operations of a warp have this form, a warp at a time; where all
//              lanes are together and can only go to one place the scheduler is
//              left out.
//
// The memory of a kernel is in address spaces until the module as a whole is
// retargeted (Retarget.h).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_OFFLOAD_KERNELLOWERING_H
#define RETROGRAD_OFFLOAD_KERNELLOWERING_H

#include "Offload/CrossingValues.h"
#include "Offload/OffloadOptions.h"
#include "Offload/SplitPoints.h"
#include <cstdint>
#include <string>

namespace llvm {
class Function;
class Constant;
class GlobalVariable;
class Module;
} // namespace llvm

namespace retrograd {

class DiagnosticEngine;

/// What the launching code has to know of a kernel (runtime/cuda/Abi.h).
struct LoweredKernel {
  std::string Name; ///< the symbol that the kernel has on a device
  llvm::Function *Blocks = nullptr;
  uint64_t StaticShared =
      0; ///< bytes of shared memory that the kernel declares
  uint64_t ScratchPerThread = 0;        ///< bytes
  uint32_t MaxThreads = 1024;           ///< __launch_bounds__
  llvm::SmallVector<uint32_t, 8> Sizes; ///< of the parameters, in bytes
  uint32_t DynamicParts =
      1; ///< of the launch's dynamic shared memory: Polish/DynamicShared.h
  uint32_t MovedBytes = 0; ///< of it, behind them: Polish/StaticShared.h
};

/// The place of I in the source, as the runtime's checker reads it; I may be
/// null.
llvm::Constant *siteOf(llvm::Module &M, const llvm::Instruction *I);

/// Which functions read the identity of the thread that runs them.
using ReadsThread = llvm::function_ref<bool(const llvm::CallInst &)>;

/// Lowers Kernel, which is left without a body. IsUniform holds for the kernel
/// as it is.
LoweredKernel
lowerKernel(llvm::Function &Kernel,
            llvm::function_ref<bool(const llvm::Value *)> IsUniform,
            ReadsThread Reads, const OffloadOptions &Options,
            DiagnosticEngine &Diags);

} // namespace retrograd

#endif
