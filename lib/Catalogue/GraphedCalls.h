//===- GraphedCalls.h - library calls that graphs have ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a stream that is captured is given by libraries. See Operation.td
// (Expansion::Graph) and Parallel/LaunchGraphs.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_CATALOGUE_GRAPHEDCALLS_H
#define RETROGRAD_CATALOGUE_GRAPHEDCALLS_H

#include "llvm/ADT/StringRef.h"

namespace retrograd {

/// The library and a word per operand of the routine Name; "" if graphs of
/// derivatives have no calls of it.
llvm::StringRef graphForm(llvm::StringRef Name);

/// The library function Name is known, and gives streams no work that is
/// differentiated: it sets a handle up, say.
bool isInactiveName(llvm::StringRef Name);

} // namespace retrograd

#endif
