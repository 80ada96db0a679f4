//===- DeferToLink.h - entry calls that wait for the linker -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -flto a unit that lacks a body is no error yet: the body may be in
// another unit that the linker will put beside it. What can be differentiated
// at compile time is, so that -flto changes nothing for programs that need none
// of it; a module where a body is missing keeps all its entry calls for later.
// See lib/Pass/README.md and docs/user/LinkTime.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_DEFERTOLINK_H
#define RETROGRAD_PASS_DEFERTOLINK_H

#include "Support/LinkStage.h"
#include "Support/Options.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

/// Makes a unit that is compiled for ThinLTO part of what the linker optimises
/// as one module: LLVM's writer of bitcode looks for this module flag. A
/// derivative may need any body of any unit, which ThinLTO's import does not
/// promise.
class LinkAsWholePass : public llvm::PassInfoMixin<LinkAsWholePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
};

/// Would differentiating M fail because bodies are missing that other units may
/// have? Tries on a copy; M stays as it is, and nobody is told anything.
bool lacksBodies(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
                 const Options &Opts);

/// Keeps M's entry calls for the linker: their callees get names that tell, as
/// undefined symbols of a link without the plugin, what to do, and carry the
/// options of this compilation.
void deferEntryCalls(llvm::Module &M, const Options &Opts);

/// Were M's entry calls kept by deferEntryCalls?
bool hasDeferredCalls(const llvm::Module &M);

/// The options that M's deferred calls were compiled with, or Opts.
Options optionsAtLink(const llvm::Module &M, Options Opts);

} // namespace retrograd

#endif
