//===- PrimalStorage.cpp - where the primal sweep keeps values ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The storage of each scope (frame, arrays and records of loops, tapes of
// iterations), and the stores of what is kept there.
//
//===----------------------------------------------------------------------===//

#include "Analysis/ArgumentRanges.h"
#include "Diagnostics/RequestTrail.h"
#include "Emit/PrimalEmitter.h"
#include "Target/Target.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Expressions over the primal as the same over its clone. What an analysis
/// finds out of a loop depends on what it was asked before, so the clone's own
/// does not always find the bound that the plan saw.
class OverClone : public SCEVRewriteVisitor<OverClone> {
public:
  OverClone(ScalarEvolution &SE, const LoopInfo &LI,
            const ValueToValueMapTy &Clones)
      : SCEVRewriteVisitor(SE), LI(LI), Clones(Clones) {}

  /// Null if something in it has no clone.
  const SCEV *of(const SCEV *S) {
    const SCEV *Same = visit(S);
    return Failed || isa<SCEVCouldNotCompute>(Same) ? nullptr : Same;
  }

  const SCEV *visitConstant(const SCEVConstant *C) {
    return SE.getConstant(C->getValue());
  }
  const SCEV *visitVScale(const SCEVVScale *S) { return fail(S); }
  const SCEV *visitUnknown(const SCEVUnknown *U) {
    Value *V = U->getValue();
    if (!isa<Constant>(V))
      V = Clones.lookup(V);
    return V ? SE.getUnknown(V) : fail(U);
  }
  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *R) {
    auto *Header =
        dyn_cast_or_null<BasicBlock>(Clones.lookup(R->getLoop()->getHeader()));
    const Loop *L = Header ? LI.getLoopFor(Header) : nullptr;
    if (!L)
      return fail(R);
    SmallVector<const SCEV *, 2> Operands;
    for (const SCEV *Op : R->operands())
      Operands.push_back(visit(Op));
    return Failed ? fail(R)
                  : SE.getAddRecExpr(Operands, L, R->getNoWrapFlags());
  }

private:
  const LoopInfo &LI;
  const ValueToValueMapTy &Clones;
  bool Failed = false;
  const SCEV *fail(const SCEV *S) {
    Failed = true;
    return SE.getUnknown(PoisonValue::get(S->getType()));
  }
};

} // namespace

/// Computes, in the preheader of each array loop, how often its header can run.
/// The clone is still exactly the primal.
bool PrimalEmitter::expandBounds() {
  DominatorTree DT(D);
  LoopInfo LI(DT);
  AssumptionCache AC(D);
  TargetLibraryInfoImpl TLII(D.getParent()->getTargetTriple());
  TargetLibraryInfo TLI(TLII, &D);
  ScalarEvolution SE(D, TLI, AC, DT, LI);
  LoopShape Shape(D, LI, SE);
  SmallPtrSet<const Loop *, 8> InNests;
  for (Loop *L : Plan.shape().loops().getLoopsInPreorder())
    if (const Scope &S = Plan.scope(L); S.IsArray && !S.Slots.empty())
      for (const Loop *N : S.nest())
        InNests.insert(N);
  for (Loop *L : Plan.shape().loops().getLoopsInPreorder()) {
    if (Plan.scope(L).InFrame) {
      Loops[L].Trips = ConstantInt::get(Type::getInt64Ty(D.getContext()),
                                        Plan.shape().facts(L).MostTrips);
      continue;
    }
    bool StoresCount =
        countsInFront(L) && Plan.slot({Need::Count, L->getHeader()});
    if (!InNests.contains(L) && !StoresCount &&
        (!Plan.runsAgain(L) || countsItself(L)))
      continue;
    Loop *Clone = LI.getLoopFor(clone(L->getHeader()));
    const SCEV *Bound = Clone ? Shape.facts(Clone).BackedgeBound : nullptr;
    if (Clone && !Bound)
      if (const SCEV *Seen = Plan.shape().facts(L).BackedgeBound)
        Bound = OverClone(SE, LI, VMap).of(Seen);
    if (!Bound)
      return false;
    Instruction *At =
        clone(Plan.countHome(L)->getLoopPreheader())->getTerminator();
    SCEVExpander Expander(SE, "rg.trips");
    Value *Count = Expander.expandCodeFor(Bound, nullptr, At);
    IRBuilder<> B(At);
    Loops[L].Trips =
        B.CreateAdd(B.CreateZExt(Count, B.getInt64Ty()), B.getInt64(1));
  }
  for (const Original &O : Plan.originals()) {
    if (!O.Used)
      continue;
    std::optional<ReadRange> Range =
        ReadRange::of(*cast<LoadInst>(clone(O.Load)), SE);
    if (!Range)
      return false;
    Instruction *At = D.getEntryBlock().getTerminator();
    SCEVExpander Expander(SE, "rg.place");
    IRBuilder<> B(At);
    Value *Low = Expander.expandCodeFor(Range->Low, B.getInt64Ty(), At);
    Value *High = Expander.expandCodeFor(Range->High, B.getInt64Ty(), At);
    // Of loops that do not run there is nothing to keep.
    Value *Bytes = B.CreateBinaryIntrinsic(
        Intrinsic::smax, B.CreateSub(High, Low), B.getInt64(0));
    Originals[O.Load] = {Range->Base, Low, Bytes};
  }
  return true;
}

