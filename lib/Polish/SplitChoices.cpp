//===- SplitChoices.cpp - minima beside where they come from --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/SplitChoices.h"
#include "Polish/PolishSteps.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

static constexpr StringRef HoldsChoices = "rg-holds-choices";

namespace {
/// A choice by "Other or Compared" (Any), or by both of them.
struct Choice {
  SelectInst *Between;
  Value *Other, *Compared;
  bool Any;
};
} // namespace

/// V compares the two numbers that S chooses between.
static bool comparesChosen(const Value *V, const SelectInst &S) {
  const auto *C = dyn_cast<FCmpInst>(V);
  auto IsChosen = [&](const Value *X) {
    return X == S.getTrueValue() || X == S.getFalseValue();
  };
  return C && C->isRelational() && C->getOperand(0) != C->getOperand(1) &&
         IsChosen(C->getOperand(0)) && IsChosen(C->getOperand(1));
}

/// S as a minimum or maximum under a condition that others ask for, too.
static std::optional<Choice> sharedChoice(SelectInst &S) {
  Value *A, *B;
  if (!S.getType()->isFloatingPointTy() || S.getCondition()->hasOneUse())
    return std::nullopt;
  const bool Any = match(S.getCondition(), m_LogicalOr(m_Value(A), m_Value(B)));
  if (!Any && !match(S.getCondition(), m_LogicalAnd(m_Value(A), m_Value(B))))
    return std::nullopt;
  if (comparesChosen(B, S))
    return Choice{&S, A, B, Any};
  // Of `A ? true : B`, B may be poison where A holds, so A comes first.
  if (comparesChosen(A, S) && !isa<SelectInst>(S.getCondition()))
    return Choice{&S, B, A, Any};
  return std::nullopt;
}

bool retrograd::splitChoices(Function &F) {
  if (any_of(instructions(F), [](Instruction &I) {
        auto *S = dyn_cast<SelectInst>(&I);
        return S && sharedChoice(*S);
      }))
    F.addFnAttr(HoldsChoices);
  return false;
}

static void split(const Choice &C) {
  SelectInst &S = *C.Between;
  IRBuilder<> B(&S);
  B.setFastMathFlags(S.getFastMathFlags());
  Value *Least =
      B.CreateSelect(C.Compared, S.getTrueValue(), S.getFalseValue());
  S.setCondition(C.Other);
  S.setOperand(C.Any ? 2 : 1, Least);
}

PreservedAnalyses SplitChoicesPass::run(Function &F,
                                        FunctionAnalysisManager &) {
  if (!F.hasFnAttribute(HoldsChoices))
    return PreservedAnalyses::all();
  F.removeFnAttr(HoldsChoices);
  for (Instruction &I : instructions(F))
    if (auto *S = dyn_cast<SelectInst>(&I))
      if (std::optional<Choice> C = sharedChoice(*S))
        split(*C);
  return PreservedAnalyses::none();
}
