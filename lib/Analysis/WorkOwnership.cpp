//===- WorkOwnership.cpp - places that one thread of a team has -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/WorkOwnership.h"
#include "Catalogue/Catalogue.h"
#include "Catalogue/LibraryNames.h"
#include "Support/CallBinding.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

WorkOwnership::WorkOwnership(const Function &F, const ProgramFacts &Facts,
                             const LoopShape &Shape, DominatorTree &DT,
                             ArrayRef<const LoadInst *> Loads,
                             bool AlsoElsewhere)
    : F(F), Facts(Facts), Shape(Shape), DT(DT) {
  for (const LoadInst *L : Loads)
    if (writesToo(*L))
      Written.insert(L);
  // Only a region's own parameters are known to be the same for all threads,
  // and only if there is one team.
  if (runsElsewhere(F) && !Facts.isInTeams(F) && !AlsoElsewhere)
    findApart(Loads);
}

/// I, or what it calls, waits for other threads or lets them in.
bool WorkOwnership::waits(const Instruction &I) const {
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C)
    return I.isAtomic();
  if (const OperationRecord *R = Facts.catalogue().lookup(I))
    return R->Handler == HandlerKind::Protocol;
  if (isa<IntrinsicInst>(C))
    return false;
  const Function *Callee = directCallee(*C);
  const Function *Body = Callee ? Facts.preparedOf(Callee) : nullptr;
  return !Body || Facts.waitsForTeam(*Body);
}

bool WorkOwnership::writesToo(const LoadInst &L) const {
  const LoopInfo &LI = Shape.loops();
  const Value *P = L.getPointerOperand();
  const Loop *Around = LI.getLoopFor(L.getParent());
  auto IsPlace = [&](const Value *W) {
    if (W == P)
      return true;
    const auto *A = dyn_cast<GetElementPtrInst>(P),
               *B = dyn_cast<GetElementPtrInst>(W);
    return A && B && A->isIdenticalTo(B);
  };
  SmallVector<const StoreInst *, 2> Stores;
  for (const Instruction &I : instructions(F))
    if (const auto *S = dyn_cast<StoreInst>(&I);
        S && S->isSimple() && S->getValueOperand()->getType() == L.getType() &&
        LI.getLoopFor(S->getParent()) == Around &&
        IsPlace(S->getPointerOperand()))
      Stores.push_back(S);
  if (Stores.empty())
    return false;
  std::optional<PostDominatorTree> PDT;
  auto WaitsBetween = [&](const Instruction &From, const Instruction &To) {
    for (const Instruction *I = &From; I != &To; I = I->getNextNode())
      if (waits(*I))
        return true;
    return false;
  };
  for (const StoreInst *S : Stores) {
    if (S->getParent() == L.getParent()) {
      if (S->comesBefore(&L) ? !WaitsBetween(*S, L) : !WaitsBetween(L, *S))
        return true;
      continue;
    }
    // Elsewhere in the same iteration: nothing in it may wait.
    bool Waits = Around ? any_of(Around->blocks(),
                                 [&](const BasicBlock *B) {
                                   return any_of(*B, [&](const Instruction &I) {
                                     return waits(I);
                                   });
                                 })
                        : any_of(instructions(F), [&](const Instruction &I) {
                            return waits(I);
                          });
    if (Waits)
      continue;
    if (!PDT)
      PDT.emplace(const_cast<Function &>(F));
    if (DT.dominates(S, &L) || PDT->dominates(S->getParent(), L.getParent()))
      return true;
  }
  return false;
}

/// Start, which begins to share out a loop's iterations, does so once before
/// threads next wait for each other: else another thread could have the same
/// iteration of the next round.
bool WorkOwnership::startsOnce(const Instruction &Start) const {
  const Loop *Around = Shape.loops().getLoopFor(Start.getParent());
  if (!Around)
    return true;
  const BasicBlock *Latch = Around->getLoopLatch();
  return Latch && any_of(Around->blocks(), [&](const BasicBlock *B) {
           return DT.dominates(B, Latch) &&
                  any_of(*B, [&](const Instruction &I) {
                    const OperationRecord *R = isa<CallBase>(I)
                                                   ? Facts.catalogue().lookup(I)
                                                   : nullptr;
                    return R &&
                           (R->Id == "team_barrier" || R->Id == "task_barrier");
                  });
         });
}

/// The first iteration of the thread's part, if Work is a worksharing loop:
/// read from the variable that libomp wrote it to.
const Value *WorkOwnership::boundOf(const Loop &Work) const {
  const BasicBlock *Before = Work.getLoopPreheader();
  if (!Before)
    return nullptr;
  for (const PHINode &Phi : Work.getHeader()->phis()) {
    ScalarEvolution &SE = Shape.evolution();
    const auto *Moves =
        SE.isSCEVable(Phi.getType())
            ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<PHINode *>(&Phi)))
            : nullptr;
    if (!Moves || !Moves->isAffine() || !Moves->getStepRecurrence(SE)->isOne())
      continue;
    const Value *V = Phi.getIncomingValueForBlock(Before);
    while (isa<SExtInst, ZExtInst, TruncInst>(V))
      V = cast<Instruction>(V)->getOperand(0);
    const auto *L = dyn_cast<LoadInst>(V);
    const auto *Variable =
        L ? dyn_cast<AllocaInst>(L->getPointerOperand()) : nullptr;
    if (!Variable)
      continue;
    // What else happens to the variable is libomp's and clang's business.
    const Instruction *Start = nullptr;
    bool IsBound = false;
    for (const llvm::Use &U : Variable->uses()) {
      const auto *C = dyn_cast<CallInst>(U.getUser());
      const Function *Callee = C ? C->getCalledFunction() : nullptr;
      if (!Callee || !C->isArgOperand(&U))
        continue;
      unsigned At = C->getArgOperandNo(&U);
      if (isStaticShare(Callee->getName()) && At == 4) {
        IsBound = !Start;
        Start = C;
      } else if (isNextChunk(Callee->getName()) && At == 3) {
        // Shared out where that was asked for, in front of the loop of chunks.
        for (const Instruction &I : instructions(F))
          if (const auto *Init = dyn_cast<CallInst>(&I);
              Init && Init->getCalledFunction() &&
              startsChunks(Init->getCalledFunction()->getName())) {
            if (!startsOnce(*Init))
              return nullptr;
            IsBound = true;
          }
      }
    }
    if (IsBound && (!Start || startsOnce(*Start)))
      return L;
  }
  return nullptr;
}