Value *PrimalEmitter::placeOf(const LoadInst &L, Value *Address,
                              IRBuilderBase &B) const {
  const ByPlace &Kept = Originals.find(&L)->second;
  Value *Offset = B.CreateSub(B.CreatePtrToInt(Address, B.getInt64Ty()),
                              B.CreatePtrToInt(Kept.Base, B.getInt64Ty()));
  return B.CreateGEP(B.getInt8Ty(), Kept.Zero, Offset);
}

/// Behind everything else, since the function's entry is complete then.
void PrimalEmitter::makeOriginals() {
  for (auto &[L, Kept] : Originals) {
    IRBuilder<> B(D.getEntryBlock().getTerminator());
    Kept.Zero = B.CreateGEP(B.getInt8Ty(), allocate(Kept.Bytes, B),
                            B.CreateNeg(Kept.Low), "rg.places");
    auto *Load = cast<LoadInst>(clone(L));
    B.SetInsertPoint(Load->getNextNode());
    B.SetCurrentDebugLocation(Load->getDebugLoc());
    Kinds.tape(B.CreateAlignedStore(
        Load, placeOf(*L, Load->getPointerOperand(), B), Align(1)));
  }
}

/// In front of the loops that read it, the array is what they find.
void PrimalEmitter::makeSnapshots() {
  for (const Snapshot &S : Plan.snapshots()) {
    const Slot *Where = Plan.slot({Need::Snapshot, S.Loads.front()});
    if (!Where)
      continue;
    IRBuilder<> B(clone(S.Nest->getLoopPreheader())->getTerminator());
    B.SetCurrentDebugLocation(
        clone(S.Nest->getHeader())->getTerminator()->getDebugLoc());
    Value *Bytes = B.getInt64(1);
    for (const Value *Size : S.Sizes)
      Bytes =
          B.CreateMul(Bytes, B.CreateZExtOrTrunc(primal(Size), B.getInt64Ty()));
    Value *Array = primal(S.Array), *Whole = allocate(Bytes, B);
    B.CreateMemCpy(Whole, Align(16), Array,
                   Array->getPointerAlignment(D.getDataLayout()), Bytes);
    storeTo(*Where, Whole, B);
  }
}

/// Some function that F reaches is part of a cycle of calls.
bool PrimalEmitter::callsItself() const {
  SmallPtrSet<const Function *, 8> Done;
  for (SmallVector<const Function *, 8> Roots{&F}; !Roots.empty();) {
    const Function *Root = Roots.pop_back_val();
    if (!Done.insert(Root).second)
      continue;
    SmallPtrSet<const Function *, 8> Seen;
    for (SmallVector<const Function *, 8> Work{Root}; !Work.empty();)
      for (const Instruction &I : instructions(*Work.pop_back_val()))
        if (const auto *C = dyn_cast<CallBase>(&I)) {
          const Function *Callee = directCallee(*C);
          const Function *Body =
              Callee ? Plan.facts().preparedOf(Callee) : nullptr;
          if (Body == Root)
            return true;
          if (Body && Seen.insert(Body).second) {
            Work.push_back(Body);
            Roots.push_back(Body);
          }
        }
  }
  return false;
}

