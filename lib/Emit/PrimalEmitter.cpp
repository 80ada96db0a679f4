//===- PrimalEmitter.cpp - the primal sweep -------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/PrimalEmitter.h"
#include "Catalogue/Catalogue.h"
#include "Diagnostics/RequestTrail.h"
#include "Emit/ConstantMemory.h"
#include "Emit/FunctionShell.h"
#include "Rules/Rules.h"
#include "Rules/Transfer.h"
#include "Target/Target.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Shadows of constants. A constant that holds pointers to variables with
/// shadows, such as the table that LLVM makes of a local array of pointers, has
/// a constant shadow that holds the pointers to these; any other constant is
/// its own.
class ConstantShadows {
public:
  ConstantShadows(const ActivityAnalysis &A, EmitServices &S, unsigned Lane)
      : A(A), S(S), Lane(Lane) {}

  Constant *of(Constant &C) {
    if (auto *G = dyn_cast<GlobalVariable>(&C)) {
      if (!A.hasShadow(G))
        return G;
      return G->isConstant() ? ofTable(*G) : S.shadowOf(*G, Lane);
    }
    if (!isa<ConstantExpr, ConstantAggregate>(C))
      return &C;
    SmallVector<Constant *, 8> Ops;
    bool Changed = false;
    for (Use &U : C.operands()) {
      Ops.push_back(of(*cast<Constant>(U.get())));
      Changed |= Ops.back() != U.get();
    }
    if (!Changed)
      return &C;
    if (auto *E = dyn_cast<ConstantExpr>(&C))
      return E->getWithOperands(Ops);
    if (auto *Array = dyn_cast<ConstantArray>(&C))
      return ConstantArray::get(Array->getType(), Ops);
    if (auto *Struct = dyn_cast<ConstantStruct>(&C))
      return ConstantStruct::get(Struct->getType(), Ops);
    return ConstantVector::get(Ops);
  }

private:
  Constant *ofTable(GlobalVariable &G) {
    // A table that leads to itself stays what it is there.
    if (!G.hasDefinitiveInitializer() || !Within.insert(&G).second)
      return &G;
    Constant *Shadows = of(*G.getInitializer());
    Within.erase(&G);
    return Shadows == G.getInitializer() ? &G : S.shadowTable(G, *Shadows);
  }

  const ActivityAnalysis &A;
  EmitServices &S;
  unsigned Lane;
  SmallPtrSet<GlobalVariable *, 4> Within;
};

} // namespace

Constant *retrograd::shadowOfConstant(Constant &C, const ActivityAnalysis &A,
                                      EmitServices &S, unsigned Lane) {
  return A.hasShadow(&C) ? ConstantShadows(A, S, Lane).of(C) : &C;
}

PrimalEmitter::PrimalEmitter(const DerivativePlan &Plan, Function &D,
                             EmitServices &Services)
    : Plan(Plan), Activity(Plan.activity()), F(Plan.primal()), D(D),
      Services(Services), Kinds(D.getContext(), Plan.options().AliasScopes) {
  clonePrimal(D, F, Plan.request(), VMap, Shadows);
  if (Plan.options().AliasScopes)
    keepRestrict(F, VMap, Shadows);
  for (Instruction &I : instructions(D))
    if (isa<LoadInst>(I) || isa<StoreInst>(I))
      Kinds.primal(&I);
}

bool PrimalEmitter::run() {
  for (BasicBlock &B : D)
    if (auto *R = dyn_cast<ReturnInst>(B.getTerminator())) {
      if (Return)
        return false; // preparation joins returns
      Return = R;
    }
  if (!expandBounds())
    return false;
  for (const Loop *L : Plan.deferredLoops())
    if (Plan.runsAgain(L))
      copyFirstRun(*L);
  beginTape();
  makeFrame();
  for (auto &[L, Run] : FirstRuns)
    keepStarts(*L, Run);
  makeLoopStorage();
  makeShadows();
  storeAtExits();
  storeSlots();
  makeNests();
  for (const StoreInst *S : Plan.unneededStores()) {
    for (auto &[L, Run] : FirstRuns)
      if (L->contains(S))
        cast<Instruction>(Run.Copies.lookup(clone(S)))->eraseFromParent();
    clone(S)->eraseFromParent();
  }
  for (const StoreInst *S : Plan.onceStores())
    clone(S)->eraseFromParent();
  return true;
}

