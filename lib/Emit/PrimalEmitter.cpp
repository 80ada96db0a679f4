//===- PrimalEmitter.cpp - the primal sweep -------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shadows, and the order of the work. PrimalStorage.cpp keeps values,
// PrimalCalls.cpp has the calls.
//
//===----------------------------------------------------------------------===//

#include "Emit/PrimalEmitter.h"
#include "Catalogue/Catalogue.h"
#include "Diagnostics/RequestTrail.h"
#include "Emit/ConstantMemory.h"
#include "Emit/FormatWatch.h"
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
      // A library's own variable, of which the program knows the address alone
      // (a null request of MPI): nobody here can look into it.
      if (!G->getValueType()->isSized())
        return ConstantPointerNull::get(G->getType());
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
  FormatWatch(Plan, Services.runtime(), VMap).emitReads();
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
  makeOriginals();
  makeSnapshots();
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
  watchNumbers(I);
}

/// What may hold numbers of two formats by turns.
void PrimalEmitter::watchNumbers(Instruction &I) {
  if (!isa_and_nonnull<Instruction>(VMap.lookup(&I)))
    return;
  IRBuilder<> B(D.getContext());
  placeAfter(B, I);
  FormatWatch(Plan, Services.runtime(), VMap).emitWrites(B, I);
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
  const bool Clears = leavesNoAddress(S, Plan.facts());
  if (!Activity.hasShadow(P) || (!Plan.facts().carriesPointer(V) && !Clears))
    return;
  IRBuilder<> B(D.getContext());
  placeAfter(B, S);
  Value *Address = shadow(P);
  if (Address == primal(P))
    return;
  if (Plan.facts().mayReplace(S))
    notePlaces(B, Address,
               B.getInt64(D.getDataLayout().getTypeStoreSize(V->getType())));
  if (Clears) {
    B.CreateAlignedStore(
        Constant::getNullValue(V->getType()), Address,
        shadowAlign(V->getType(), S.getAlign(), D.getDataLayout()));
    return;
  }
  if (Activity.isMixed(P)) {
    // Never write a shadow over the primal: send it where nobody looks.
    IRBuilder<> Entry(&D.getEntryBlock(), D.getEntryBlock().begin());
    AllocaInst *Nowhere = Entry.CreateAlloca(V->getType(), nullptr, "nowhere");
    Address = B.CreateSelect(B.CreateICmpEQ(Address, primal(P)),
                             inGenericSpace(B, Nowhere), Address);
  }
  const uint64_t Size =
      D.getDataLayout().getTypeStoreSize(V->getType()).getFixedValue();
  const WordShadow Kept = shadowOfWords(S, Plan.facts());
  auto DropIntegers = [&](uint64_t Offset, uint64_t Bytes) {
    if (Kept == WordShadow::AddressesOnly)
      B.CreateCall(Services.runtime().require("rg_adjoint_zero_shared"),
                   {Address, ConstantPointerNull::get(B.getPtrTy()),
                    B.getInt64(Size), B.getInt64(Offset), B.getInt64(0),
                    B.getInt64(Bytes)});
  };
  if (Plan.facts().shape(V).Floats.empty()) {
    B.CreateAlignedStore(
        Kept == WordShadow::Zero ? Constant::getNullValue(V->getType())
                                 : shadow(V),
        Address, shadowAlign(V->getType(), S.getAlign(), D.getDataLayout()));
    DropIntegers(0, Size);
    return;
  }
  // Floats beside pointers: the bytes of their adjoints must stay untouched.
  IRBuilder<> Entry(&D.getEntryBlock(), D.getEntryBlock().begin());
  AllocaInst *Whole = Entry.CreateAlloca(V->getType(), nullptr, "mixed.sh");
  B.CreateStore(shadow(V), Whole);
  for (const TypedLeaf &L : Plan.facts().types().leavesOf(V))
    if (L.Kind.K == ByteKind::Pointer) {
      B.CreateMemCpy(
          B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Address, L.Offset),
          commonAlignment(S.getAlign(), L.Offset),
          B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Whole, L.Offset),
          MaybeAlign(), L.Size);
      DropIntegers(L.Offset, L.Size);
    }
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
