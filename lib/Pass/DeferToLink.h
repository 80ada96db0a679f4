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

#include "Support/Options.h"
#include "llvm/IR/PassManager.h"
#include <memory>

namespace retrograd {

class Catalogue;

/// Where in the life of a program the pass runs.
enum class LinkStage : uint8_t {
  Whole,      ///< no link-time optimisation follows: everything has to be here
  BeforeLink, ///< compiling to bitcode for a linker
  FullLink,   ///< in the linker, all units in one module
  ThinLink,   ///< in the linker, one unit with what was imported into it
  ByName,     ///< where `-passes=retrograd` put it: everything is tried
};

/// The stage of a pipeline, for the passes at its start: LLVM tells it later,
/// but before any of them runs. Null: not known, taken for Whole.
using PipelineStage = std::shared_ptr<const LinkStage>;

inline bool isBeforeLink(const PipelineStage &Stage) {
  return Stage && *Stage == LinkStage::BeforeLink;
}

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

/// Derivatives of M were made before the link, where another unit may ask for
/// theirs: what an outer request has to find in them stays as it is until then
/// (the tape's operations by name, shortcuts as questions). A linker without
/// the plugin finds code that is right, if not as fast.
void holdForLink(llvm::Module &M, const Catalogue &Cat);

/// Keeps F, which the catalogue knows by name, a function of that name.
void holdForLink(llvm::Function &F);

/// In the link, before requests are answered: the linker made the routines that
/// holdForLink keeps internal, and the catalogue knows no internal function.
void nameHeld(llvm::Module &M);

/// In the link, when all derivatives are made, and in the native half of a fat
/// object: ends what holdForLink began. Was there anything?
bool releaseHeld(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
                 const Options &Opts);

} // namespace retrograd

#endif
