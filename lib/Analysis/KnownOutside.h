//===- KnownOutside.h - variables that code elsewhere can reach -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_KNOWNOUTSIDE_H
#define RETROGRAD_ANALYSIS_KNOWNOUTSIDE_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class Function;
class GlobalVariable;
} // namespace llvm

namespace retrograd {
class Catalogue;

/// Can a function that is not in this module read or write G, without being
/// given its address by the differentiated code? By its name; by its address,
/// which the module stores or hands away somewhere; or by a function of this
/// module that can be called from elsewhere. IsRoot tells the differentiated
/// function: nobody calls that while its derivative runs.
bool isKnownOutside(const llvm::GlobalVariable &G, const Catalogue &Cat,
                    llvm::function_ref<bool(const llvm::Function &)> IsRoot);

/// Can a pointer that the differentiated code gets from elsewhere (a parameter,
/// a result, out of memory) lead to G? By its name, or by its address, which
/// the module stores, hands away or asks for a derivative with. How the
/// differentiated functions themselves pass it on is not asked: the types see
/// that.
bool isGivenAway(const llvm::GlobalVariable &G);

} // namespace retrograd

#endif
