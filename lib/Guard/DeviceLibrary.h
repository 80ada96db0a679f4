//===- DeviceLibrary.h - libraries of GPUs while derivatives are made -----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang links libdevice (or ROCm's device libraries) into a kernel's module
// before the first pass, and their functions are inlined at once: of sin(x)
// there remain a table and a polynomial, whose derivative is neither cheap nor
// exact. So in modules that ask for derivatives
//
//   HoldLibraryPass      at the start of the pipeline, marks the functions
//                        that the catalogue knows, so that nobody inlines
//                        them;
//   releaseLibrary       once derivatives are made, takes the marks off,
//                        links what derivatives call besides (cos for sin)
//                        from the same files, and inlines what was to be
//                        inlined.
//
// Which files those are, clang's code generation options say; NoteLibrariesPass
// puts their names into the module.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_GUARD_DEVICELIBRARY_H
#define RETROGRAD_GUARD_DEVICELIBRARY_H

#include "llvm/IR/PassManager.h"
#include <string>
#include <vector>

namespace retrograd {
class DiagnosticEngine;
struct Options;

class NoteLibrariesPass : public llvm::PassInfoMixin<NoteLibrariesPass> {
public:
  /// Always: in modules without derivative calls, too, of whose kernels the
  /// host's half may want derivatives.
  explicit NoteLibrariesPass(std::vector<std::string> Files,
                             bool Always = false)
      : Files(std::move(Files)), Always(Always) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::vector<std::string> Files;
  bool Always;
};

class HoldLibraryPass : public llvm::PassInfoMixin<HoldLibraryPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

/// Ends what HoldLibraryPass began. Functions in Derivatives are inlined into
/// their callers where the machine wants that. Is the module a GPU's?
bool releaseLibrary(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
                    llvm::ArrayRef<llvm::Function *> Derivatives,
                    const Options &Opts);

} // namespace retrograd

#endif