void PrimalEmitter::beginTape() {
  if (Plan.isSplit()) {
    Arena = D.getArg(0);
    return;
  }
  // Behind the static allocas, so that they stay static.
  IRBuilder<> B(&*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *SP = D.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(D.getContext(), 0, 0, SP));
  Function *Begin = Services.runtime().require("rg_tape_begin");
  if (!Target(*D.getParent()).arenaOnStack()) {
    Arena = B.CreateCall(Begin, {}, "arena");
    if (uint64_t Limit = Plan.options().Memory)
      B.CreateCall(Services.runtime().require("rg_tape_limit"),
                   {Arena, B.getInt64(Limit),
                    B.CreateGlobalString(userName(F.getName()))});
    return;
  }
  IRBuilder<> Entry(&D.getEntryBlock(), D.getEntryBlock().begin());
  Value *State = makeArenaState(Entry, B, "arena.state");
  // The stack of a kernel that calls itself is as large as the host says, and
  // small.
  uint64_t Bytes = callsItself() ? 0 : Plan.options().StackBytes;
  AllocaInst *Stack = Entry.CreateAlloca(ArrayType::get(B.getInt8Ty(), Bytes),
                                         nullptr, "tape.stack");
  Stack->setAlignment(Align(16));
  Value *Generic = inGenericSpace(B, Stack);
  Arena = B.CreateCall(Begin, {State, Generic, B.getInt64(Bytes)}, "arena");
}

/// Room for the state of an arena in local memory, where threads have no
/// storage of their own; its address where B stands.
Value *PrimalEmitter::makeArenaState(IRBuilder<> &Entry, IRBuilder<> &B,
                                     const Twine &Name) {
  constexpr uint64_t StateBytes = 64; // runtime/gpu/arena.c needs 64
  AllocaInst *State = Entry.CreateAlloca(
      ArrayType::get(B.getInt64Ty(), StateBytes / 8), nullptr, Name);
  State->setAlignment(Align(16));
  return inGenericSpace(B, State);
}

