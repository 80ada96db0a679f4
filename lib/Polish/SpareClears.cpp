//===- SpareClears.cpp - memory is cleared where a zero is read -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   s = alloc(n); memset(s, 0, n);            s = alloc(n);
//   s[0] = 0; memset(s + 8, 0, n - 8);   =>   for i < k: s[i] = ...
//   for i < k: s[i] = ...                     memset(s + 8 * k, 0, n - 8 * k);
//
// A shadow is cleared where it is allocated. The program fills its vector with
// zeros, so in forward mode the tangents get zeros once more; and then a loop
// writes to nearly all of them. Three rewrites:
//
// Zeros on zeros. A store of zero to memory that holds nothing but zeros since
// it was cleared as a whole changes nothing: on all ways back from it to the
// clearing nothing else is written to the object.
//
// Zeros that a loop overwrites. The first thing that touches an object behind a
// clearing, on the way to a loop, is that loop. In each iteration it writes one
// piece next to the one before, and nothing else in it touches the object. So
// what is left to be cleared is what the loop does not reach, and that is
// cleared in front of the loop. On the edges on which one does not come to the
// loop everything is cleared.
//
// Zeros at the end. The reverse of filling a vector takes its adjoints, which
// leaves zeros. Where the shadow's release was put off to the end of the tape,
// and the tape ends next, nobody reads them.
//
// Who touches an object is asked of alias analysis. Objects are allocations
// that nothing else points to when they are made.
//
// Not handled: loops that go downwards, objects that two loops fill, clearings
// in front of a branch with more than a few ways past the loop.
//
//===----------------------------------------------------------------------===//

#include "Polish/Apart.h"
#include "Polish/PolishSteps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;
using namespace llvm::PatternMatch;

/// Looked at between a clearing and what makes it needless.
static constexpr size_t MostBlocks = 64;
/// Edges past the loop; each gets a clearing.
static constexpr size_t MostEdges = 4;

namespace {

/// A clearing, and the loop that overwrites what it clears.
struct Overwritten {
  MemSetInst *Clear;
  Loop *L;
  const SCEV *From, *To; ///< bytes of the object that are cleared
  const SCEV *End;       ///< the loop writes [at most From, End)
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Past;
};

class SpareClears {
public:
  SpareClears(Function &D, FunctionAnalysisManager &FAM)
      : D(D), DT(FAM.getResult<DominatorTreeAnalysis>(D)),
        LI(FAM.getResult<LoopAnalysis>(D)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(D)),
        TLI(FAM.getResult<TargetLibraryAnalysis>(D)), Escapes(DT, &LI),
        AA(FAM.getResult<AAManager>(D), &Escapes) {}

  /// True if a zero on zeros was dropped.
  bool dropZerosOnZeros();
  /// True if a zero that nobody reads was dropped.
  bool dropZerosAtEnd();
  std::optional<Overwritten> nextOverwritten();
  void rewrite(const Overwritten &O);

private:
  bool touches(const Instruction &I, const Value &Object);
  Instruction *clearsAll(CallInst &Object) const;
  bool findsZeros(const Instruction &Zero, const Instruction &Cleared,
                  const Value &Object);
  const SCEV *endOfWrites(const Loop &L, const Value &Object, const SCEV *From);
  bool findEdges(Overwritten &O, const Value &Object);
  bool isDeadEnd(const BasicBlock &B, const Value &Object);

  Function &D;
  DominatorTree &DT;
  LoopInfo &LI;
  ScalarEvolution &SE;
  TargetLibraryInfo &TLI;
  EarliestEscapeAnalysis Escapes;
  BatchAAResults AA;
};

} // namespace

/// I reads or writes memory of Object, as far as one knows.
bool SpareClears::touches(const Instruction &I, const Value &Object) {
  if (!I.mayReadOrWriteMemory() ||
      !isModOrRefSet(
          AA.getModRefInfo(&I, MemoryLocation::getBeforeOrAfter(&Object))))
    return false;
  const Value *P = getLoadStorePointerOperand(&I);
  return !P || !areApart(P, &Object, LI,
                         [&](const MemoryLocation &A, const MemoryLocation &B) {
                           return AA.isNoAlias(A, B);
                         });
}

