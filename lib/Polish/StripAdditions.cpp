//===- StripAdditions.cpp - the reverse of stencils, vectorised -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An innermost loop of one block becomes
//
//   if (at least LeastTrips iterations, and no addition meets another access)
//     for each strip of many iterations {
//       for each iteration: all but the additions; buffer[m][i] = what is added
//       at place m for each group of places, base + constant:
//         for t: base[t] += sum over m of buffer[m][t - offset m]
//         at both ends, where not all of them reach: one by one
//     }
//   else the loop as it was
//
// Additions to adjoints may be done in any order (FastMathFlags::allowReassoc,
// which emission gave them); that any two of them meet is therefore no matter.
// All other accesses keep their order among themselves, and must not meet an
// addition: by alias analysis, or by the ranges of addresses, compared when the
// loop is entered.
//
// Groups that go through memory in opposite directions, as the reverse of
// y[i] + a * y[n - 1 - i], have buffers of their own, each in the order of its
// places.
//
// Borders that wrap around (i == 0 ? n - 1 : i - 1) make an address that is
// affine but for one iteration. If that is the first or the last one, which is
// asked when the loop is entered, what is added there is an end of a strip, and
// ends are added one by one, at the address they really have.
//
//===----------------------------------------------------------------------===//

#include "Polish/StripAdditions.h"
#include "Polish/RewriteLoops.h"
#include "Polish/Strips.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::strips;

/// F may be on the stack more than once.
static bool recurs(const Function &F) {
  SmallSetVector<const Function *, 16> Reached;
  Reached.insert(&F);
  for (size_t I = 0; I != Reached.size(); ++I)
    for (const BasicBlock &Block : *Reached[I])
      for (const Instruction &Inst : Block)
        if (const auto *Call = dyn_cast<CallBase>(&Inst)) {
          const Function *Callee = Call->getCalledFunction();
          if (Callee == &F)
            return true;
          if (Callee && !Callee->isDeclaration())
            Reached.insert(Callee);
        }
  return false;
}

/// At a glance.
static bool mayRunInStrips(const Loop &L) {
  unsigned Stores = 0;
  if (!L.isInnermost() || L.getNumBlocks() != 1)
    return false;
  for (const Instruction &I : *L.getHeader())
    if (const auto *S = dyn_cast<StoreInst>(&I))
      if (const auto *Sum = dyn_cast<BinaryOperator>(S->getValueOperand()))
        Stores += isa<FPMathOperator>(Sum) && Sum->hasAllowReassoc();
  return Stores >= 2;
}

bool retrograd::stripAdditions(Function &Derivative,
                               ModuleAnalysisManager &MAM) {
  auto &FAM =
      MAM.getResult<FunctionAnalysisManagerModuleProxy>(*Derivative.getParent())
          .getManager();
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  // Buffers of many calls at once would be more stack than the program has.
  if (Derivative.isDeclaration() || recurs(Derivative))
    return false;
  auto Rewrite = [&](Loop &L) -> LoopHeaders {
    Strips S(L, FAM.getResult<LoopAnalysis>(Derivative),
             FAM.getResult<ScalarEvolutionAnalysis>(Derivative),
             FAM.getResult<AAManager>(Derivative),
             FAM.getResult<DominatorTreeAnalysis>(Derivative),
             FAM.getResult<TargetIRAnalysis>(Derivative)
                 .getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
                 .getFixedValue());
    if (!S.find())
      return {};
    return {S.transform()};
  };
  return rewriteLoops(Derivative, FAM, mayRunInStrips, Rewrite);
}