Value *PrimalEmitter::tapeMark(const Loop *L) {
  Value *&Mark = TapeMarks[L];
  if (!Mark) {
    IRBuilder<> Entry(&D.getEntryBlock(), D.getEntryBlock().begin());
    IRBuilder<> Behind(&*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Mark = makeArenaState(Entry, Behind, "tape.mark");
  }
  return Mark;
}

void PrimalEmitter::beginIterationTape(IRBuilder<> &B, const Loop *L) {
  if (!Target(*D.getParent()).arenaOnStack()) {
    B.CreateCall(Services.runtime().require("rg_tape_begin"), {});
    return;
  }
  B.CreateCall(Services.runtime().require("rg_tape_mark"),
               {Arena, tapeMark(L)});
}

void PrimalEmitter::endIterationTape(IRBuilder<> &B, const Loop *L) {
  if (!Target(*D.getParent()).arenaOnStack()) {
    B.CreateCall(Services.runtime().require("rg_tape_end"), {Arena});
    return;
  }
  B.CreateCall(Services.runtime().require("rg_tape_rewind"),
               {Arena, tapeMark(L)});
}

void PrimalEmitter::makeFrame() {
  const Scope &S = Plan.scope(nullptr);
  IRBuilder<> B(&*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (Plan.isSplit()) {
    if (!S.Slots.empty())
      Frame = allocate(B.getInt64(S.Bytes), B);
    return;
  }
  B.SetInsertPoint(&D.getEntryBlock(), D.getEntryBlock().begin());
  for (const Slot &Sl : S.Slots)
    FrameSlots[&Sl] = B.CreateAlloca(Sl.Ty, nullptr, "slot");
  for (const Loop *L : Plan.deferredLoops())
    for (const Slot &Sl : Plan.scope(L).Slots)
      FrameSlots[&Sl] = B.CreateAlloca(Sl.Ty, nullptr, "slot");
}

/// The count of L is stored where it is known first, not counted.
bool PrimalEmitter::countsInFront(const Loop *L) const {
  return Plan.countHome(L) != L || (Plan.isDeferred(L) && !countsItself(L));
}

void PrimalEmitter::makeLoopStorage() {
  for (Loop *L : Plan.shape().loops().getLoopsInPreorder()) {
    const Scope &S = Plan.scope(L);
    const Slot *Count = Plan.slot({Need::Count, L->getHeader()});
    // In front of the loops through which it is the same.
    if (Count && countsInFront(L)) {
      IRBuilder<> At(
          clone(Plan.countHome(L)->getLoopPreheader())->getTerminator());
      storeTo(*Count, At.CreateSub(Loops[L].Trips, At.getInt64(1)), At);
    }
    const Slot *Last = Plan.slot({Need::Last, L->getHeader()});
    if (Plan.isDeferred(L) ||
        (S.Slots.empty() && !Count && !Last && !Loops.contains(L)))
      continue;
    LoopStorage &Code = Loops[L];
    BasicBlock *Header = clone(L->getHeader());
    BasicBlock *Preheader = clone(L->getLoopPreheader());
    BasicBlock *Latch = clone(L->getLoopLatch());
    IRBuilder<> B(Header, Header->begin());
    Code.Iteration = B.CreatePHI(B.getInt64Ty(), 2, "rg.iter");
    Code.Iteration->addIncoming(B.getInt64(0), Preheader);
    IRBuilder<> AtLatch(Latch->getTerminator());
    Code.Iteration->addIncoming(
        AtLatch.CreateAdd(Code.Iteration, B.getInt64(1), "rg.next", true, true),
        Latch);
    // The last of all iterations' conditions that is true, counted from the
    // first.
    auto LastOf = [&](ArrayRef<Value *> Conditions) {
      PHINode *SoFar = B.CreatePHI(B.getInt64Ty(), 2, "rg.last");
      Value *Latest = SoFar;
      Value *First = AtLatch.CreateMul(
          Code.Iteration, B.getInt64(Conditions.size()), "", true, true);
      for (auto [I, C] : enumerate(Conditions))
        Latest = AtLatch.CreateSelect(
            C, AtLatch.CreateAdd(First, B.getInt64(I), "", true, true), Latest);
      SoFar->addIncoming(B.getInt64(-1), Preheader);
      SoFar->addIncoming(Latest, Latch);
      return Latest;
    };
    if (Last && Plan.choiceIn(L)->Running) {
      const Choice &Made = *Plan.choiceIn(L);
      Value *Before = primal(Made.Running);
      Value *Offered = primal(Made.Chosen->getOperand(Made.Offer));
      Value *Beats =
          AtLatch.CreateOr(Made.Least ? AtLatch.CreateFCmpOLT(Offered, Before)
                                      : AtLatch.CreateFCmpOGT(Offered, Before),
                           AtLatch.CreateFCmpUNO(Before, Before));
      Code.Last = LastOf(
          AtLatch.CreateOr(Beats, AtLatch.CreateFCmpOEQ(Offered, Before)));
      Code.Won = LastOf(Beats);
    } else if (Last) {
      SmallVector<Value *, 4> Taken;
      for (auto [Select, OnTrue] : Plan.choiceIn(L)->Links) {
        Value *C = primal(Select->getCondition());
        Taken.push_back(OnTrue ? C : AtLatch.CreateNot(C));
      }
      Code.Last = LastOf(Taken);
    }
    if (S.Slots.empty())
      continue;
    DebugLoc Line = Header->getTerminator()->getDebugLoc();
    if (S.IsArray) {
      IRBuilder<> At(Preheader->getTerminator());
      At.SetCurrentDebugLocation(Line);
      if (S.InFrame || (S.Nest == L && !S.Reused)) {
        Code.Base = allocateArrays(S, At);
        continue;
      }
      // Where the nest is entered there is no storage; makeNests() sees to it
      // that there is some from here on.
      Code.Nest = IRBuilder<>(&D.getEntryBlock(), D.getEntryBlock().begin())
                      .CreateAlloca(B.getPtrTy(), nullptr, "rg.nest");
      Instruction *Entered =
          S.Reused ? Code.Nest->getNextNode()
                   : clone(S.Nest->getLoopPreheader())->getTerminator();
      IRBuilder<>(Entered).CreateStore(ConstantPointerNull::get(B.getPtrTy()),
                                       Code.Nest);
      Code.Base = At.CreateLoad(B.getPtrTy(), Code.Nest, "rg.base");
      continue;
    }
    PHINode *Before = B.CreatePHI(B.getPtrTy(), 2, "rg.before");
    B.SetInsertPoint(Header, Header->getFirstInsertionPt());
    B.SetCurrentDebugLocation(Line);
    Code.Record = allocate(B.getInt64(S.Bytes), B);
    Kinds.tape(B.CreateStore(Before, Code.Record));
    Before->addIncoming(ConstantPointerNull::get(B.getPtrTy()), Preheader);
    Before->addIncoming(Code.Record, Latch);
  }
}

Value *PrimalEmitter::elements(const Scope &S, IRBuilderBase &B) {
  Value *N = nullptr;
  for (const Loop *L : S.nest()) {
    Value *Trips = Loops.find(L)->second.Trips;
    N = N ? B.CreateMul(N, Trips, "", true, true) : Trips;
  }
  return N;
}

Value *PrimalEmitter::element(const Scope &S, IRBuilderBase &B) {
  Value *At = nullptr;
  for (const Loop *L : S.nest()) {
    const LoopStorage &Code = Loops.find(L)->second;
    At = At ? B.CreateAdd(B.CreateMul(At, Code.Trips, "", true, true),
                          Code.Iteration, "", true, true)
            : Code.Iteration;
  }
  return At;
}

Value *PrimalEmitter::allocateArrays(const Scope &S, IRBuilderBase &B) {
  Value *Bytes = B.CreateAdd(B.CreateMul(elements(S, B), B.getInt64(S.Bytes)),
                             B.getInt64(ArrayHeaderBytes));
  if (S.InFrame) {
    AllocaInst *Arrays = entryAlloca(
        D,
        ArrayType::get(B.getInt8Ty(), cast<ConstantInt>(Bytes)->getZExtValue()),
        "tape.frame");
    Arrays->setAlignment(Align(16));
    Value *Base = inGenericSpace(B, Arrays);
    storeTo(*Plan.slot({Need::Records, S.Of->getHeader()}), Base, B);
    return Base;
  }
  Value *Base = allocate(Bytes, B);
  if (!Plan.shape().facts(S.Of).Exact)
    Kinds.tape(B.CreateStore(Loops.find(S.Of)->second.Trips, Base));
  storeTo(*Plan.slot({Need::Records, S.Of->getHeader()}), Base, B);
  return Base;
}

/// Storage that serves a whole nest is allocated where it is first needed: only
/// there it is sure that the counts mean something.
void PrimalEmitter::makeNests() {
  for (const Loop *L : Plan.shape().loops().getLoopsInPreorder()) {
    auto It = Loops.find(L);
    if (It == Loops.end() || !It->second.Nest)
      continue;
    auto *Base = cast<Instruction>(It->second.Base);
    IRBuilder<> B(Base);
    Value *Missing =
        B.CreateIsNull(B.CreateLoad(B.getPtrTy(), It->second.Nest));
    MDNode *Rarely = MDBuilder(D.getContext()).createUnlikelyBranchWeights();
    Instruction *Then =
        SplitBlockAndInsertIfThen(Missing, Base->getIterator(), false, Rarely);
    IRBuilder<> At(Then);
    At.SetCurrentDebugLocation(Base->getDebugLoc());
    At.CreateStore(allocateArrays(Plan.scope(L), At), It->second.Nest);
  }
}

/// Where the loop is left, its iteration count and last record go into the
/// scope around it. On each exit edge, which may leave several loops at once.
void PrimalEmitter::storeAtExits() {
  LoopInfo &LI = Plan.shape().loops();
  for (BasicBlock &P : F) {
    if (!LI.getLoopFor(&P) || !Plan.shape().isLive(&P))
      continue;
    SmallSetVector<BasicBlock *, 4> Targets;
    for (BasicBlock *S : successors(&P))
      if (Plan.shape().isLive(S))
        Targets.insert(S);
    for (BasicBlock *S : Targets) {
      SmallVector<std::pair<const Slot *, Value *>, 4> Stores;
      for (const Loop *L = LI.getLoopFor(&P); L && !L->contains(S);
           L = L->getParentLoop()) {
        auto It = Loops.find(L);
        if (It == Loops.end())
          continue;
        if (const Slot *Count = Plan.slot({Need::Count, L->getHeader()});
            Count && !countsInFront(L))
          Stores.push_back({Count, It->second.Iteration});
        if (It->second.Last)
          Stores.push_back(
              {Plan.slot({Need::Last, L->getHeader()}), It->second.Last});
        if (It->second.Won)
          Stores.push_back(
              {Plan.slot({Need::Won, L->getHeader()}), It->second.Won});
        if (It->second.Record)
          Stores.push_back(
              {Plan.slot({Need::Records, L->getHeader()}), It->second.Record});
      }
      if (Stores.empty())
        continue;
      BasicBlock *From = clone(&P), *To = clone(S);
      if (To->isLandingPad()) {
        // Nothing fits between an invoke and its pad, which is its own.
        IRBuilder<> B(To, To->getFirstInsertionPt());
        for (auto [Sl, V] : Stores)
          storeTo(*Sl, V, B);
        continue;
      }
      BasicBlock *Edge = BasicBlock::Create(D.getContext(), "rg.exit", &D, To);
      IRBuilder<> B(Edge);
      for (auto [Sl, V] : Stores)
        storeTo(*Sl, V, B);
      B.CreateBr(To);
      ExitEdges[Edge] = From;
      Instruction *T = From->getTerminator();
      for (unsigned I = 0, N = T->getNumSuccessors(); I != N; ++I)
        if (T->getSuccessor(I) == To)
          T->setSuccessor(I, Edge);
      for (PHINode &Phi : To->phis()) {
        int Index = Phi.getBasicBlockIndex(From);
        Phi.setIncomingBlock(Index, Edge);
        while ((Index = Phi.getBasicBlockIndex(From)) >= 0)
          Phi.removeIncomingValue(Index, false);
      }
    }
  }
}

Value *retrograd::recordAddress(const Scope &Of, Value *Base, Value *Element,
                                IRBuilderBase &B) {
  Value *At = B.CreateMul(Element, B.getInt64(Of.Bytes), "", true, true);
  return B.CreateInBoundsGEP(
      B.getInt8Ty(), Base,
      B.CreateAdd(At, B.getInt64(ArrayHeaderBytes), "", true, true));
}

Value *PrimalEmitter::slotAddress(const Slot &S, IRBuilderBase &B) {
  const Loop *L = Plan.scopeOf(S.Holds);
  if (!L || Plan.isDeferred(L)) {
    if (!Plan.isSplit())
      return FrameSlots.lookup(&S);
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Frame, S.Offset);
  }
  const LoopStorage &Code = Loops.find(L)->second;
  if (Code.Record)
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Code.Record, S.Offset);
  const Scope &Of = Plan.scope(L);
  if (Of.InRecords)
    return B.CreateConstInBoundsGEP1_64(
        B.getInt8Ty(), recordAddress(Of, Code.Base, element(Of, B), B),
        S.Offset);
  Value *Start = B.CreateAdd(B.CreateMul(elements(Of, B), B.getInt64(S.Offset)),
                             B.getInt64(ArrayHeaderBytes));
  Value *Array = B.CreateInBoundsGEP(B.getInt8Ty(), Code.Base, Start);
  return B.CreateInBoundsGEP(S.Ty, Array, element(Of, B));
}