/// Where I stores zeros, and nothing else; null if it does anything else.
static const Value *placeOfZeros(const Instruction &I) {
  const Value *To = nullptr;
  if (const auto *S = dyn_cast<StoreInst>(&I)) {
    const auto *C = dyn_cast<Constant>(S->getValueOperand());
    if (S->isSimple() && C && C->isNullValue())
      To = S->getPointerOperand();
  } else if (const auto *M = dyn_cast<MemSetInst>(&I)) {
    if (!M->isVolatile() && match(M->getValue(), m_Zero()))
      To = M->getDest();
  }
  return To;
}

/// An allocation to whose memory I stores zeros, and nothing else.
static CallInst *objectOfZeros(const Instruction &I) {
  const Value *To = placeOfZeros(I);
  if (!To)
    return nullptr;
  auto *Object = dyn_cast<CallInst>(getUnderlyingObject(To));
  return Object && isNoAliasCall(Object) ? const_cast<CallInst *>(Object)
                                         : nullptr;
}

/// Behind which all of Object is zero: its allocation, or a clearing in the
/// same block that is as long as what was asked for.
Instruction *SpareClears::clearsAll(CallInst &Object) const {
  const Constant *Initially = getInitialValueOfAllocation(
      &Object, &TLI, Type::getInt8Ty(D.getContext()));
  if (Initially && Initially->isNullValue())
    return &Object;
  for (Instruction *I = Object.getNextNode(); I; I = I->getNextNode()) {
    auto *M = dyn_cast<MemSetInst>(I);
    // Of several numbers none is the product, which is the size.
    if (M && M->getDest() == &Object && objectOfZeros(*M) &&
        any_of(Object.args(),
               [&](const Use &U) { return U == M->getLength(); }) &&
        none_of(Object.args(), [&](const Use &U) {
          return U != M->getLength() && !isa<Constant>(U);
        }))
      return M;
    if (I->mayReadOrWriteMemory())
      return nullptr;
  }
  return nullptr;
}

/// Between Cleared and Zero nothing but zeros is written to Object.
bool SpareClears::findsZeros(const Instruction &Zero,
                             const Instruction &Cleared, const Value &Object) {
  if (!DT.dominates(&Cleared, &Zero))
    return false;
  // What runs in B in front of Last, or all of it.
  auto IsClean = [&](const BasicBlock &B, const Instruction *Last) {
    const Instruction *I = Last ? Last->getPrevNode() : &B.back();
    for (; I && I != &Cleared; I = I->getPrevNode())
      if (I->mayWriteToMemory() && touches(*I, Object) &&
          objectOfZeros(*I) != &Object)
        return false;
    return true;
  };
  if (!IsClean(*Zero.getParent(), &Zero))
    return false;
  if (Zero.getParent() == Cleared.getParent())
    return true;
  SmallSetVector<const BasicBlock *, 16> Work(llvm::from_range,
                                              predecessors(Zero.getParent()));
  for (size_t I = 0; I != Work.size(); ++I) {
    const BasicBlock *B = Work[I];
    if (!DT.isReachableFromEntry(B))
      continue;
    if (I == MostBlocks || !IsClean(*B, nullptr))
      return false;
    if (B != Cleared.getParent())
      Work.insert_range(predecessors(B));
  }
  return true;
}

bool SpareClears::dropZerosOnZeros() {
  SmallVector<Instruction *, 8> Needless;
  for (Instruction &I : instructions(D)) {
    CallInst *Object = objectOfZeros(I);
    const Instruction *Cleared = Object ? clearsAll(*Object) : nullptr;
    if (Cleared && &I != Cleared && findsZeros(I, *Cleared, *Object))
      Needless.push_back(&I);
  }
  for (Instruction *I : Needless)
    I->eraseFromParent();
  return !Needless.empty();
}