/// L as it is in the primal stays in the primal sweep, as a copy; what is made
/// of L itself moves into the reverse sweep (ReverseEmitter::moveHere), which
/// connects the copy.
void PrimalEmitter::copyFirstRun(const Loop &L) {
  FirstRun &Run = FirstRuns[&L];
  ValueToValueMapTy Copies;
  SmallVector<BasicBlock *, 8> Blocks;
  for (const BasicBlock *Block : L.blocks()) {
    BasicBlock *Original = clone(Block);
    BasicBlock *Copy = CloneBasicBlock(Original, Copies, ".first", &D);
    Copies[Original] = Copy;
    Blocks.push_back(Copy);
  }
  remapInstructionsInBlocks(Blocks, Copies);
  for (auto [From, To] : Copies)
    Run.Copies[From] = To;
  Run.After = BasicBlock::Create(D.getContext(), "rg.after", &D);
  IRBuilder<>(Run.After).CreateUnreachable();
  cast<BasicBlock>(Run.Copies.lookup(clone(L.getLoopLatch())))
      ->getTerminator()
      ->replaceSuccessorWith(clone(L.getExitBlock()), Run.After);
}

/// What the iterations of the first run start from, one record each.
void PrimalEmitter::keepStarts(const Loop &L, FirstRun &Run) {
  const DataLayout &DL = D.getDataLayout();
  uint64_t Bytes = 0;
  for (const PHINode &Phi : L.getHeader()->phis())
    if (!Plan.isComputedPhi(Phi)) {
      Type *T = Phi.getType();
      Bytes =
          alignTo(Bytes, std::min<uint64_t>(16, DL.getABITypeAlign(T).value()));
      Run.Offsets[&Phi] = Bytes;
      Bytes += DL.getTypeAllocSize(T).getFixedValue();
    }
  if (!Bytes)
    return;
  Run.Bytes = alignTo(Bytes, 16);
  IRBuilder<> Entry(&D.getEntryBlock(), D.getEntryBlock().begin());
  Run.Base = Entry.CreateAlloca(Entry.getPtrTy(), nullptr, "rg.starts");
  IRBuilder<> B(clone(L.getLoopPreheader())->getTerminator());
  Value *Base =
      allocate(B.CreateMul(Loops[&L].Trips, B.getInt64(Run.Bytes)), B);
  B.CreateStore(Base, Run.Base);

  auto *Header = cast<BasicBlock>(Run.Copies.lookup(clone(L.getHeader())));
  auto *Latch = cast<BasicBlock>(Run.Copies.lookup(clone(L.getLoopLatch())));
  B.SetInsertPoint(Header, Header->begin());
  PHINode *Iteration = B.CreatePHI(B.getInt64Ty(), 2, "rg.iter");
  Iteration->addIncoming(B.getInt64(0), clone(L.getLoopPreheader()));
  IRBuilder<> AtLatch(Latch->getTerminator());
  Iteration->addIncoming(
      AtLatch.CreateAdd(Iteration, B.getInt64(1), "rg.next", true, true),
      Latch);
  B.SetInsertPoint(Header, Header->getFirstInsertionPt());
  for (auto [Phi, Offset] : Run.Offsets)
    Kinds.tape(B.CreateAlignedStore(
        Run.Copies.lookup(clone(Phi)), startOf(Run, Base, Iteration, Offset, B),
        std::min(Align(16), DL.getABITypeAlign(Phi->getType()))));
}

Value *PrimalEmitter::startOf(const FirstRun &Run, Value *Base,
                              Value *Iteration, uint64_t Offset,
                              IRBuilderBase &B) {
  Value *Record = B.CreateInBoundsGEP(
      B.getInt8Ty(), Base, B.CreateMul(Iteration, B.getInt64(Run.Bytes)));
  return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Record, Offset);
}

