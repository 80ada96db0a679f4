//===- SegmentRecurrences.cpp - long recurrences in segments --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Optimise/SegmentRecurrences.h"
#include "Catalogue/Catalogue.h"
#include "Primal/Device/SameForBlock.h"
#include "Primal/PrimalSteps.h"
#include "Target/Target.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;

/// Iterations of a segment, a power of two. With n iterations and a state of b
/// bytes, n / Length * b + Length * b bytes are kept: least where Length is the
/// root of n, and n is in the hundreds or thousands.
static constexpr uint64_t Length = 32;

/// All that the derivative of I asks of the operand U is nothing, or which of
/// two it is.
static bool addsOrCompares(const Instruction &I, const Use &U,
                           const Catalogue &Cat) {
  // A store hands its number on, whatever it is.
  if (isa<PHINode, StoreInst>(I))
    return true;
  if (isa<SelectInst>(I))
    return U.getOperandNo() != 0;
  const OperationRecord *R = Cat.lookup(I);
  StringRef Id = R ? R->Id : "";
  if (Id == "fsub")
    return U.getOperandNo() == 0;
  if (Id == "fma")
    return U.getOperandNo() == 2;
  return Id == "fadd" || Id == "fmax" || Id == "fmin" || Id == "fmaximum_num" ||
         Id == "fminimum_num";
}

bool retrograd::isRecurrence(const PHINode &Phi, const Loop &L,
                             const Catalogue &Cat) {
  if (!Phi.getType()->isFPOrFPVectorTy() ||
      Phi.getIncomingValueForBlock(L.getLoopLatch()) == &Phi)
    return false;
  SmallSetVector<const Instruction *, 8> Made;
  Made.insert(&Phi);
  for (size_t At = 0; At != Made.size(); ++At)
    for (const Use &U : Made[At]->uses()) {
      const auto *I = cast<Instruction>(U.getUser());
      if (!L.contains(I) || I == &Phi)
        continue;
      if (!addsOrCompares(*I, U, Cat))
        return true;
      Made.insert(I);
    }
  return false;
}

/// L is to be cut: how often its backedge is taken; null if not.
static const SCEV *isLong(const Loop &L, ScalarEvolution &SE,
                          const Catalogue &Cat) {
  const BasicBlock *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
  if (L.getParentLoop() || !L.isInnermost() || !L.getLoopPreheader() ||
      !Latch || !Exit || L.getExitingBlock() != Latch ||
      Exit->getSinglePredecessor() != Latch)
    return nullptr;
  const auto *Branch = dyn_cast<BranchInst>(Latch->getTerminator());
  if (!Branch || !Branch->isConditional() ||
      none_of(L.getHeader()->phis(),
              [&](const PHINode &Phi) { return isRecurrence(Phi, L, Cat); }))
    return nullptr;
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Count) || !Count->getType()->isIntegerTy() ||
      SE.getTypeSizeInBits(Count->getType()) > 64)
    return nullptr;
  if (const auto *C = dyn_cast<SCEVConstant>(Count);
      C && C->getAPInt().ult(2 * Length))
    return nullptr;
  // A segment's bound is no expression that the threads' bounds are compared
  // by: where threads wait for each other, the number must be the block's.
  if (threadsMayWait(L) && !isSameForBlock(Count))
    return nullptr;
  return Count;
}

