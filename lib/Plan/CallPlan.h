//===- CallPlan.h - what happens to each call -------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each call of the primal has one action, which follows from its record in the
// catalogue and from activity. A call whose action is Derivative makes a
// request for a derivative of its callee.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_CALLPLAN_H
#define RETROGRAD_PLAN_CALLPLAN_H

#include "Plan/PlanSubject.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace retrograd {

/// What happens to a call.
enum class CallAction : uint8_t {
  Primal,    ///< runs in the primal sweep, nothing else
  Drop,      ///< has no effect worth keeping (markers)
  Formula,   ///< catalogue formula
  Allocate,  ///< allocates a shadow too
  Free,      ///< delayed, shadow too
  Memory,    ///< memcpy, memmove, memset: see MemoryRules
  Realloc,   ///< realloc
  Tape,      ///< scope or delayed free of a derivative differentiated again
  Derivative ///< differentiated callee: see calleeRequest
};

class CallPlan {
public:
  explicit CallPlan(const PlanSubject &Subject) : Subject(Subject) {}

  CallAction action(const llvm::CallBase &C) const;
  /// The request to make for a call whose action is Derivative: Forward, or
  /// the Augment half of a split reverse.
  DerivativeRequest calleeRequest(const llvm::CallBase &C) const;
  /// Its callee has a rule: a derivative that is not made of its body.
  bool hasRule(const llvm::CallBase &C) const;

  /// The reverse of C is given the integers and pointers among its arguments
  /// again.
  void giveArgsAgain(const llvm::CallBase &C) { ArgsAgain.insert(&C); }

private:
  const PlanSubject &Subject;
  llvm::SmallPtrSet<const llvm::CallBase *, 8> ArgsAgain;
};

} // namespace retrograd

#endif
