//===- MergeCopies.h - one body for functions that do the same --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where memory has to be told apart, functions get a body per call
// (Primal/SeparateMovers.cpp): a hundred releases of a std::shared_ptr, say,
// and what each of them may call. The analyses look at each body by itself, and
// most derivatives come out alike. Here one of each kind stays.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_MERGECOPIES_H
#define RETROGRAD_POLISH_MERGECOPIES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

/// Of functions that do the same, one stays; calls of the others lead to it,
/// and these are taken out of Fs and erased. Functions that call each other are
/// compared as a whole. Only functions whose name stands in calls and nowhere
/// else are merged, and none of Keep. How many went.
unsigned mergeCopies(llvm::SmallVectorImpl<llvm::Function *> &Fs,
                     llvm::ArrayRef<llvm::Function *> Keep,
                     llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