static bool cut(Loop &L, ScalarEvolution &SE, const Catalogue &Cat) {
  const SCEV *Count = isLong(L, SE, Cat);
  SCEVExpander Expander(SE, "rg.segments");
  BasicBlock *Before = L.getLoopPreheader(), *Header = L.getHeader();
  BasicBlock *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
  if (!Count || !Expander.isSafeToExpandAt(Count, Before->getTerminator()))
    return false;
  // The steps of what is affine, before anything changes.
  struct Step {
    PHINode *Phi;
    Value *By; ///< null if not affine
  };
  SmallVector<Step, 8> Steps;
  for (PHINode &Phi : Header->phis()) {
    Value *By = nullptr;
    if (SE.isSCEVable(Phi.getType()))
      if (const auto *Walk = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
          Walk && Walk->getLoop() == &L && Walk->isAffine())
        if (const SCEV *Of = Walk->getStepRecurrence(SE);
            Expander.isSafeToExpandAt(Of, Before->getTerminator()))
          By = Expander.expandCodeFor(Of, nullptr, Before->getTerminator());
    Steps.push_back({&Phi, By});
  }
  IRBuilder<> B(Before->getTerminator());
  Type *T = Count->getType();
  Value *Backedges =
      Expander.expandCodeFor(Count, nullptr, Before->getTerminator());
  Value *LastSegment =
      B.CreateUDiv(Backedges, ConstantInt::get(T, Length), "rg.last.segment");

  LLVMContext &C = Header->getContext();
  Function *F = Header->getParent();
  auto *Start = BasicBlock::Create(C, "rg.segment", F, Header);
  auto *End = BasicBlock::Create(C, "rg.segment.end", F, Exit);
  Before->getTerminator()->replaceSuccessorWith(Header, Start);
  B.SetInsertPoint(Start);
  B.SetCurrentDebugLocation(Header->getTerminator()->getDebugLoc());
  PHINode *Segment = B.CreatePHI(T, 2, "rg.segment.number");
  SmallVector<PHINode *, 8> Starts;
  for (const Step &S : Steps)
    Starts.push_back(
        B.CreatePHI(S.Phi->getType(), 2, S.Phi->getName() + ".start"));
  Value *Left =
      B.CreateSub(Backedges, B.CreateMul(Segment, ConstantInt::get(T, Length)));
  Value *Here = B.CreateBinaryIntrinsic(Intrinsic::umin, Left,
                                        ConstantInt::get(T, Length - 1));
  B.CreateBr(Header);

  // The end of a segment: what the latch handed on.
  B.SetInsertPoint(End);
  B.SetCurrentDebugLocation(Latch->getTerminator()->getDebugLoc());
  SmallVector<Value *, 8> Handed;
  DenseMap<Value *, PHINode *> Out;
  auto OutOf = [&](Value *V) -> Value * {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L.contains(I))
      return V;
    PHINode *&Phi = Out[V];
    if (!Phi) {
      IRBuilder<> AtStart(End, End->begin());
      Phi = AtStart.CreatePHI(V->getType(), 1, V->getName() + ".handed");
      Phi->addIncoming(V, Latch);
    }
    return Phi;
  };
  for (const Step &S : Steps)
    Handed.push_back(S.By ? nullptr
                          : OutOf(S.Phi->getIncomingValueForBlock(Latch)));
  for (auto [S, Began, To] : zip(Steps, Starts, Handed))
    if (S.By) {
      // A segment that is not the last is as long as all others.
      if (Began->getType()->isPointerTy())
        To = B.CreateGEP(
            B.getInt8Ty(), Began,
            B.CreateMul(S.By, ConstantInt::get(S.By->getType(), Length)));
      else
        To = B.CreateAdd(
            Began,
            B.CreateMul(S.By, ConstantInt::get(S.By->getType(), Length)));
    }
  for (PHINode &Phi : Exit->phis()) {
    int From = Phi.getBasicBlockIndex(Latch);
    Phi.setIncomingValue(From, OutOf(Phi.getIncomingValue(From)));
    Phi.setIncomingBlock(From, End);
  }
  Value *Next = B.CreateAdd(Segment, ConstantInt::get(T, 1));
  B.CreateCondBr(B.CreateICmpEQ(Segment, LastSegment), Exit, Start);
  Segment->addIncoming(ConstantInt::get(T, 0), Before);
  Segment->addIncoming(Next, End);
  for (auto [S, Began, To] : zip(Steps, Starts, Handed)) {
    Began->addIncoming(S.Phi->getIncomingValueForBlock(Before), Before);
    Began->addIncoming(To, End);
    int From = S.Phi->getBasicBlockIndex(Before);
    S.Phi->setIncomingValue(From, Began);
    S.Phi->setIncomingBlock(From, Start);
  }

  // The loop itself ends with its segment.
  IRBuilder<> AtHeader(Header, Header->begin());
  PHINode *Number = AtHeader.CreatePHI(T, 2, "rg.number");
  auto *Branch = cast<BranchInst>(Latch->getTerminator());
  IRBuilder<> AtLatch(Branch);
  Number->addIncoming(ConstantInt::get(T, 0), Start);
  Number->addIncoming(
      AtLatch.CreateAdd(Number, ConstantInt::get(T, 1), "", true, true), Latch);
  auto *Old = dyn_cast<Instruction>(Branch->getCondition());
  bool ExitsOnTrue = Branch->getSuccessor(0) == Exit;
  Branch->setCondition(ExitsOnTrue ? AtLatch.CreateICmpEQ(Number, Here)
                                   : AtLatch.CreateICmpNE(Number, Here));
  Branch->replaceSuccessorWith(Exit, End);
  if (Old)
    RecursivelyDeleteTriviallyDeadInstructions(Old);
  return true;
}

bool retrograd::segmentRecurrences(Function &F, FunctionAnalysisManager &FAM,
                                   const Catalogue &Cat) {
  if (!Target(*F.getParent()).prefersRecomputation())
    return false;
  auto Candidates = [&] {
    SmallVector<Loop *, 4> Found;
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    for (Loop *L : FAM.getResult<LoopAnalysis>(F))
      if (isLong(*L, SE, Cat))
        Found.push_back(L);
    return Found;
  };
  FunctionPassManager Shape;
  Shape.addPass(LoopSimplifyPass());
  Shape.addPass(LCSSAPass());
  FAM.invalidate(F, Shape.run(F, FAM));
  bool Changed = false;
  for (SmallVector<Loop *, 4> Found = Candidates(); !Found.empty();
       Found = Candidates()) {
    if (!cut(*Found.front(), FAM.getResult<ScalarEvolutionAnalysis>(F), Cat))
      break;
    Changed = true;
    FAM.invalidate(F, PreservedAnalyses::none());
  }
  return Changed;
}