void PrimalEmitter::storeTo(const Slot &S, Value *V, IRBuilderBase &B) {
  if (V->getType() != S.Ty)
    V = B.CreateZExtOrTrunc(V, S.Ty);
  Value *Address = slotAddress(S, B);
  Kinds.tape(B.CreateAlignedStore(
      V, Address,
      Plan.scope(Plan.scopeOf(S.Holds)).alignmentOf(S, D.getDataLayout())));
}

/// The shadows of all lanes, side by side.
void PrimalEmitter::storeShadows(const Slot &S, IRBuilderBase &B) {
  if (Shadows.size() == 1)
    return storeTo(S, shadow(S.Holds.Of), B);
  Type *T = S.Holds.Of->getType();
  Value *Address = slotAddress(S, B);
  forLanes([&] {
    Kinds.tape(B.CreateAlignedStore(
        shadow(S.Holds.Of), B.CreateConstInBoundsGEP1_64(T, Address, Lane),
        std::min(Align(16), D.getDataLayout().getABITypeAlign(T))));
  });
}

void PrimalEmitter::storeSlots() {
  auto StoreScope = [&](const Loop *L) {
    for (const Slot &S : Plan.scope(L).Slots) {
      Need N = S.Holds;
      IRBuilder<> B(D.getContext());
      if (N.K == Need::Count || N.K == Need::Last || N.K == Need::Won ||
          N.K == Need::Records || N.K == Need::Snapshot)
        continue; // where the loop is entered or left
      if (const auto *Block = dyn_cast<BasicBlock>(N.Of)) {
        BasicBlock *C = clone(Block);
        B.SetInsertPoint(C, C->begin());
        SmallVector<const BasicBlock *, 4> Preds = Plan.predecessorsOf(Block);
        PHINode *Which = B.CreatePHI(S.Ty, Preds.size(), "rg.pred");
        // Edges may have been split by storeAtExits: look behind those blocks.
        for (BasicBlock *P : llvm::predecessors(C)) {
          BasicBlock *Origin = P;
          if (BasicBlock *Left = ExitEdges.lookup(P))
            Origin = Left;
          unsigned Index = 0;
          while (Index != Preds.size() && clone(Preds[Index]) != Origin)
            ++Index;
          Which->addIncoming(ConstantInt::get(S.Ty, Index), P);
        }
        B.SetInsertPoint(C, C->getFirstInsertionPt());
        storeTo(S, Which, B);
        continue;
      }
      if (auto *I = const_cast<Instruction *>(dyn_cast<Instruction>(N.Of))) {
        Value *V = N.K == Need::Tape     ? Tapes.lookup(I)
                   : N.K == Need::Shadow ? shadow(I)
                                         : primal(I);
        // Behind the value itself, which may stand later than the clone of I.
        auto *Def = dyn_cast<Instruction>(V);
        if (N.K == Need::Shadow)
          forLanes([&] {
            auto *Other = dyn_cast<Instruction>(shadow(I));
            if (Def && Other && Def->getParent() == Other->getParent() &&
                Def->comesBefore(Other))
              Def = Other;
          });
        BasicBlock::iterator At = afterDefinition(Def ? Def : clone(I));
        // The record of an iteration is made behind the phis of the header.
        if (auto It = Loops.find(L);
            L && It != Loops.end() && It->second.Record) {
          auto *Made = cast<Instruction>(It->second.Record);
          if (Made->getParent() == At->getParent() && !Made->comesBefore(&*At))
            At = std::next(Made->getIterator());
        }
        B.SetInsertPoint(At->getParent(), At);
        B.SetCurrentDebugLocation(At->getDebugLoc());
        if (N.K == Need::Shadow)
          storeShadows(S, B);
        else
          storeTo(S, V, B);
        continue;
      }
      auto *A = cast<Argument>(const_cast<Value *>(N.Of));
      Instruction *After =
          Frame ? cast<Instruction>(Frame)->getNextNode()
                : &*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
      B.SetInsertPoint(After);
      if (N.K == Need::Shadow)
        storeShadows(S, B);
      else
        storeTo(S, primal(A), B);
    }
  };
  StoreScope(nullptr);
  for (const Loop *L : Plan.shape().loops().getLoopsInPreorder())
    StoreScope(L);
}
