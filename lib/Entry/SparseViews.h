//===- SparseViews.h - memory that is a pair of functions -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What __enzyme_todense(load, store, extra...) returns is no address of memory,
// but a view: reading behind it is a call of load, writing a call of store. See
// docs/SparseViews.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ENTRY_SPARSEVIEWS_H
#define RETROGRAD_ENTRY_SPARSEVIEWS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {
class DiagnosticEngine;
struct EntryCall;
struct Options;

/// Replaces __enzyme_sum and __enzyme_product.
void lowerFolds(llvm::Module &M);

/// Notes in the requests where shadows may be views, and makes views of
/// addresses that are none, handed in as primals that nobody needs.
void noteViews(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
               llvm::MutableArrayRef<EntryCall> Calls);

/// Replaces what views are used for. Those that lead to derivative calls which
/// are still there wait, unless this is the last time.
void lowerViews(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
                DiagnosticEngine &Diags, const Options &Opts, bool Last);

} // namespace retrograd

#endif