static bool isCallOf(const Instruction &I, StringRef Name) {
  const auto *C = dyn_cast<CallInst>(&I);
  const Function *Callee = C ? C->getCalledFunction() : nullptr;
  return Callee && Callee->getName() == Name;
}

bool SpareClears::dropZerosAtEnd() {
  // Blocks that others replace hand their derivatives on when the tape ends.
  for (StringRef Note : {"rg_note_made", "rg_note_released"})
    if (const Function *F = D.getParent()->getFunction(Note);
        F && !F->use_empty())
      return false;
  // Shadows, by where their release was asked for.
  SmallVector<std::pair<const Value *, const CallInst *>, 4> Left;
  for (Instruction &I : instructions(D)) {
    if (!isCallOf(I, "rg_defer_free_both"))
      continue;
    const auto &C = cast<CallInst>(I);
    const auto *Dealloc = dyn_cast<Function>(C.getArgOperand(3));
    LibFunc Known;
    if (Dealloc && TLI.getLibFunc(*Dealloc, Known) &&
        isNoAliasCall(C.getArgOperand(2)))
      Left.push_back({C.getArgOperand(2), &C});
  }
  if (Left.empty())
    return false;
  auto IsLeft = [&](const Instruction &Zero, const Value *Ended) {
    const Value *To = placeOfZeros(Zero);
    const Value *Object = To ? getUnderlyingObject(To) : nullptr;
    return Object && any_of(Left, [&](auto &L) {
             return L.first == Object && L.second->getArgOperand(0) == Ended &&
                    DT.dominates(L.second, &Zero);
           });
  };
  SmallVector<Instruction *, 4> Needless;
  // Backwards from each return: what lies behind has ended the tape, and reads
  // nothing.
  for (BasicBlock &End : D) {
    if (!isa<ReturnInst>(End.getTerminator()))
      continue;
    SmallVector<std::pair<BasicBlock *, const Value *>, 4> Work = {
        {&End, nullptr}};
    while (!Work.empty()) {
      auto [B, Ended] = Work.pop_back_val();
      Instruction *I = B->getTerminator();
      for (; I; I = I->getPrevNode()) {
        if (!Ended && isCallOf(*I, "rg_tape_end"))
          Ended = cast<CallInst>(I)->getArgOperand(0);
        else if (Ended && IsLeft(*I, Ended))
          Needless.push_back(I);
        else if (!isCallOf(*I, "rg_constant_end") && I->mayReadOrWriteMemory())
          break;
      }
      for (BasicBlock *P : predecessors(B))
        if (!I && P->getSingleSuccessor() == B && Needless.size() < MostBlocks)
          Work.push_back({P, Ended});
    }
  }
  for (Instruction *I : Needless)
    I->eraseFromParent();
  return !Needless.empty();
}

