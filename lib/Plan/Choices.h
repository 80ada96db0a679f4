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
/// iterations offer: s = c ? x : p, where p is s of the iteration before, or
/// the offer in front in the same iteration (a loop that was unrolled). Only
/// the last offer with c true receives the adjoint: its number, counted over
/// all iterations, is kept instead of c per iteration, and the reverse sweep
/// begins there.
///
/// A *running extremum*, s = max(p, x), is the same but for ties, which halve
/// the adjoint: the iteration that its final value comes from is kept (Won),
/// and the last one that had as much to offer (Last). What p was follows from
/// them and the final value.
struct Choice {
  const llvm::Loop *Of = nullptr;
  const llvm::Instruction *Chosen = nullptr; ///< select, or call of max or min
  /// The offers of an iteration, in order: selects, the last one is Chosen.
  /// None for a running extremum.
  struct Link {
    const llvm::SelectInst *Select;
    bool OnTrue; ///< x is the value for true
  };
  llvm::SmallVector<Link, 1> Links;
  const llvm::PHINode *Running = nullptr; ///< p of a running extremum
  const llvm::PHINode *Final = nullptr;   ///< it, when the loop is left
  unsigned Offer = 0;                     ///< which operand is x
  bool Least = false;                     ///< a minimum

  /// The number in its iteration of the offer whose condition is C.
  std::optional<unsigned> linkWith(const llvm::Value *C) const {
    for (auto [I, L] : llvm::enumerate(Links))
      if (L.Select->getCondition() == C)
        return I;
    return std::nullopt;
  }
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
        [&](const Choice &C) { return C.linkWith(V).has_value(); });
  }
  /// The choice that Phi is the running extremum of; null if none.
  const Choice *running(const llvm::PHINode *Phi) const {
    return firstWith([&](const Choice &C) { return C.Running == Phi; });
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
