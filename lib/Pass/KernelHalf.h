//===- KernelHalf.h - the device half in the host's compilation -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang compiles a CUDA source twice, for the device and then for the host.
// Which derivatives of kernels a program needs is known when the host's half
// has been differentiated. So the first compilation leaves the kernels as the
// front end made them (KeepKernelsPass), and the second reads them: to know
// what launches do, and, at the end, to make the kernels' derivatives with a
// pipeline of their own. They become part of the host's object: as functions
// that run blocks
// (--offload=cpu), or as PTX, which the driver compiles. docs/HostDevice.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_KERNELHALF_H
#define RETROGRAD_PASS_KERNELHALF_H

#include "Diagnostics/DiagnosticEngine.h"
#include "Parallel/HostLaunches.h"
#include "Support/Options.h"
#include "llvm/IR/PassManager.h"
#include <memory>
#include <string>

namespace retrograd {

/// Writes a device half, before anything is optimised.
class KeepKernelsPass : public llvm::PassInfoMixin<KeepKernelsPass> {
public:
  explicit KeepKernelsPass(std::string To) : To(std::move(To)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::string To;
};

/// Keeps launches, and variables that kernels name, recognisable in host
/// modules with derivative calls.
class KeepStubsPass : public llvm::PassInfoMixin<KeepStubsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

class KernelHalf {
public:
  /// Of host module M. Without launches in M, nothing happens.
  KernelHalf(llvm::Module &M, Catalogue &Cat, DiagnosticEngine &Diags,
             const Options &Opts);
  ~KernelHalf();

  HostLaunches *launches() { return Launches.get(); }
  /// Makes the derivatives of kernels that were asked for.
  void finish();

private:
  llvm::Module &M;
  DiagnosticEngine &Diags;
  const Options &Opts;
  llvm::StringMap<KernelFacts> Facts;
  std::unique_ptr<HostLaunches> Launches;

  std::unique_ptr<llvm::Module> read();
  void optimise(llvm::Module &D);
  bool bringHere(std::unique_ptr<llvm::Module> D);
  bool carry(llvm::Module &D);
};

} // namespace retrograd

#endif