/// Where L, all of whose accesses to Object are stores side by side, has
/// written to all from From on; null if it does anything else.
const SCEV *SpareClears::endOfWrites(const Loop &L, const Value &Object,
                                     const SCEV *From) {
  const BasicBlock *Latch = L.getLoopLatch();
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  Type *Long = From->getType();
  if (!Latch || L.getExitingBlock() != Latch ||
      isa<SCEVCouldNotCompute>(Count) ||
      SE.getTypeSizeInBits(Count->getType()) > 64)
    return nullptr;
  const SCEV *Base = SE.getSCEV(const_cast<Value *>(&Object));
  SmallVector<std::pair<int64_t, uint64_t>, 8> Pieces; // where, how long
  int64_t Step = 0;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      if (!touches(I, Object))
        continue;
      auto *S = dyn_cast<StoreInst>(&I);
      if (!S || !S->isSimple() || LI.getLoopFor(B) != &L ||
          !DT.dominates(B, Latch))
        return nullptr;
      const auto *At = dyn_cast<SCEVAddRecExpr>(
          SE.getMinusSCEV(SE.getSCEV(S->getPointerOperand()), Base));
      if (!At || At->getLoop() != &L || !At->isAffine())
        return nullptr;
      const auto *First = dyn_cast<SCEVConstant>(At->getStart());
      const auto *By = dyn_cast<SCEVConstant>(At->getStepRecurrence(SE));
      const TypeSize Bytes =
          D.getDataLayout().getTypeStoreSize(S->getValueOperand()->getType());
      if (!First || !By || Bytes.isScalable() ||
          (Step != 0 && Step != By->getAPInt().getSExtValue()))
        return nullptr;
      Step = By->getAPInt().getSExtValue();
      Pieces.push_back(
          {First->getAPInt().getSExtValue(), Bytes.getFixedValue()});
    }
  if (Pieces.empty() || Step <= 0)
    return nullptr;
  llvm::sort(Pieces);
  const int64_t Begin = Pieces.front().first;
  int64_t Reached = Begin;
  for (auto [At, Bytes] : Pieces) {
    if (At > Reached)
      return nullptr;
    Reached = std::max(Reached, At + int64_t(Bytes));
  }
  if (Reached - Begin < Step ||
      !SE.isKnownPredicate(ICmpInst::ICMP_SLE,
                           SE.getConstant(Long, Begin, true), From))
    return nullptr;
  const SCEV *Turns =
      SE.getAddExpr(SE.getNoopOrZeroExtend(Count, Long), SE.getOne(Long));
  return SE.getAddExpr(SE.getConstant(Long, Begin, true),
                       SE.getMulExpr(Turns, SE.getConstant(Long, Step)));
}

/// From B on the program ends, without a look at Object.
bool SpareClears::isDeadEnd(const BasicBlock &B, const Value &Object) {
  return isa<UnreachableInst>(B.getTerminator()) &&
         none_of(B, [&](const Instruction &I) { return touches(I, Object); });
}

/// Nothing touches Object between the clearing and the loop. Finds where one
/// leaves the ways between them.
bool SpareClears::findEdges(Overwritten &O, const Value &Object) {
  BasicBlock *First = O.Clear->getParent(), *Front = O.L->getLoopPreheader();
  for (Instruction *I = O.Clear->getNextNode(); I; I = I->getNextNode())
    if (touches(*I, Object))
      return false;
  SmallSetVector<BasicBlock *, 16> Between;
  Between.insert(Front);
  for (size_t I = 0; I != Between.size(); ++I) {
    if (I == MostBlocks)
      return false;
    BasicBlock *B = Between[I];
    if (B == First)
      continue;
    if (any_of(*B, [&](const Instruction &J) { return touches(J, Object); }))
      return false;
    for (BasicBlock *P : predecessors(B))
      if (DT.isReachableFromEntry(P))
        Between.insert(P);
  }
  if (!Between.contains(First))
    return false;
  for (BasicBlock *B : Between)
    for (BasicBlock *Next : successors(B)) {
      // The clearing's own block is not between when one comes to it again.
      const bool Stays = Next != First && Between.contains(Next);
      if (Stays || (B == Front && Next == O.L->getHeader()) ||
          isDeadEnd(*Next, Object))
        continue;
      if (Next->isEHPad() || !isa<BranchInst, SwitchInst>(B->getTerminator()) ||
          count(successors(B), Next) != 1 || O.Past.size() == MostEdges)
        return false;
      O.Past.push_back({B, Next});
    }
  // Who catches what is thrown on the way must not see the object.
  auto MayLeave = [](const BasicBlock *B) {
    return any_of(*B, [](const Instruction &I) {
      return !isGuaranteedToTransferExecutionToSuccessor(&I);
    });
  };
  return (none_of(Between, MayLeave) && none_of(O.L->blocks(), MayLeave)) ||
         !PointerMayBeCapturedBefore(&Object, /*ReturnCaptures=*/true,
                                     O.L->getLoopLatch()->getTerminator(), &DT,
                                     /*IncludeI=*/true, 0, &LI);
}

