//===- VectorColumns.cpp - loops down columns, by the row -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop with loops in it becomes
//
//   Lanes iterations at a time: all that is in it, with vectors
//   fewer lanes at a time:      the same
//   what is left:               the loop as it was
//
// Each value of the loop has a shape. It is the same in all lanes (a scalar),
// or moves by a constant from lane to lane (a scalar, that of the lane with the
// least address; only addresses are computed of these), or is a vector. Vectors
// are loads and stores of places side by side, and arithmetic.
//
// Why it is right. Control flow is the same in all lanes. Each lane computes
// what its iteration computed, in its order. Lanes do not meet in memory:
// arrays of different objects do not, by alias analysis, and of one array all
// places are
//
//   base + C + (multiples of R) + (lane) * (size of an element)
//
// where C is common, and R, the length of a row, is at least as long as all
// lanes: which is asked in front of the loop where R is not a constant. Two of
// these are equal only in one lane and one row. Sums across lanes are those of
// additions that may be done in any order: of places that are the same for all
// lanes, and of numbers that the loop carries.
//
//===----------------------------------------------------------------------===//

#include "Polish/VectorColumns.h"
#include "Polish/Columns.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

using namespace llvm;
using namespace retrograd;

static bool mayHaveColumns(const Loop &L) {
  return !L.isInnermost() && L.getExitingBlock() &&
         L.getExitingBlock() == L.getLoopLatch();
}

bool retrograd::vectorColumns(Function &Derivative,
                              FunctionAnalysisManager &FAM) {
  if (Derivative.isDeclaration() || Derivative.hasOptSize() ||
      Derivative.hasFnAttribute(Attribute::StrictFP) ||
      Derivative.hasFnAttribute(Attribute::NoImplicitFloat))
    return false;
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  // Without vectors of two numbers there is nothing to win.
  if (FAM.getResult<TargetIRAnalysis>(Derivative)
          .getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
          .getFixedValue() < 128)
    return false;
  auto Rewrite = [&](Loop &L) -> LoopHeaders {
    columns::Columns C(L, Derivative, FAM);
    if (!C.find())
      return {};
    return C.transform();
  };
  if (!rewriteLoops(Derivative, FAM, mayHaveColumns, Rewrite))
    return false;
  FunctionPassManager Tidy;
  Tidy.addPass(InstCombinePass());
  Tidy.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Tidy.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                               /*UseMemorySSA=*/true));
  FAM.invalidate(Derivative, Tidy.run(Derivative, FAM));
  return true;
}
