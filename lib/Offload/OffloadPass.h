//===- OffloadPass.h - CUDA kernels in a host module ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs first in the compilation of the host half: brings the device half in,
// with its kernels lowered to functions that run blocks, and registers them
// with the runtime. docs/CudaOnCpu.md has the whole way.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_OFFLOAD_OFFLOADPASS_H
#define RETROGRAD_OFFLOAD_OFFLOADPASS_H

#include "Offload/OffloadOptions.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/PassManager.h"
#include <memory>
#include <string>

namespace llvm {
class Constant;
} // namespace llvm

namespace retrograd {

/// Brings the device half D into host module M: kernels become functions that
/// run blocks, and are registered with the runtime. The host launches them by
/// their stubs or, with Handles (by kernel), by the addresses given there: then
/// the variables of D are those that an earlier call brought. False after a
/// message.
bool bringDeviceHalf(llvm::Module &M, std::unique_ptr<llvm::Module> D,
                     OffloadOptions Options,
                     const llvm::StringMap<llvm::Constant *> *Handles);

class OffloadPass : public llvm::PassInfoMixin<OffloadPass> {
public:
  OffloadPass(std::string Image, OffloadOptions Options)
      : Image(std::move(Image)), Options(Options) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::string Image; ///< the device half, bitcode
  OffloadOptions Options;
};

} // namespace retrograd

#endif