Value *PrimalEmitter::start(const PHINode &Phi, const Loop &L, Value *Iteration,
                            IRBuilderBase &B) {
  const FirstRun &Run = FirstRuns.find(&L)->second;
  Value *Base = B.CreateLoad(B.getPtrTy(), Run.Base, "rg.base");
  Type *T = Phi.getType();
  LoadInst *Kept = B.CreateAlignedLoad(
      T, startOf(Run, Base, Iteration, Run.Offsets.find(&Phi)->second, B),
      std::min(Align(16), D.getDataLayout().getABITypeAlign(T)));
  Kinds.tape(Kept);
  return Kept;
}

void PrimalEmitter::connectFirstRun(const Loop &L) {
  FirstRun &Run = FirstRuns.find(&L)->second;
  BasicBlock *Before = clone(L.getLoopPreheader()),
             *Header = clone(L.getHeader()), *Latch = clone(L.getLoopLatch()),
             *After = clone(L.getExitBlock());
  auto *FirstHeader = cast<BasicBlock>(Run.Copies.lookup(Header));
  auto *FirstLatch = cast<BasicBlock>(Run.Copies.lookup(Latch));
  Before->getTerminator()->replaceSuccessorWith(Header, FirstHeader);
  FirstLatch->getTerminator()->replaceSuccessorWith(Run.After, After);
  Run.After->eraseFromParent();
  for (PHINode &Phi : After->phis()) {
    int From = Phi.getBasicBlockIndex(Latch);
    Phi.setIncomingBlock(From, FirstLatch);
    if (Value *Copy = Run.Copies.lookup(Phi.getIncomingValue(From)))
      Phi.setIncomingValue(From, Copy);
  }
}

void PrimalEmitter::returnTape() {
  if (!Return)
    return;
  IRBuilder<> B(Return);
  const ReturnInst *Original = nullptr;
  for (const BasicBlock &Block : F)
    if (auto *R = dyn_cast<ReturnInst>(Block.getTerminator()))
      Original = R;
  SmallVector<Value *, 3> Members{
      Frame ? Frame : ConstantPointerNull::get(B.getPtrTy())};
  if (Plan.request().ReturnPrimal && Original->getReturnValue())
    Members.push_back(Return->getReturnValue());
  if (Plan.request().ShadowReturn)
    forLanes([&] { Members.push_back(shadow(Original->getReturnValue())); });
  Value *Result = PoisonValue::get(D.getReturnType());
  for (auto [I, V] : enumerate(Members))
    Result = B.CreateInsertValue(Result, V, I);
  B.CreateRet(Result);
  Return->eraseFromParent();
}

Value *PrimalEmitter::primal(const Value *V) const {
  auto It = VMap.find(V);
  if (It != VMap.end())
    return It->second;
  return const_cast<Value *>(V); // constants map to themselves
}

void PrimalEmitter::forLanes(function_ref<void()> Body) {
  for (Lane = 0; Lane != Shadows.size(); ++Lane)
    Body();
  Lane = 0;
}

Value *PrimalEmitter::shadow(const Value *V, unsigned Lane) {
  if (!Activity.hasShadow(V))
    return primal(V);
  if (auto *C = dyn_cast<Constant>(V))
    return shadowOfConstant(*const_cast<Constant *>(C), Activity, Services,
                            Lane);
  auto It = Shadows[Lane].find(V);
  // What has no shadow of its own made for it (an argument that the user calls
  // constant) is its own.
  return It == Shadows[Lane].end() ? primal(V) : It->second;
}

BasicBlock *PrimalEmitter::clone(const BasicBlock *B) const {
  return cast<BasicBlock>(primal(B));
}

void PrimalEmitter::placeAfter(IRBuilderBase &B, Instruction &I) {
  Instruction *C = clone(&I);
  BasicBlock::iterator At = afterDefinition(C);
  B.SetInsertPoint(At->getParent(), At);
  B.SetCurrentDebugLocation(C->getDebugLoc());
}

