//===- DeviceModule.h - the device half of a program ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_OFFLOAD_DEVICEMODULE_H
#define RETROGRAD_OFFLOAD_DEVICEMODULE_H

#include "Offload/KernelLowering.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>

namespace llvm {
class Module;
} // namespace llvm

namespace retrograd {

class DeviceModule {
public:
  DeviceModule(llvm::Module &D, const OffloadOptions &Options,
               DiagnosticEngine &Diags)
      : D(D), Options(Options), Diags(Diags) {}

  /// Brings kernels to the form that lowering expects. False after an error.
  bool prepare();
  /// Replaces every kernel by its block function, and takes the module's target
  /// off.
  bool lower();
  llvm::ArrayRef<LoweredKernel> kernels() const { return Kernels; }
  /// Bytes of shared variables that lie in front of a block's dynamic shared
  /// memory, for all kernels (SharedWindow.h).
  uint64_t windowBytes() const { return WindowBytes; }

private:
  llvm::Module &D;
  const OffloadOptions &Options;
  DiagnosticEngine &Diags;
  llvm::SmallVector<LoweredKernel, 4> Kernels;
  llvm::DenseSet<const llvm::Function *> ReadThread;
  uint64_t WindowBytes = 0;

  bool inlineWaiting();
  void prepareKernel(llvm::Function &F);
  void simplify();
  void findReadersOfThread();
  bool readsThread(const llvm::CallInst &Call) const;
  void lowerPlainFunctions();
  void finishBlocks();
};

} // namespace retrograd

#endif