/// All threads have the same V.
bool WorkOwnership::isShared(const Value *V, unsigned Depth) const {
  if (isa<Argument>(V))
    return true;
  if (const auto *C = dyn_cast<Constant>(V))
    return !C->isThreadDependent();
  if (Depth > 8)
    return false;
  if (const auto *L = dyn_cast<LoadInst>(V))
    return L->isSimple() &&
           !isa<AllocaInst>(getUnderlyingObject(L->getPointerOperand(), 0)) &&
           isShared(L->getPointerOperand(), Depth + 1);
  const auto *I = dyn_cast<Instruction>(V);
  return I && (I->isBinaryOp() || I->isCast() || isa<GetElementPtrInst>(I)) &&
         all_of(I->operands(),
                [&](const Value *O) { return isShared(O, Depth + 1); });
}

bool WorkOwnership::isShared(const SCEV *S) const {
  return !SCEVExprContains(S, [&](const SCEV *Part) {
    const auto *U = dyn_cast<SCEVUnknown>(Part);
    return isa<SCEVAddRecExpr>(Part) || (U && !isShared(U->getValue()));
  });
}

WorkOwnership::Window WorkOwnership::windowOf(const LoadInst &L) const {
  Window W{&L};
  ScalarEvolution &SE = Shape.evolution();
  const SCEV *At = SE.getSCEV(const_cast<Value *>(L.getPointerOperand()));
  W.High = F.getDataLayout().getTypeStoreSize(L.getType()).getFixedValue();
  constexpr int64_t Large = int64_t(1) << 31;
  for (;;) {
    const auto *Moves = dyn_cast<SCEVAddRecExpr>(At);
    const auto *Step =
        Moves && Moves->isAffine()
            ? dyn_cast<SCEVConstant>(Moves->getStepRecurrence(SE))
            : nullptr;
    if (!Step || Step->getAPInt().getSignificantBits() > 31)
      return W;
    int64_t By = Step->getAPInt().getSExtValue();
    const Loop *Of = Moves->getLoop();
    if (const Value *First = boundOf(*Of)) {
      // What is left when the thread's first iteration is taken off.
      Type *T = SE.getEffectiveSCEVType(At->getType());
      const SCEV *Start = Moves->getStart();
      const SCEV *Bound = SE.getSCEV(const_cast<Value *>(First));
      for (const SCEV *Wide : {SE.getTruncateOrSignExtend(Bound, T),
                               SE.getTruncateOrZeroExtend(Bound, T)}) {
        const SCEV *Base =
            SE.getMinusSCEV(SE.getPtrToIntExpr(Start, T),
                            SE.getMulExpr(SE.getConstant(T, By, true), Wide));
        if (!isa<SCEVCouldNotCompute>(Base) && isShared(Base)) {
          W.Work = Of;
          W.Step = By;
          W.Base = Base;
          return W;
        }
      }
      return W;
    }
    const auto *Count = dyn_cast<SCEVConstant>(SE.getBackedgeTakenCount(Of));
    if (!Count || Count->getAPInt().getActiveBits() > 30)
      return W;
    int64_t Way = By * int64_t(Count->getAPInt().getZExtValue());
    (Way < 0 ? W.Low : W.High) += Way;
    if (W.Low < -Large || W.High > Large)
      return W;
    At = Moves->getStart();
  }
}

bool WorkOwnership::mayMeet(const LoadInst &A, const LoadInst &B) const {
  TypeAnalysis::ObjectId OA = Facts.types().objectOf(A.getPointerOperand()),
                         OB = Facts.types().objectOf(B.getPointerOperand());
  return OA == TypeAnalysis::NoObject || OB == TypeAnalysis::NoObject ||
         Facts.mayOverlap(OA, OB);
}

void WorkOwnership::findApart(ArrayRef<const LoadInst *> Loads) {
  // Callees and copies add to adjoints, too, and nobody has looked where.
  ScalarEvolution &SE = Shape.evolution();
  SmallVector<Window, 16> Windows;
  for (const LoadInst *L : Loads)
    if (!isWritten(*L))
      Windows.push_back(windowOf(*L));
  for (const Window &W : Windows) {
    if (!W.Work || !W.Step)
      continue;
    int64_t Low = W.Low, High = W.High;
    bool Ok = true;
    for (const Window &O : Windows) {
      if (&O == &W || !mayMeet(*W.Load, *O.Load))
        continue;
      const auto *Distance =
          O.Work == W.Work && O.Step == W.Step
              ? dyn_cast<SCEVConstant>(SE.getMinusSCEV(O.Base, W.Base))
              : nullptr;
      if (!Distance || Distance->getAPInt().getSignificantBits() > 31) {
        Ok = false;
        break;
      }
      int64_t D = Distance->getAPInt().getSExtValue();
      Low = std::min(Low, D + O.Low);
      High = std::max(High, D + O.High);
    }
    if (Ok && High - Low <= std::abs(W.Step))
      Apart.insert(W.Load);
  }
}