Value *PrimalEmitter::allocate(Value *Bytes, IRBuilderBase &B, uint64_t Align) {
  Function *Alloc = Services.runtime().require("rg_tape_alloc");
  if (Align <= 16)
    return B.CreateCall(Alloc, {Arena, Bytes});
  Value *P =
      B.CreateCall(Alloc, {Arena, B.CreateAdd(Bytes, B.getInt64(Align))});
  Value *Up = B.CreateConstGEP1_64(B.getInt8Ty(), P, Align - 1);
  return B.CreateIntrinsic(Intrinsic::ptrmask, {B.getPtrTy(), B.getInt64Ty()},
                           {Up, B.getInt64(-Align)});
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

/// Computes, in the preheader of each array loop, how often its header can run.
/// The clone is still exactly the primal, so its own analyses give the bounds
/// that the plan saw.
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
    bool StoresCount =
        countsInFront(L) && Plan.slot({Need::Count, L->getHeader()});
    if (!InNests.contains(L) && !StoresCount && !Plan.runsAgain(L))
      continue;
    Loop *Clone = LI.getLoopFor(clone(L->getHeader()));
    if (!Clone || !Shape.facts(Clone).BackedgeBound)
      return false;
    Instruction *At =
        clone(Plan.countHome(L)->getLoopPreheader())->getTerminator();
    SCEVExpander Expander(SE, "rg.trips");
    Value *Count =
        Expander.expandCodeFor(Shape.facts(Clone).BackedgeBound, nullptr, At);
    IRBuilder<> B(At);
    Loops[L].Trips =
        B.CreateAdd(B.CreateZExt(Count, B.getInt64Ty()), B.getInt64(1));
  }
  return true;
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
  constexpr uint64_t StateBytes = 64; // runtime/gpu/arena.c needs 56
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
  return Plan.countHome(L) != L || Plan.isDeferred(L);
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
    // The last iteration in which C is true.
    auto LastWith = [&](Value *C) {
      PHINode *SoFar = B.CreatePHI(B.getInt64Ty(), 2, "rg.last");
      Value *Latest = AtLatch.CreateSelect(C, Code.Iteration, SoFar);
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
      Code.Last = LastWith(
          AtLatch.CreateOr(Beats, AtLatch.CreateFCmpOEQ(Offered, Before)));
      Code.Won = LastWith(Beats);
    } else if (Last) {
      const Choice &Made = *Plan.choiceIn(L);
      Value *C = primal(cast<SelectInst>(Made.Chosen)->getCondition());
      Code.Last = LastWith(Made.OnTrue ? C : AtLatch.CreateNot(C));
    }
    if (S.Slots.empty())
      continue;
    DebugLoc Line = Header->getTerminator()->getDebugLoc();
    if (S.IsArray) {
      IRBuilder<> At(Preheader->getTerminator());
      At.SetCurrentDebugLocation(Line);
      if (S.Nest == L && !S.Reused) {
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
      std::min(Align(16), D.getDataLayout().getABITypeAlign(S.Ty))));
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
          N.K == Need::Records)
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

//===----------------------------------------------------------------------===//
// Shadows
//===----------------------------------------------------------------------===//

void PrimalEmitter::makeShadows() {
  ReversePostOrderTraversal<Function *> Order(&F);
  // Phis first: they may name shadows that come later.
  for (BasicBlock *B : Order)
    if (Plan.shape().isLive(B))
      for (PHINode &Phi : B->phis())
        if (Activity.hasShadow(&Phi)) {
          PHINode *C = cast<PHINode>(clone(&Phi));
          IRBuilder<> At(C);
          forLanes([&] {
            shadowSlot(&Phi) =
                At.CreatePHI(Phi.getType(), Phi.getNumIncomingValues(),
                             Phi.getName() + ".sh");
          });
        }
  for (BasicBlock *B : Order)
    if (Plan.shape().isLive(B))
      for (Instruction &I : *B)
        makeShadow(I);
  for (BasicBlock *B : Order)
    if (Plan.shape().isLive(B))
      for (PHINode &Phi : B->phis())
        if (Activity.hasShadow(&Phi)) {
          auto *C = cast<PHINode>(clone(&Phi));
          forLanes([&] {
            auto *S = cast<PHINode>(shadowSlot(&Phi));
            for (unsigned I = 0, N = Phi.getNumIncomingValues(); I != N; ++I)
              S->addIncoming(shadow(Phi.getIncomingValue(I)),
                             C->getIncomingBlock(I));
          });
        }
}

