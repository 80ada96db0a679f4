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
// Not handled: loops in which threads wait for each other, since whether all of
// them run equally often is read off the condition that the user wrote; loops
// with a second exit.
//
//===----------------------------------------------------------------------===//

#include "Bitcode/RuntimeLibrary.h"
#include "Primal/PrimalSteps.h"
#include "Target/Target.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

namespace {
/// A loop begins if Index < End and goes on while Index + Step < End.
struct Stride {
  PHINode *Index;
  Value *Step, *End;
  bool Signed;
};
} // namespace

/// Threads may wait for each other within L.
static bool mayWait(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *B) {
    return any_of(*B, [](const Instruction &I) {
      const auto *C = dyn_cast<CallBase>(&I);
      return C && C->isConvergent();
    });
  });
}

static std::optional<Stride> strideOf(const Loop &L, ScalarEvolution &SE) {
  BasicBlock *Latch = L.getLoopLatch(), *Before = L.getLoopPreheader();
  if (!Before || !Latch || L.getExitingBlock() != Latch || mayWait(L) ||
      !isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(&L)))
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
    if (Index && Index->getParent() == L.getHeader() &&
        Index->getIncomingValueForBlock(Latch) == Sum &&
        L.isLoopInvariant(Sum->getOperand(1 - Of)) &&
        SE.isLoopEntryGuardedByCond(
            &L, Goes, SE.getSCEV(Index->getIncomingValueForBlock(Before)),
            SE.getSCEV(End))) {
      S.Index = Index;
      S.Step = Sum->getOperand(1 - Of);
      return S;
    }
  }
  return std::nullopt;
}

static void count(const Loop &L, const Stride &S, RuntimeLibrary &Runtime) {
  BasicBlock *Latch = L.getLoopLatch(), *Before = L.getLoopPreheader();
  auto *Br = cast<BranchInst>(Latch->getTerminator());
  auto *T = cast<IntegerType>(S.Index->getType());
  Function *Strides = Runtime.require(
      (Twine("rg_strides_") + (S.Signed ? "s" : "u") + Twine(T->getBitWidth()))
          .str());
  IRBuilder<> B(Before->getTerminator());
  Value *Times = B.CreateCall(
      Strides, {S.Index->getIncomingValueForBlock(Before), S.Step, S.End},
      "rg.times");
  B.SetInsertPoint(L.getHeader(), L.getHeader()->begin());
  B.SetCurrentDebugLocation(Br->getDebugLoc());
  PHINode *Done = B.CreatePHI(T, 2, "rg.done");
  B.SetInsertPoint(Br);
  Done->addIncoming(ConstantInt::get(T, 0), Before);
  Done->addIncoming(
      B.CreateNUWAdd(Done, ConstantInt::get(T, 1), "rg.done.next"), Latch);
  Value *Old = Br->getCondition();
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
      count(*L, *S, Runtime);
      SE.forgetLoop(L);
      Changed = true;
    }
  if (Changed)
    FAM.invalidate(F, PreservedAnalyses::none());
  return Changed;
}
