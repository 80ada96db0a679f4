//===- OppositeDifferences.cpp - b - a where a - b is known ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cell of a mesh takes differences between its corners in both directions:
// p[2] - p[0] for its area, p[0] - p[2] for the force on a side. To LLVM these
// are two numbers, since the negative of a difference of equal numbers is -0.
// So both are kept, and the reverse sweep hands both adjoints on to both
// places. But
//
//   b - a  =  0 - (a - b)
//
// to the last bit, when results are rounded to the nearest number: 0 - 0 and
// 0 - (-0) are both 0.
//
//===----------------------------------------------------------------------===//

#include "Primal/PrimalSteps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace retrograd;

bool retrograd::joinOppositeDifferences(Function &F,
                                        FunctionAnalysisManager &FAM) {
  if (F.hasFnAttribute(Attribute::StrictFP))
    return false;
  DenseMap<std::pair<Value *, Value *>, SmallVector<Instruction *, 2>> Known;
  SmallVector<std::pair<Instruction *, Instruction *>, 8> Found;
  DominatorTree *DT = nullptr;
  for (Instruction &I : instructions(F)) {
    if (I.getOpcode() != Instruction::FSub || isa<Constant>(I.getOperand(0)) ||
        isa<Constant>(I.getOperand(1)))
      continue;
    Known[{I.getOperand(0), I.getOperand(1)}].push_back(&I);
  }
  for (auto &[Operands, Differences] : Known) {
    // The pair is met from both sides: the difference that comes first stays.
    auto Opposite = Known.find({Operands.second, Operands.first});
    if (Opposite == Known.end() || Operands.first == Operands.second)
      continue;
    if (!DT)
      DT = &FAM.getResult<DominatorTreeAnalysis>(F);
    for (Instruction *I : Differences)
      for (Instruction *First : Opposite->second)
        if (DT->dominates(First, I)) {
          Found.push_back({I, First});
          break;
        }
  }
  for (auto [I, First] : Found) {
    I->setOperand(0, Constant::getNullValue(I->getType()));
    I->setOperand(1, First);
  }
  return !Found.empty();
}
