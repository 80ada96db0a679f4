//===- CarriedLoads.cpp - integers that the iteration before has read -----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row i of a sparse matrix goes from first[i] to first[i + 1]. LLVM reads each
// of them once: row i + 1 begins with what row i has read, a phi,
//
//   head:  %begin = phi [ load first[0], front ], [ %end, latch ]
//          %end = load first[%i + 1]
//
// A load from memory that stays as it is can be asked for again in the reverse
// sweep, and what is computed from it, like the number of iterations of the
// loop over the row. A phi of iterations cannot: both would be kept for each
// row. So the phi becomes
//
//          %begin = load first[%i]
//
// where nothing may write between the loads that it stands for and the head.
// Only integers are: adjoints of numbers stay in registers.
//
//===----------------------------------------------------------------------===//

#include "Primal/PrimalSteps.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;

namespace {
/// Phi is what First has read in front of the loop, then what Next read in the
/// iteration before.
struct Carried {
  PHINode *Phi;
  LoadInst *First, *Next;
  GetElementPtrInst *Address; ///< Next's
};
} // namespace

/// S as it was in the iteration before; null if it does not go in even steps.
static const SCEV *oneEarlier(const SCEV *S, const Loop &L,
                              ScalarEvolution &SE) {
  if (SE.isLoopInvariant(S, &L))
    return S;
  const auto *Steps = dyn_cast<SCEVAddRecExpr>(S);
  if (!Steps || Steps->getLoop() != &L || !Steps->isAffine())
    return nullptr;
  const SCEV *Step = Steps->getStepRecurrence(SE);
  return SE.getAddRecExpr(SE.getMinusSCEV(Steps->getStart(), Step), Step, &L,
                          SCEV::FlagAnyWrap);
}

static bool mayWrite(BasicBlock::iterator From, BasicBlock::iterator To,
                     const MemoryLocation &At, BatchAAResults &AA) {
  return any_of(make_range(From, To), [&](Instruction &I) {
    return isModSet(AA.getModRefInfo(&I, At));
  });
}

/// May anything in L write where Load reads in some iteration?
static bool mayWriteIn(const Loop &L, const LoadInst &Load,
                       BatchAAResults &AA) {
  const MemoryLocation Anywhere = MemoryLocation::get(&Load).getWithNewSize(
      LocationSize::beforeOrAfterPointer());
  return any_of(L.blocks(), [&](BasicBlock *B) {
    return mayWrite(B->begin(), B->end(), Anywhere, AA);
  });
}

static std::optional<Carried> carriedBy(PHINode &Phi, const Loop &L,
                                        ScalarEvolution &SE,
                                        BatchAAResults &AA) {
  BasicBlock *Front = L.getLoopPreheader();
  auto *First = dyn_cast<LoadInst>(Phi.getIncomingValueForBlock(Front));
  auto *Next =
      dyn_cast<LoadInst>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
  if (!First || !Next || !First->isSimple() || !Next->isSimple() ||
      First->getParent() != Front || !L.contains(Next))
    return std::nullopt;
  auto *Address = dyn_cast<GetElementPtrInst>(Next->getPointerOperand());
  if (!Address || !L.isLoopInvariant(Address->getPointerOperand()))
    return std::nullopt;
  for (Value *Index : Address->indices())
    if (!oneEarlier(SE.getSCEV(Index), L, SE))
      return std::nullopt;
  const auto *Before =
      dyn_cast_or_null<SCEVAddRecExpr>(oneEarlier(SE.getSCEV(Address), L, SE));
  if (!Before || Before->getStart() != SE.getSCEV(First->getPointerOperand()) ||
      mayWrite(First->getIterator(), Front->end(), MemoryLocation::get(First),
               AA) ||
      mayWriteIn(L, *Next, AA))
    return std::nullopt;
  return Carried{&Phi, First, Next, Address};
}

/// Loads in the head of L what C carries there.
static void loadAgain(const Carried &C, const Loop &L, ScalarEvolution &SE,
                      SCEVExpander &Expander) {
  const BasicBlock::iterator Head = L.getHeader()->getFirstInsertionPt();
  auto *Address = cast<GetElementPtrInst>(C.Address->clone());
  Address->setNoWrapFlags(GEPNoWrapFlags::none());
  for (Use &Index : Address->indices()) {
    const SCEV *Before = oneEarlier(SE.getSCEV(Index), L, SE);
    Index.set(Expander.expandCodeFor(Before, Index->getType(), Head));
  }
  Address->insertBefore(Head);
  auto *Again = cast<LoadInst>(C.Next->clone());
  Again->setOperand(LoadInst::getPointerOperandIndex(), Address);
  Again->insertAfter(Address->getIterator());
  // The two loads may promise different things of what they read.
  Again->dropUnknownNonDebugMetadata();
  Again->setAAMetadata(C.First->getAAMetadata().merge(C.Next->getAAMetadata()));
  Again->setAlignment(std::min(C.First->getAlign(), C.Next->getAlign()));
  Again->takeName(C.Phi);
  C.Phi->replaceAllUsesWith(Again);
  C.Phi->eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(C.First);
}

bool retrograd::loadCarriedAgain(Function &F, FunctionAnalysisManager &FAM) {
  auto &Loops = FAM.getResult<LoopAnalysis>(F);
  if (Loops.empty())
    return false;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  SmallVector<std::pair<Carried, const Loop *>, 4> Found;
  {
    BatchAAResults AA(FAM.getResult<AAManager>(F));
    for (const Loop *L : Loops.getLoopsInPreorder()) {
      if (!L->getLoopPreheader() || !L->getLoopLatch())
        continue;
      for (PHINode &Phi : L->getHeader()->phis())
        if (Phi.getType()->isIntegerTy())
          if (std::optional<Carried> C = carriedBy(Phi, *L, SE, AA))
            Found.push_back({*C, L});
    }
  }
  if (Found.empty())
    return false;
  SCEVExpander Expander(SE, "before");
  for (auto &[C, L] : Found)
    loadAgain(C, *L, SE, Expander);
  FAM.invalidate(F, PreservedAnalyses::none());
  return true;
}
