//===- CallPlan.cpp - what happens to each call ---------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/CallPlan.h"
#include "Catalogue/Catalogue.h"
#include "Rules/Rules.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

CallAction CallPlan::action(const CallBase &C) const {
  if (const OperationRecord *R = Subject.facts().catalogue().lookup(C)) {
    switch (R->Class) {
    case RuleClass::Inactive:
      return CallAction::Primal;
    case RuleClass::Formula:
      return CallAction::Formula;
    case RuleClass::Allocation:
      return Subject.Activity.hasShadow(&C) ? CallAction::Allocate
                                            : CallAction::Primal;
    case RuleClass::Deallocation:
      // The reverse sweep may need what lies in an arena without a shadow.
      return Subject.Activity.hasShadow(C.getArgOperand(R->FreedArg)) ||
                     ((R->ReleasesOthers || Subject.facts().freesLate(C)) &&
                      Subject.Request.Mode != DerivativeMode::Forward)
                 ? CallAction::Free
                 : CallAction::Primal;
    case RuleClass::Expansion: // replaced by preparation where it has a body
    case RuleClass::Rule:
      break;
    case RuleClass::Handler:
      switch (R->Handler) {
      case HandlerKind::Ignore:
        return CallAction::Drop;
      case HandlerKind::TapeBegin:
      case HandlerKind::TapeEnd:
      case HandlerKind::TapeDeferFree:
      case HandlerKind::TapeNote:
        return CallAction::Tape;
      case HandlerKind::MemCpy:
      case HandlerKind::MemMove:
      case HandlerKind::MemSet:
        return CallAction::Memory;
      case HandlerKind::Realloc:
        return Subject.Activity.hasShadow(&C) ||
                       Subject.Activity.hasShadow(C.getArgOperand(0))
                   ? CallAction::Realloc
                   : CallAction::Primal;
      default:
        return hasReverse(C, Subject.Activity) ? CallAction::Formula
                                               : CallAction::Primal;
      }
    }
  }
  if (isa<AnyMemIntrinsic>(C))
    return CallAction::Memory;
  return Subject.Activity.isActiveCall(C) ? CallAction::Derivative
                                          : CallAction::Primal;
}

bool CallPlan::hasRule(const CallBase &C) const {
  const OperationRecord *R = Subject.facts().catalogue().lookup(C);
  return R && R->Class == RuleClass::Rule;
}

DerivativeRequest CallPlan::calleeRequest(const CallBase &C) const {
  DerivativeRequest R;
  R.Primal = directCallee(C);
  R.Width = Subject.Request.Width;
  R.Dependencies = Subject.Request.Dependencies;
  R.ErrorEstimate = Subject.Request.ErrorEstimate;
  R.WholeAdditions = Subject.Request.WholeAdditions;
  R.ReturnPrimal = !C.getType()->isVoidTy();
  if (Subject.Request.Mode == DerivativeMode::Forward) {
    R.Mode = DerivativeMode::Forward;
    // What works on numbers alone can be called as often as one likes: its rule
    // runs again with the tangents.
    R.FromTape = Subject.Request.FromTape && !hasRule(C);
    for (const Value *A : C.args())
      R.Args.push_back(Subject.Activity.hasShadow(A) ||
                               Subject.Activity.isActive(A)
                           ? ArgActivity::Dup
                           : ArgActivity::Const);
    R.ActiveReturn =
        Subject.Activity.isActive(&C) || Subject.Activity.hasShadow(&C);
    return R;
  }
  R.Mode = DerivativeMode::Augment;
  for (const Value *A : C.args()) {
    if (Subject.Activity.hasShadow(A))
      R.Args.push_back(ArgActivity::Dup);
    else if (Subject.Activity.isVaried(A))
      R.Args.push_back(ArgActivity::Out);
    else
      R.Args.push_back(ArgActivity::Const);
  }
  R.ActiveReturn = Subject.Activity.isActive(&C);
  R.ShadowReturn = Subject.Activity.hasShadow(&C);
  R.ArgsAgain = ArgsAgain.contains(&C);
  return R;
}