void PrimalEmitter::makeShadow(Instruction &I) {
  if (auto *S = dyn_cast<StoreInst>(&I)) {
    forLanes([&] { emitStore(*S); });
    return watch(I);
  }
  if (auto *C = dyn_cast<CallBase>(&I))
    return emitCall(*C);
  if (isa<LoadInst>(I))
    watch(I);
  if (auto *A = dyn_cast<AllocaInst>(&I))
    return emitAlloca(*A);
  if (isa<PHINode>(I) || I.getType()->isVoidTy() || !Activity.hasShadow(&I))
    return;
  IRBuilder<> B(D.getContext());
  placeAfter(B, I);
  forLanes([&] { shadowSlot(&I) = replay(I, B); });
}

/// Accesses of memory that may have no shadow at run time.
void PrimalEmitter::watch(Instruction &I) {
  IRBuilder<> B(D.getContext());
  placeAfter(B, I);
  watchAccess(B, I, Activity, Services.runtime(),
              {[&](const Value *V) { return primal(V); },
               [&](const Value *V) { return shadow(V); }});
}

/// The instruction I over shadows: what it does to pointers, done to theirs.
Value *PrimalEmitter::replay(Instruction &I, IRBuilderBase &B) {
  if (isa<LandingPadInst>(I) || isa<VAArgInst>(I) || I.isAtomic())
    return primal(&I);
  Instruction *C = clone(&I)->clone();
  for (auto [N, U] : enumerate(I.operands()))
    C->setOperand(N, shadow(U.get()));
  C->dropUnknownNonDebugMetadata();
  if (auto *L = dyn_cast<LoadInst>(C))
    L->setAlignment(
        shadowAlign(L->getType(), L->getAlign(), D.getDataLayout()));
  // What was promised of the primal value need not hold of its shadow.
  C->dropPoisonGeneratingFlags();
  B.Insert(C, I.getName() + ".sh");
  return C;
}

void PrimalEmitter::emitStore(StoreInst &S) {
  const Value *P = S.getPointerOperand(), *V = S.getValueOperand();
  if (!Activity.hasShadow(P) || !Plan.facts().carriesPointer(V))
    return;
  IRBuilder<> B(D.getContext());
  placeAfter(B, S);
  Value *Address = shadow(P);
  if (Address == primal(P))
    return;
  if (Activity.isMixed(P)) {
    // Never write a shadow over the primal: send it where nobody looks.
    IRBuilder<> Entry(&D.getEntryBlock(), D.getEntryBlock().begin());
    AllocaInst *Nowhere = Entry.CreateAlloca(V->getType(), nullptr, "nowhere");
    Address = B.CreateSelect(B.CreateICmpEQ(Address, primal(P)),
                             inGenericSpace(B, Nowhere), Address);
  }
  if (Plan.facts().shape(V).Floats.empty()) {
    B.CreateAlignedStore(
        shadow(V), Address,
        shadowAlign(V->getType(), S.getAlign(), D.getDataLayout()));
    return;
  }
  // Floats beside pointers: the bytes of their adjoints must stay untouched.
  IRBuilder<> Entry(&D.getEntryBlock(), D.getEntryBlock().begin());
  AllocaInst *Whole = Entry.CreateAlloca(V->getType(), nullptr, "mixed.sh");
  B.CreateStore(shadow(V), Whole);
  for (const TypedLeaf &L : Plan.facts().types().leavesOf(V))
    if (L.Kind.K == ByteKind::Pointer)
      B.CreateMemCpy(
          B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Address, L.Offset),
          commonAlignment(S.getAlign(), L.Offset),
          B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Whole, L.Offset),
          MaybeAlign(), L.Size);
}