std::optional<Overwritten> SpareClears::nextOverwritten() {
  for (Instruction &I : instructions(D)) {
    auto *M = dyn_cast<MemSetInst>(&I);
    const CallInst *Object = M ? objectOfZeros(*M) : nullptr;
    if (!Object || !DT.isReachableFromEntry(M->getParent()))
      continue;
    const SCEV *From = SE.getMinusSCEV(
        SE.getSCEV(M->getDest()), SE.getSCEV(const_cast<CallInst *>(Object)));
    const Loop *Around = LI.getLoopFor(M->getParent());
    if (!isa<SCEVConstant>(From) || SE.getTypeSizeInBits(From->getType()) != 64)
      continue;
    const SCEV *To =
        SE.getAddExpr(From, SE.getTruncateOrZeroExtend(
                                SE.getSCEV(M->getLength()), From->getType()));
    for (Loop *L : Around ? Around->getSubLoops() : LI.getTopLevelLoops()) {
      BasicBlock *Front = L->getLoopPreheader();
      if (!Front || !DT.dominates(M->getParent(), Front))
        continue;
      const SCEV *End = endOfWrites(*L, *Object, From);
      Overwritten O{M, L, From, To, End, {}};
      SCEVExpander Expand(SE, "rg.spare");
      if (End && findEdges(O, *Object) &&
          Expand.isSafeToExpandAt(End, Front->getTerminator()) &&
          Expand.isSafeToExpandAt(To, Front->getTerminator()))
        return O;
    }
  }
  return std::nullopt;
}

void SpareClears::rewrite(const Overwritten &O) {
  Instruction *Front = O.L->getLoopPreheader()->getTerminator();
  if (!SE.isKnownPredicate(ICmpInst::ICMP_SGE, O.End, O.To)) {
    SCEVExpander Expand(SE, "rg.spare");
    Type *Long = O.End->getType();
    Value *End = Expand.expandCodeFor(O.End, Long, Front);
    Value *From = Expand.expandCodeFor(O.From, Long, Front);
    Value *To = Expand.expandCodeFor(O.To, Long, Front);
    IRBuilder<> B(Front);
    Value *Rest = B.CreateBinaryIntrinsic(Intrinsic::smax, End, From);
    Instruction *Then = SplitBlockAndInsertIfThen(
        B.CreateICmpSLT(Rest, To), Front->getIterator(), /*Unreachable=*/false);
    B.SetInsertPoint(Then);
    B.SetCurrentDebugLocation(O.Clear->getDebugLoc());
    B.CreateMemSet(B.CreatePtrAdd(O.Clear->getDest(), B.CreateSub(Rest, From)),
                   B.getInt8(0), B.CreateSub(To, Rest), MaybeAlign());
  }
  for (auto [Block, Next] : O.Past) {
    BasicBlock *Edge = SplitEdge(Block, Next);
    O.Clear->clone()->insertBefore(Edge->getTerminator()->getIterator());
  }
  O.Clear->eraseFromParent();
}

/// In a finished derivative. True if it was changed.
bool retrograd::spareClears(Function &Derivative,
                            FunctionAnalysisManager &FAM) {
  if (Derivative.isDeclaration() || Derivative.hasOptSize())
    return false;
  auto IsClear = [](const Instruction &I) {
    return isa<MemSetInst>(I) && placeOfZeros(I);
  };
  if (none_of(instructions(Derivative), IsClear))
    return false;
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  bool Changed = SpareClears(Derivative, FAM).dropZerosAtEnd();
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  Changed |= SpareClears(Derivative, FAM).dropZerosOnZeros();
  for (;;) {
    FAM.invalidate(Derivative, PreservedAnalyses::none());
    SpareClears Clears(Derivative, FAM);
    std::optional<Overwritten> O = Clears.nextOverwritten();
    if (!O)
      return Changed;
    Clears.rewrite(*O);
    Changed = true;
  }
}
