//===- EntryPoints.h - the names of the __enzyme_* family -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a called name asks for. For lib/Request alone, but for the last two,
// which are cheap enough to ask of every module.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_REQUEST_ENTRYPOINTS_H
#define RETROGRAD_REQUEST_ENTRYPOINTS_H

#include "llvm/IR/InstrTypes.h"

namespace llvm {
class Module;
}

namespace retrograd {

enum class EntryRole {
  Reverse,
  Forward,
  Batch,
  Augment,            ///< split reverse mode, primal sweep
  Sweep,              ///< split reverse mode, reverse sweep
  ForwardFromTape,    ///< split forward mode, tangent sweep
  TapeSize,           ///< a constant
  Itself,             ///< see EntryFamilies.h
  ErrorEstimate,      ///< forward, of errors instead of tangents
  Hint,               ///< the same
  CallInactive,       ///< the same
  IgnoreDerivatives,  ///< the same
  TruncateMemory,     ///< the same
  TruncateOperations, ///< the same
  TruncateValue,      ///< the same
  ExpandValue,        ///< the same
  Probabilistic,      ///< refused
  View,               ///< see EntryFamilies.h
  Sum,                ///< the same
  Product,            ///< the same
  NotYet              ///< refused
};

struct EntryPointName {
  llvm::StringRef Name;
  EntryRole Role;
  llvm::StringRef What;
};

/// Null for a name that is none of ours.
const EntryPointName *entryPointOf(llvm::StringRef Symbol);
/// Of a call of an entry point, known or not; null for other calls.
llvm::Function *entryCallee(const llvm::CallBase &Call);

/// A declared function of the __enzyme_* family.
bool isEntryPoint(const llvm::Function &F);

/// Is there anything to do in this module? Cheap; asked of every module.
bool hasEntryCalls(const llvm::Module &M);

} // namespace retrograd

#endif
