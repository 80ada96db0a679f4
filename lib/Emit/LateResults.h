//===- LateResults.h - what waits for the results of loops ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A deferred loop runs in the reverse sweep. Where its results are asked for,
// it carries them: what goes from one iteration to the next goes over the
// stack, and what is made of the results is made when the reverse sweep is
// over, or, in a loop, when the reverse of the iteration is (DeferredLoops.h
// has the conditions).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_LATERESULTS_H
#define RETROGRAD_EMIT_LATERESULTS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"

namespace retrograd {

class DerivativePlan;
class PrimalEmitter;

class LateResults {
public:
  /// `B` inserts into `D`, the function that Primal emitted into.
  LateResults(const DerivativePlan &Plan, PrimalEmitter &Primal,
              llvm::Function &D, llvm::IRBuilderBase &B)
      : Plan(Plan), Primal(Primal), D(D), B(B) {}

  /// A place that holds what Def was last.
  llvm::AllocaInst *overStack(llvm::Instruction *Def);
  /// I, of the derivative, is replaced by Start.
  void forget(llvm::Instruction *I) { OverStack.erase(I); }
  /// Where the phi of a header or an exit holds what its loop carries.
  llvm::AllocaInst *carried(const llvm::PHINode &Phi);
  void carry(const llvm::Loop &L, llvm::BasicBlock &Before,
             llvm::BasicBlock &Latch);
  void finishIteration(const llvm::Loop &L);
  llvm::Value *value(const llvm::Value *V);
  void emitStores();

private:
  bool isCarriedOut(const llvm::PHINode &Phi) const;
  bool isLate(const llvm::Value *V);
  llvm::Value *latePhi(const llvm::PHINode &Phi);

  const DerivativePlan &Plan;
  PrimalEmitter &Primal;
  llvm::Function &D;
  llvm::IRBuilderBase &B;
  /// What loops carry, by the phis of their headers and exits.
  llvm::DenseMap<const llvm::PHINode *, llvm::AllocaInst *> Carried;
  llvm::DenseMap<const llvm::Instruction *, llvm::AllocaInst *> OverStack;
  /// Of the primal: does it wait for a loop's results, and what is it then.
  llvm::DenseMap<const llvm::Value *, bool> Waits;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> Late;
};

} // namespace retrograd

#endif
