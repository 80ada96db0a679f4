//===- ResultLayout.h - numbers in the types of a call ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A declared result type has to hold what a derivative returns, number by
// number. And how types are called in messages.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_REQUEST_RESULTLAYOUT_H
#define RETROGRAD_REQUEST_RESULTLAYOUT_H

#include "Request/EntryCalls.h"

namespace retrograd {

bool holdsFloat(llvm::Type *T);
bool holdsPointer(llvm::Type *T);

/// "a double", "a struct ({ double, ptr })".
std::string describe(llvm::Type *T);
/// As in a parameter list.
std::string spell(llvm::Type *T);

/// Offsets of members of the given types in a C struct. Returns its end.
uint64_t layOut(llvm::MutableArrayRef<EntryResult> Results, bool PackVectors,
                const llvm::DataLayout &DL);

/// Do these results, so laid out, fill memory of type Declared? Each floating-
/// point leaf must meet a leaf of the same type, so that neither a number nor a
/// byte of one is lost or invented.
bool fits(llvm::ArrayRef<EntryResult> Results, uint64_t End,
          llvm::Type *Declared, const llvm::DataLayout &DL);

} // namespace retrograd

#endif
