//===- HeldForLink.h - what a link may differentiate ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit that is compiled for a linker may be differentiated from another unit.
// What an outer request has to find in this unit's derivatives is held as it is
// until the link.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_GUARD_HELDFORLINK_H
#define RETROGRAD_GUARD_HELDFORLINK_H

#include "llvm/IR/PassManager.h"

namespace retrograd {
class Catalogue;
struct Options;

/// Derivatives of M were made before the link, where another unit may ask for
/// theirs: what an outer request has to find in them stays as it is until then
/// (the tape's operations by name, shortcuts as questions). A linker without
/// the plugin finds code that is right, if not as fast.
void holdForLink(llvm::Module &M, const Catalogue &Cat);

/// Keeps F, which the catalogue knows by name, a function of that name until
/// derivatives are made.
void hold(llvm::Function &F);

/// In the link, before requests are answered: the linker made the routines that
/// holdForLink keeps internal, and the catalogue knows no internal function.
void nameHeld(llvm::Module &M);

/// In the link, when all derivatives are made, and in the native half of a fat
/// object: ends what holdForLink began. Was there anything?
bool releaseHeld(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
                 const Options &Opts, bool AtLink);

} // namespace retrograd

#endif
