//===- LaunchMemory.h - memory that launches provide ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derivatives in a kernel may need memory that only its launch can provide:
//
//   shadows of dynamic shared memory  as much as the launch asks for, per
//                                     shadow (DynamicShared.h)
//   static shared memory beyond 48    in dynamic shared memory, behind that
//   KiB                               (StaticShared.h)
//   the tape                          what a thread's local memory does not
//                                     hold: on its stack, which the launch
//                                     makes longer, and behind that in a part
//                                     of memory that the launch has for as many
//                                     warps as can run at once
//
// A kernel says what it needs by variables of its module whose names end in its
// own; launches ask for them (runtime/launch.c), and answer how long the stack
// is. That a kernel may need tape beyond its local memory is known when its
// code is final: it then still calls for more.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_LAUNCHMEMORY_H
#define RETROGRAD_POLISH_LAUNCHMEMORY_H

#include "Support/Options.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

/// In the host's half of CUDA: launches ask the kernel what it needs. Returns
/// whether there is one.
bool growLaunches(llvm::Module &M, const Options &Opts);

/// In the device's half, at the end of the pipeline: kernels that may need tape
/// of their launch say so, and take of their stack what the launch has made it
/// longer by.
class LaunchTapePass : public llvm::PassInfoMixin<LaunchTapePass> {
public:
  explicit LaunchTapePass(const Options &Opts) : Opts(Opts) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  Options Opts;
};

} // namespace retrograd

#endif
