//===- CountStrides.cpp - loops of a thread's share are counted -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem:
//
//   for (int i = threadIdx.x; i < n; i += blockDim.x)
//
// The sum is one of unsigned numbers, which may wrap around. If it did, behind
// the largest int, i would be negative and the loop would go on: so LLVM cannot
// say how often it runs, and the reverse sweep counts its iterations by running
// it, keeps the number, and has the lanes of a warp agree on the largest.
//
// Method: The number is computed in front of the loop, by a division where
// nothing wraps around, and else by counting (runtime/gpu/strides.c): it is the
// same in all cases. A counter from zero up to it decides when the loop ends.
//
//   for (int t = row + threadIdx.x; t < row + threadIdx.x + n * c; t += c) {
//     ... __syncthreads(); ... }
//
// Where threads wait for each other, all of a block have to run the loop
// equally often, and the legality of the derivative asks whether they do. There
// the number is computed from the difference of the bounds, if that does not
// name the thread though the bounds do, and it is not asked whether anything
// wraps around: that could only be so for some threads of a block and not for
// others, which CUDA forbids in front of a barrier.
//
// Not handled: other loops in which threads wait for each other; loops with a
// second exit.
//
//===----------------------------------------------------------------------===//

#include "Analysis/LoopShape.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Primal/Device/SameForBlock.h"
#include "Primal/PrimalSteps.h"
#include "Target/Target.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

namespace {
/// A loop begins if Index < End, or in any case, and goes on while Index + Step
/// < End.
struct Stride {
  PHINode *Index;
  Value *Step, *End;
  bool Signed;
  /// End less what Index begins with, where threads wait for each other.
  const SCEV *Way = nullptr;
};
} // namespace

static std::optional<Stride> strideOf(const Loop &L, ScalarEvolution &SE) {
  BasicBlock *Latch = L.getLoopLatch(), *Before = L.getLoopPreheader();
  if (!Before || !Latch || L.getExitingBlock() != Latch)
    return std::nullopt;
  const SCEV *Known = SE.getBackedgeTakenCount(&L);
  const bool Waits = threadsMayWait(L);
  if (!isa<SCEVCouldNotCompute>(Known) && (!Waits || isSameForBlock(Known)))
    return std::nullopt;
  auto *Br = dyn_cast<BranchInst>(Latch->getTerminator());
  auto *Asks = Br && Br->isConditional()
                   ? dyn_cast<ICmpInst>(Br->getCondition())
                   : nullptr;
  if (!Asks)
    return std::nullopt;
  Value *Next = Asks->getOperand(0), *End = Asks->getOperand(1);
  CmpPredicate Goes = Br->getSuccessor(0) == L.getHeader()
                          ? Asks->getPredicate()
                          : Asks->getInversePredicate();
  if (L.isLoopInvariant(Next)) {
    std::swap(Next, End);
    Goes = ICmpInst::getSwappedPredicate(Goes);
  }
  Stride S{nullptr, nullptr, End, Goes == ICmpInst::ICMP_SLT};
  auto *Sum = dyn_cast<BinaryOperator>(Next);
  if ((!S.Signed && Goes != ICmpInst::ICMP_ULT) || !L.isLoopInvariant(End) ||
      !(Next->getType()->isIntegerTy(32) || Next->getType()->isIntegerTy(64)) ||
      !Sum || Sum->getOpcode() != Instruction::Add)
    return std::nullopt;
  for (unsigned Of : {0u, 1u}) {
    auto *Index = dyn_cast<PHINode>(Sum->getOperand(Of));
    if (!Index || Index->getParent() != L.getHeader() ||
        Index->getIncomingValueForBlock(Latch) != Sum ||
        !L.isLoopInvariant(Sum->getOperand(1 - Of)))
      continue;
    const SCEV *From = SE.getSCEV(Index->getIncomingValueForBlock(Before)),
               *To = SE.getSCEV(End);
    // A way that is not there is negative: of it nothing need be known.
    if (!(Waits && S.Signed) &&
        !SE.isLoopEntryGuardedByCond(&L, Goes, From, To))
      continue;
    S.Index = Index;
    S.Step = Sum->getOperand(1 - Of);
    if (Waits) {
      S.Way = SE.getMinusSCEV(To, From);
      if (!isSameForBlock(S.Way) || !isSameForBlock(SE.getSCEV(S.Step)))
        return std::nullopt;
    }
    return S;
  }
  return std::nullopt;
}

static void count(const Loop &L, const Stride &S, ScalarEvolution &SE,
                  RuntimeLibrary &Runtime) {
  BasicBlock *Latch = L.getLoopLatch(), *Before = L.getLoopPreheader();
  auto *Br = cast<BranchInst>(Latch->getTerminator());
  auto *T = cast<IntegerType>(S.Index->getType());
  IRBuilder<> B(Before->getTerminator());
  Value *Times;
  if (S.Way) {
    // A step that does not lead to the end would let all threads go on for
    // ever.
    SCEVExpander Expander(SE, "rg.way");
    Constant *One = ConstantInt::get(T, 1);
    Value *Way = Expander.expandCodeFor(S.Way, T, Before->getTerminator());
    if (S.Signed)
      Way = B.CreateBinaryIntrinsic(Intrinsic::smax, Way, One);
    Times = B.CreateUDiv(B.CreateSub(Way, One),
                         B.CreateBinaryIntrinsic(Intrinsic::umax, S.Step, One),
                         "rg.times");
  } else {
    Function *Strides =
        Runtime.require((Twine("rg_strides_") + (S.Signed ? "s" : "u") +
                         Twine(T->getBitWidth()))
                            .str());
    Times = B.CreateCall(
        Strides, {S.Index->getIncomingValueForBlock(Before), S.Step, S.End},
        "rg.times");
  }
  B.SetInsertPoint(L.getHeader(), L.getHeader()->begin());
  B.SetCurrentDebugLocation(Br->getDebugLoc());
  PHINode *Done = B.CreatePHI(T, 2, "rg.done");
  B.SetInsertPoint(Br);
  Done->addIncoming(ConstantInt::get(T, 0), Before);
  Done->addIncoming(
      B.CreateNUWAdd(Done, ConstantInt::get(T, 1), "rg.done.next"), Latch);
  Value *Old = Br->getCondition();
  // Or the loop, which ended where it came to End alone, would not have ended.
  S.Index->setMetadata(DistinctMetadata, MDNode::get(B.getContext(), {}));
  const bool OnTrue = Br->getSuccessor(0) == L.getHeader();
  Br->setCondition(B.CreateICmp(OnTrue ? ICmpInst::ICMP_NE : ICmpInst::ICMP_EQ,
                                Done, Times));
  RecursivelyDeleteTriviallyDeadInstructions(Old);
}

bool retrograd::countStrides(Function &F, FunctionAnalysisManager &FAM,
                             RuntimeLibrary &Runtime) {
  if (!Target(*F.getParent()).prefersRecomputation())
    return false;
  FAM.invalidate(F, LoopSimplifyPass().run(F, FAM));
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  bool Changed = false;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (std::optional<Stride> S = strideOf(*L, SE)) {
      count(*L, *S, SE, Runtime);
      SE.forgetLoop(L);
      Changed = true;
    }
  if (Changed)
    FAM.invalidate(F, PreservedAnalyses::none());
  return Changed;
}