void PrimalEmitter::emitAlloca(AllocaInst &A) {
  bool Static = A.isStaticAlloca();
  bool Shadowed = Activity.hasShadow(&A);
  AllocaInst *C = cast<AllocaInst>(clone(&A));
  const DataLayout &DL = D.getDataLayout();
  uint64_t Unit = DL.getTypeAllocSize(A.getAllocatedType()).getFixedValue();
  IRBuilder<> B(C);
  if (Static && !Plan.isSplit()) {
    if (!Shadowed)
      return;
    forLanes([&] {
      auto *Sh = cast<AllocaInst>(C->clone());
      Sh->insertAfter(C->getIterator());
      Sh->setName(A.getName() + ".sh");
      shadowSlot(&A) = Sh;
      // Not between the allocas at the top, which have to stay together.
      auto *Begin = cast<Instruction>(Arena);
      B.SetInsertPoint(Begin->comesBefore(Sh) ? Sh->getNextNode()
                                              : Begin->getNextNode());
      Value *Bytes = B.getInt64(
          Unit * cast<ConstantInt>(A.getArraySize())->getZExtValue());
      B.CreateMemSet(Sh, B.getInt8(0), Bytes, Sh->getAlign());
    });
    return;
  }
  // Memory that must live until the reverse sweep: from the arena.
  if (Static) // once per call, behind the frame that may keep the address
    B.SetInsertPoint(Frame ? cast<Instruction>(Frame)->getNextNode()
                           : &*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  B.SetCurrentDebugLocation(C->getDebugLoc());
  Value *Bytes = B.CreateMul(
      B.CreateZExtOrTrunc(C->getArraySize(), B.getInt64Ty()), B.getInt64(Unit));
  Value *P = allocate(Bytes, B, A.getAlign().value());
  if (Shadowed)
    forLanes([&] {
      Value *Sh = allocate(Bytes, B, A.getAlign().value());
      B.CreateMemSet(Sh, B.getInt8(0), Bytes, A.getAlign());
      shadowSlot(&A) = Sh;
    });
  C->replaceAllUsesWith(P);
  VMap[&A] = P;
  C->eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void PrimalEmitter::emitCall(CallBase &C) {
  switch (Plan.action(C)) {
  case CallAction::Allocate:
    return forLanes([&] { emitAllocation(C); });
  case CallAction::Free:
    return emitFree(C);
  case CallAction::Memory:
    forLanes([&] { emitTransfer(C); });
    return watch(C);
  case CallAction::Realloc:
    return emitRealloc(C);
  case CallAction::Tape:
    return emitTapeScope(C);
  case CallAction::Derivative:
    return emitDerivativeCall(C);
  case CallAction::Primal:
  case CallAction::Drop:
  case CallAction::Formula:
    if (const OperationRecord *R = Services.catalogue().lookup(C);
        R && R->Handler == HandlerKind::Reach)
      return emitReach(C);
    // A pointer from outside has no shadow but itself.
    if (!C.getType()->isVoidTy() && Activity.hasShadow(&C))
      forLanes([&] { shadowSlot(&C) = primal(&C); });
    if (const Value *O = renewedHolder(C, Activity.facts());
        O && Activity.hasShadow(O)) {
      IRBuilder<> B(D.getContext());
      placeAfter(B, C);
      Value *Renewed = B.CreateLoad(B.getPtrTy(), primal(O));
      forLanes([&] { B.CreateStore(Renewed, shadow(O)); });
    }
    emitLife(C);
    return;
  }
}

/// A string begins or ends: so does the one in the shadow, which is empty or
/// the caller's.
void PrimalEmitter::emitLife(CallBase &C) {
  const OperationRecord *R = Services.catalogue().lookup(C);
  if (!R || R->Class != RuleClass::Inactive || R->Shadow.empty() ||
      !Activity.hasShadow(C.getArgOperand(0)))
    return;
  const Value *O = C.getArgOperand(0);
  IRBuilder<> B(clone(&C));
  Value *Own =
      Activity.isMixed(O) ? primal(O) : ConstantPointerNull::get(B.getPtrTy());
  forLanes([&] {
    B.CreateCall(Services.runtime().require(R->Shadow), {shadow(O), Own});
  });
}

/// A thread tells where the adjoints lie.
void PrimalEmitter::emitReach(CallBase &C) {
  auto *Clone = cast<CallBase>(clone(&C));
  const Value *P = C.getArgOperand(0);
  if (Plan.addsWithinReach() && Activity.hasShadow(P))
    Clone->setArgOperand(0, shadow(P));
  else
    Clone->eraseFromParent();
}

void PrimalEmitter::emitAllocation(CallBase &C) {
  const OperationRecord &R = *Services.catalogue().lookup(C);
  auto *Clone = cast<CallBase>(clone(&C));
  IRBuilder<> B(D.getContext());
  placeAfter(B, C);
  if (R.ShadowBehind) {
    shadowSlot(&C) = shadowBehind(*Clone, R, Lane, B);
    return;
  }
  SmallVector<Value *, 3> Args(Clone->args());
  auto *Sh = R.Shadow.empty()
                 ? B.CreateCall(Clone->getFunctionType(),
                                Clone->getCalledOperand(), Args)
                 : B.CreateCall(Services.runtime().require(R.Shadow), Args);
  Sh->setName(C.getName() + ".sh");
  Sh->setAttributes(Clone->getAttributes());
  Sh->setCallingConv(Clone->getCallingConv());
  shadowSlot(&C) = Sh;
  if (R.ZeroFills || !R.Shadow.empty())
    return;
  Value *Bytes = B.getInt64(1);
  for (unsigned A : R.SizeArgs)
    Bytes = B.CreateMul(Bytes, B.CreateZExtOrTrunc(Args[A], B.getInt64Ty()));
  B.CreateMemSet(Sh, B.getInt8(0), Bytes, MaybeAlign(8));
}

void PrimalEmitter::emitFree(CallBase &C) {
  const OperationRecord &R = *Services.catalogue().lookup(C);
  auto *Clone = cast<CallBase>(clone(&C));
  IRBuilder<> B(Clone);
  const Value *P = C.getArgOperand(R.FreedArg);
  FunctionCallee Dealloc = D.getParent()->getOrInsertFunction(
      R.Deallocator.empty() ? directCallee(C)->getName() : R.Deallocator,
      FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false));
  forLanes([&] {
    B.CreateCall(Services.runtime().require(Lane ? "rg_defer_free_shadow"
                                                 : "rg_defer_free_both"),
                 {Arena, primal(P),
                  Activity.hasShadow(P) ? shadow(P) : primal(P),
                  Dealloc.getCallee()});
  });
  if (auto *Inv = dyn_cast<InvokeInst>(Clone)) {
    B.CreateBr(Inv->getNormalDest());
    Inv->getUnwindDest()->removePredecessor(Inv->getParent());
  }
  Clone->eraseFromParent();
}

/// A derivative inside of the primal. All that it tapes has to last until our
/// own reverse sweep, so its scopes become one with ours: it allocates from our
/// arena, and what it frees late is freed when ours is.
void PrimalEmitter::emitTapeScope(CallBase &C) {
  auto *Clone = cast<CallBase>(clone(&C));
  switch (Services.catalogue().lookup(C)->Handler) {
  case HandlerKind::TapeBegin:
    Clone->replaceAllUsesWith(Arena);
    VMap[&C] = Arena;
    Clone->eraseFromParent();
    return;
  case HandlerKind::TapeEnd:
    Clone->eraseFromParent();
    return;
  default:
    const Value *P = C.getArgOperand(1);
    if (!Activity.hasShadow(P))
      return;
    forLanes([&] {
      IRBuilder<> B(Clone);
      B.CreateCall(Services.runtime().require("rg_defer_shadow"),
                   {Arena, primal(P), shadow(P), Clone->getArgOperand(2)});
    });
  }
}

void PrimalEmitter::emitTransfer(CallBase &C) {
  Transfer T = transferOf(C, Services.catalogue());
  if (!C.getType()->isVoidTy() && Activity.hasShadow(&C))
    shadowSlot(&C) = shadow(T.Dest);
  if (!Activity.hasShadow(T.Dest))
    return;
  IRBuilder<> B(D.getContext());
  placeAfter(B, C);
  TransferShape S = transferShape(C, T.Dest, T.Source, T.Length, Plan.facts());
  Value *Dest = shadow(T.Dest);
  if (Dest == primal(T.Dest))
    return;
  Value *DestPrimal = Activity.isMixed(T.Dest)
                          ? primal(T.Dest)
                          : ConstantPointerNull::get(B.getPtrTy());
  Value *Bytes = B.CreateZExtOrTrunc(primal(T.Length), B.getInt64Ty());
  RuntimeLibrary &RT = Services.runtime();
  Value *Source = T.Source ? shadow(T.Source) : nullptr, *From = Source;
  if (Source && movesInterfere(T, S, mayHoldPointers))
    From =
        B.CreateCall(RT.require("rg_apart"), {Source, Dest, DestPrimal, Bytes});
  for (const TypedLeaf &L : make_filter_range(S.Leaves, mayHoldPointers)) {
    LeafRange R = leafRange(B, S, L, Bytes);
    if (Source)
      B.CreateCall(RT.require(isShared(L)  ? "rg_shadow_move_shared"
                              : T.OnDevice ? "rg_gpu_shadow_move_pointers"
                                           : "rg_shadow_move_pointers"),
                   {Dest, DestPrimal, From, Bytes, R.Offset, R.Period, R.Run});
    else
      emitClear(
          B, [&](StringRef Name) { return RT.require(Name); }, Dest, DestPrimal,
          Bytes, R, T.OnDevice);
  }
  if (From != Source)
    B.CreateCall(RT.require("rg_apart_end"), {From, Source});
}

void PrimalEmitter::emitRealloc(CallBase &C) {
  auto *Clone = cast<CallBase>(clone(&C));
  IRBuilder<> B(Clone);
  const Value *Old = C.getArgOperand(0);
  Value *Bytes = B.CreateZExtOrTrunc(Clone->getArgOperand(1), B.getInt64Ty());
  Value *P = B.CreateCall(Services.runtime().require("rg_tape_realloc"),
                          {Arena, primal(Old), Bytes}, C.getName());
  // What the old block had beyond the size that was asked for comes along, and
  // nobody cleared its shadow. Pointers there are written before they are read;
  // adjoints are added to.
  Transfer T = transferOf(C, Services.catalogue());
  TransferShape S = transferShape(C, T.Dest, T.Source, T.Length, Plan.facts());
  RuntimeLibrary &RT = Services.runtime();
  forLanes([&] {
    Value *Sh = B.CreateCall(RT.require("rg_shadow_realloc"),
                             {Arena, shadow(Old), primal(Old), P, Bytes},
                             C.getName() + ".sh");
    shadowSlot(&C) = Sh;
    Constant *Own = ConstantPointerNull::get(B.getPtrTy());
    for (const TypedLeaf &L : S.Leaves) {
      LeafRange R = leafRange(B, S, L, Bytes);
      if (isShared(L) && mayHoldPointers(L))
        B.CreateCall(RT.require("rg_adjoint_zero_shared"),
                     {Sh, Own, Bytes, R.Offset, R.Period, R.Run});
      else if (L.Kind.K == ByteKind::Float || isShared(L))
        emitClear(
            B, [&](StringRef Name) { return RT.require(Name); }, Sh, Own, Bytes,
            R);
    }
  });
  Clone->replaceAllUsesWith(P);
  VMap[&C] = P;
  if (auto *Inv = dyn_cast<InvokeInst>(Clone)) {
    B.CreateBr(Inv->getNormalDest());
    Inv->getUnwindDest()->removePredecessor(Inv->getParent());
  }
  Clone->eraseFromParent();
}

void PrimalEmitter::emitDerivativeCall(CallBase &C) {
  DerivativeRequest R = Plan.calleeRequest(C);
  Function *Augmented = Services.derivative(R);
  auto *Clone = cast<CallBase>(clone(&C));
  SmallVector<Value *, 8> Args{Arena};
  for (auto [N, A] : enumerate(C.args())) {
    Args.push_back(Clone->getArgOperand(N));
    if (R.Args[N] == ArgActivity::Dup)
      forLanes([&] { Args.push_back(shadow(A)); });
  }
  IRBuilder<> B(Clone);
  CallBase *Call;
  if (auto *Inv = dyn_cast<InvokeInst>(Clone))
    Call = B.CreateInvoke(Augmented, Inv->getNormalDest(), Inv->getUnwindDest(),
                          Args);
  else
    Call = B.CreateCall(Augmented, Args);
  BasicBlock::iterator At = afterDefinition(Call);
  B.SetInsertPoint(At->getParent(), At);
  B.SetCurrentDebugLocation(Clone->getDebugLoc());
  unsigned Next = 0;
  Tapes[&C] = B.CreateExtractValue(Call, Next++, C.getName() + ".tape");
  if (!C.getType()->isVoidTy()) {
    Value *P = B.CreateExtractValue(Call, Next++, C.getName());
    Clone->replaceAllUsesWith(P);
    VMap[&C] = P;
  }
  if (R.ShadowReturn)
    forLanes([&] {
      shadowSlot(&C) = B.CreateExtractValue(Call, Next++, C.getName() + ".sh");
    });
  Clone->eraseFromParent();
}
