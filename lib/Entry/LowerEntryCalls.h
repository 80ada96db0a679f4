//===- LowerEntryCalls.h - replace the user's derivative calls --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step of a request: the call of a function that does not exist
// becomes a call of the derivative. What goes where was decided by
// Request/EntryCalls.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ENTRY_LOWERENTRYCALLS_H
#define RETROGRAD_ENTRY_LOWERENTRYCALLS_H

#include "Bitcode/RuntimeLibrary.h"
#include "Request/EntryCalls.h"

namespace retrograd {

/// Replaces one entry call by a call of Derivative, whose type is
/// Entry.Request.functionType(). Entry.Call is gone afterwards.
void lowerEntryCall(EntryCall &Entry, llvm::Function &Derivative,
                    RuntimeLibrary &Runtime);

/// Removes an entry call that was diagnosed; its result becomes zero. The
/// module stays valid, and the host fails in its own way because of the error.
void removeRefusedCall(llvm::CallBase &Call);

/// Deletes declarations of entry points and markers that nothing uses any more:
/// users only declare them, so they must not reach the linker.
void removeUnusedEntryDeclarations(llvm::Module &M);

} // namespace retrograd

#endif
