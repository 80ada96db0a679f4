//===- StaticShared.h - static shared memory beyond a kernel's -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   __shared__ float a[8192];       32 KiB, and 32 KiB of adjoints
//
// A kernel of NVIDIA can have 48 KiB of static shared memory, and more by its
// launch only. So variables that are too much come to lie in dynamic shared
// memory, behind what the program has there, and the kernel leaves word of how
// many bytes that is (Support/Kernels.h, runtime/launch.c); see docs/GPU.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_STATICSHARED_H
#define RETROGRAD_POLISH_STATICSHARED_H

#include "Support/Options.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

/// In the device's half, at the end of the pipeline.
class StaticSharedPass : public llvm::PassInfoMixin<StaticSharedPass> {
public:
  explicit StaticSharedPass(const Options &Opts) : Opts(Opts) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  Options Opts;
};

} // namespace retrograd

#endif
