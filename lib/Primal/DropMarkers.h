//===- DropMarkers.h - markers have served ----------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lifetimes, assumptions, expectations and invariants tell simplification what
// it may do. A derivative reads memory at other times than the primal does, so
// they would be wrong in it; nor does any rule have to know them. Alias scopes
// stay where they mean the same in each iteration of a loop.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_DROPMARKERS_H
#define RETROGRAD_PRIMAL_DROPMARKERS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// Removes lifetime, assume and invariant markers, tail-call marks, and alias
/// scopes that mean another scope in each iteration of a loop.
void dropMarkers(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
