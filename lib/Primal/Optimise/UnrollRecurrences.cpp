//===- UnrollRecurrences.cpp - short recurrences without a loop -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Optimise/UnrollRecurrences.h"
#include "Primal/Device/SameForBlock.h"
#include "Primal/Optimise/SegmentRecurrences.h"
#include "Primal/PrimalSteps.h"
#include "Target/Target.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace retrograd;

/// Bytes that all such loops of a function may keep: 64 of the 255 registers
/// that a thread can have.
static constexpr uint64_t MostBytes = 256;
/// Instructions that a loop may become.
static constexpr uint64_t MostCode = 512;

/// How many bytes a loop that is to be unrolled will keep; 0: it stays.
static uint64_t keptBytes(const Loop &L, ScalarEvolution &SE,
                          const Catalogue &Cat) {
  // Around it, what is kept would be in arrays again.
  if (L.getParentLoop() || !L.isInnermost() || !L.getLoopPreheader() ||
      !L.getLoopLatch() || !L.getExitBlock())
    return 0;
  const uint64_t Trips = SE.getSmallConstantTripCount(&L);
  if (Trips < 2 || threadsMayWait(L))
    return 0;
  uint64_t Size = 0;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB)
      Size += !isa<PHINode>(I) && !I.isTerminator();
  if (Size * Trips > MostCode)
    return 0;
  const DataLayout &DL = L.getHeader()->getDataLayout();
  uint64_t Bytes = 0;
  for (const PHINode &Phi : L.getHeader()->phis())
    if (isRecurrence(Phi, L, Cat))
      Bytes += Trips * DL.getTypeStoreSize(Phi.getType()).getFixedValue();
  return Bytes;
}

bool retrograd::unrollRecurrences(Function &F, FunctionAnalysisManager &FAM,
                                  const Catalogue &Cat) {
  if (!Target(*F.getParent()).prefersRecomputation())
    return false;
  FunctionPassManager Shape;
  Shape.addPass(LoopSimplifyPass());
  Shape.addPass(LCSSAPass());
  FAM.invalidate(F, Shape.run(F, FAM));
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  SmallVector<Loop *, 4> Found;
  uint64_t Left = MostBytes;
  for (Loop *L : LI)
    if (uint64_t Bytes = keptBytes(*L, SE, Cat); Bytes && Bytes <= Left) {
      Left -= Bytes;
      Found.push_back(L);
    }
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  auto &ORE = FAM.getResult<OptimizationRemarkEmitterAnalysis>(F);
  for (Loop *L : Found) {
    UnrollLoopOptions Options{};
    Options.Count = SE.getSmallConstantTripCount(L);
    Options.Force = true;
    UnrollLoop(L, Options, &LI, &SE, &DT, &AC, &TTI, &ORE,
               /*PreserveLCSSA=*/true);
  }
  if (!Found.empty())
    FAM.invalidate(F, PreservedAnalyses::none());
  return !Found.empty();
}
