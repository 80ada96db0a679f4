//===- Choices.h - loops that choose one of their iterations ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that looks for a minimum or a nearest neighbour passes the adjoint of
// its result to one iteration. The plan keeps that iteration's number instead
// of the condition of every iteration.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_CHOICES_H
#define RETROGRAD_PLAN_CHOICES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

namespace llvm {
class Loop;
} // namespace llvm

namespace retrograd {

class CallPlan;
struct PlanSubject;

/// A loop whose only result with a derivative is one of the values that its
/// iterations offer: s = c ? x : p, where p is s of the iteration before. Only
/// the last iteration with c true receives the adjoint: its number is kept
/// instead of c per iteration, and the reverse sweep begins there.
struct Choice {
  const llvm::Loop *Of = nullptr;
  const llvm::SelectInst *Chosen = nullptr;
  bool OnTrue = false; ///< x is the value for true
};

/// All choices of a primal.
class Choices {
public:
  Choices() = default;
  Choices(const PlanSubject &Subject, const CallPlan &Calls);

  /// The choice that L makes; null if none.
  const Choice *in(const llvm::Loop *L) const {
    return firstWith([&](const Choice &C) { return C.Of == L; });
  }
  /// The choice that V is the condition of; null if none.
  const Choice *by(const llvm::Value *V) const {
    return firstWith(
        [&](const Choice &C) { return C.Chosen->getCondition() == V; });
  }

private:
  template <typename Predicate> const Choice *firstWith(Predicate P) const {
    auto It = llvm::find_if(Found, P);
    return It == Found.end() ? nullptr : &*It;
  }

  llvm::SmallVector<Choice, 2> Found;
};

} // namespace retrograd

#endif
