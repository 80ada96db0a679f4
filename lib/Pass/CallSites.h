//===- CallSites.h - what the user's calls tell of arguments ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A derivative call stands in code that fills the memory that it hands in.
// These questions look there, before the primal is analysed.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PASS_CALLSITES_H
#define RETROGRAD_PASS_CALLSITES_H

#include "Analysis/TypeAnalysis.h"
#include "Request/EntryCalls.h"
#include "llvm/ADT/BitVector.h"

namespace retrograd {

/// The functions around the calls, and what they can reach and be reached from
/// by direct calls: they fill and read the memory that is handed in.
llvm::SmallVector<llvm::Function *, 8>
surroundings(llvm::ArrayRef<const EntryCall *> Calls);

/// What the calls pass for each parameter of Root, primals and shadows alike: a
/// shadow is laid out as its primal.
void collectArguments(llvm::ArrayRef<const EntryCall *> Calls,
                      llvm::Function &Root, OutsideEvidence &Outside);

/// Parameters for which every call hands on a parameter of the kernel around
/// it, or a constant: all threads pass the same.
llvm::BitVector uniformParameters(llvm::ArrayRef<const EntryCall *> Calls);

/// Pointer parameters for which every call hands on memory of its own, with all
/// shadows: restrict parameters of the function around it, which lead to
/// nothing else that is handed on. So they are restrict parameters, too.
llvm::BitVector apartParameters(llvm::ArrayRef<const EntryCall *> Calls);

/// Functions and tables of functions among the arguments.
llvm::SmallVector<const llvm::Constant *, 4>
constantsHandedTo(llvm::ArrayRef<const EntryCall *> Calls);

} // namespace retrograd

#endif
