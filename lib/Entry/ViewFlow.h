//===- ViewFlow.h - where pointers into views go ----------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ENTRY_VIEWFLOW_H
#define RETROGRAD_ENTRY_VIEWFLOW_H

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

namespace retrograd {

/// Values that may be a pointer into one of some views, or a variable that
/// holds one; as far as direct calls and local variables lead.
struct Flow {
  llvm::SmallSetVector<llvm::Value *, 32> Values;
  /// Calls that stand for derivatives, with one of them among the operands.
  llvm::SmallSetVector<llvm::CallBase *, 4> EntryCalls;

  void add(llvm::Value *V) { Values.insert(V); }
  /// Until nothing is new.
  void run();

private:
  size_t Next = 0;
  void follow(llvm::Value *V, llvm::User *U);
};

/// The calls in F that make views.
llvm::SmallVector<llvm::CallBase *, 8> viewsOf(llvm::Function &F);

/// Call makes the view of what nobody needs: reading gives zeros, writing does
/// nothing. Its argument is the address that the program passed.
bool isNowhere(const llvm::CallBase &Call);

/// Local variables of F become values, where they can.
void promote(llvm::Function &F, llvm::ModuleAnalysisManager &MAM);

} // namespace retrograd

#endif
