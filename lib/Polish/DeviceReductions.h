//===- DeviceReductions.h - atomic additions without a result ---*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's PTX has two instructions that add to memory: atom, which returns
// what was there, and red, which does not. LLVM knows the first alone. ptxas
// makes the same machine instruction of both where nobody looks at the result,
// but takes a loop with an atom in it for one that may wait for other threads:
// it puts a YIELD there, and the threads of a warp that go through the loop a
// different number of times, or through another branch, never come together
// again behind it, nor in the loops around (seen with CUDA 13.0 on sm_90;
// RSBench's gradient ran with 1.3 of 32 lanes where its primal has 6.3).
//
// DeviceReductionsPass, at the end of the pipeline, writes the atomic additions
// of derivatives as red. As inline assembly, since there is nothing else; for
// the same reason not sooner, when code could still be moved across. The steps
// of Polish.def that want final code run in front: parameters-in-place to
// loads-first.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_DEVICEREDUCTIONS_H
#define RETROGRAD_POLISH_DEVICEREDUCTIONS_H

#include "Support/Options.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Instruction;
} // namespace llvm

namespace retrograd {
class Target;

/// A relaxed addition of a float or double whose result nobody wants, to memory
/// that may be global.
bool isPlainAddition(const llvm::Instruction &I, const Target &Machine);

/// M holds derivatives whose additions the pass shall rewrite, in Derived.
void noteReductions(llvm::Module &M, llvm::ArrayRef<llvm::Function *> Derived);

class DeviceReductionsPass : public llvm::PassInfoMixin<DeviceReductionsPass> {
public:
  explicit DeviceReductionsPass(const Options &Opts) : Opts(Opts) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  Options Opts;
};

} // namespace retrograd

#endif
