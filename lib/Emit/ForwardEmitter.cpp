//===- ForwardEmitter.cpp - the tangent sweep -----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/ForwardEmitter.h"
#include "Catalogue/AccessTags.h"
#include "Catalogue/Catalogue.h"
#include "Emit/ConstantMemory.h"
#include "Emit/FormatWatch.h"
#include "Emit/FormulaEmitter.h"
#include "Emit/FunctionShell.h"
#include "Emit/PrimalEmitter.h"
#include "Emit/StrictFloat.h"
#include "Rules/LaneVectors.h"
#include "Rules/MessageShape.h"
#include "Rules/Rules.h"
#include "Rules/TangentKinds.h"
#include "Rules/Transfer.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

ForwardEmitter::ForwardEmitter(const DerivativePlan &Plan,
                               const LaneLayout *Layout, Function &D,
                               EmitServices &Services)
    : Plan(Plan), Layout(Layout), Activity(Plan.activity()), F(Plan.primal()),
      D(D), Services(Services), B(D.getContext()),
      Kinds(D.getContext(), Plan.request().Width, Plan.options().AliasScopes) {
  clonePrimal(D, F, Plan.request(), VMap, Companions);
  if (Plan.options().AliasScopes)
    keepRestrict(F, VMap, Companions);
  B.SetInsertPoint(&*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (Argument &A : F.args())
    pack(&A);
  for (Instruction &I : instructions(D))
    if (isa<LoadInst>(I) || isa<StoreInst>(I))
      Kinds.primal(&I);
  Contracts = Plan.options().Contract && contracts(F);
  beginStrict(B, F);
  if (Layout)
    D.addFnAttr(LanesAttribute);
}

void ForwardEmitter::run() {
  if (!isFromTape())
    FormatWatch(Plan, Services.runtime(), VMap).emitReads();
  ReversePostOrderTraversal<Function *> Order(&F);
  for (BasicBlock *Block : Order)
    if (Plan.shape().isLive(Block))
      for (PHINode &Phi : Block->phis())
        if (hasCompanion(&Phi)) {
          B.SetInsertPoint(cast<Instruction>(primal(&Phi)));
          if (isSingle(&Phi)) {
            companionSlot(&Phi) =
                B.CreatePHI(companionType(&Phi), Phi.getNumIncomingValues(),
                            Phi.getName() + ".t");
            continue;
          }
          forLanes([&] {
            companionSlot(&Phi) =
                B.CreatePHI(Phi.getType(), Phi.getNumIncomingValues(),
                            Phi.getName() + ".t");
          });
        }
  for (BasicBlock *Block : Order)
    if (Plan.shape().isLive(Block))
      for (Instruction &I : *Block)
        visit(I);
  for (BasicBlock *Block : Order)
    if (Plan.shape().isLive(Block))
      for (PHINode &Phi : Block->phis())
        if (hasCompanion(&Phi)) {
          auto *C = cast<PHINode>(primal(&Phi));
          auto Fill = [&] {
            for (unsigned I = 0, N = Phi.getNumIncomingValues(); I != N; ++I)
              cast<PHINode>(companionSlot(&Phi))
                  ->addIncoming(companionInto(Phi, Phi.getIncomingValue(I)),
                                C->getIncomingBlock(I));
          };
          AtOnce = isSingle(&Phi);
          AtOnce ? Fill() : forLanes(Fill);
          AtOnce = false;
        }
  // Blocks that end in a dead end but hold a return cannot exist: a return is
  // what makes a block live.
}

void ForwardEmitter::forLanes(function_ref<void()> Body) {
  for (Lane = 0; Lane != Companions.size(); ++Lane)
    Body();
  Lane = 0;
}

Value *ForwardEmitter::primal(const Value *V) const {
  // The map has constants, too, each as what it was.
  if (const auto *C = dyn_cast<Constant>(V))
    return withDefinedLanes(*const_cast<Constant *>(C));
  if (Value *Mapped = VMap.lookup(V))
    return Mapped;
  return const_cast<Value *>(V);
}

/// Companion of a value that has none of its own: zero where it holds floats,
/// the value itself where it holds pointers.
Value *ForwardEmitter::idle(const Value *V) {
  const ValueShape &S = Plan.facts().shape(V);
  if (AtOnce && isPacked(V))
    return Constant::getNullValue(companionType(V));
  if (S.Floats.empty())
    return primal(V);
  if (!S.HasPointer)
    return Constant::getNullValue(V->getType());
  Value *X = primal(V);
  if (isa<StructType>(V->getType()))
    for (auto [I, T] : enumerate(cast<StructType>(V->getType())->elements()))
      if (T->isFPOrFPVectorTy())
        X = B.CreateInsertValue(X, Constant::getNullValue(T), I);
  return X;
}

Value *ForwardEmitter::companion(const Value *V) {
  if (!hasCompanion(V))
    return idle(V);
  if (auto *C = dyn_cast<Constant>(V))
    return shadowOfConstant(*const_cast<Constant *>(C), Activity, Services,
                            Lane);
  auto &OfLane = Companions[isSingle(V) ? 0 : Lane];
  auto It = OfLane.find(V);
  if (It == OfLane.end())
    return idle(V);
  return isPacked(V) && !AtOnce ? laneOf(It->second, V->getType()) : It->second;
}

/// The bits of a number that does not vary (2.5, where a variable number is the
/// other choice), and integers that take turns with numbers, have no tangent.
Value *ForwardEmitter::companionInto(const Instruction &I, const Value *V) {
  const ValueShape &Result = Plan.facts().shape(&I);
  if (!V->getType()->isIntOrIntVectorTy() || Result.Floats.empty() ||
      Result.HasPointer)
    return companion(V);
  if (!isa<Constant>(V) && (hasCompanion(V) || Plan.facts().carriesPointer(V)))
    return companion(V);
  return Constant::getNullValue(AtOnce && isPacked(&I) ? companionType(&I)
                                                       : V->getType());
}

//===----------------------------------------------------------------------===//
// Lanes side by side
//===----------------------------------------------------------------------===//

bool ForwardEmitter::isPacked(const Value *V) const {
  return Layout && V->getType()->isFPOrFPVectorTy() &&
         !isa<ScalableVectorType>(V->getType());
}

Type *ForwardEmitter::companionType(const Value *V) const {
  Type *T = V->getType();
  return isPacked(V) ? FixedVectorType::get(T->getScalarType(),
                                            lanes() * elementCount(T))
                     : T;
}

bool ForwardEmitter::isAtOnce(const Instruction &I) const {
  if (!Layout)
    return false;
  if (const auto *S = dyn_cast<StoreInst>(&I)) {
    const Value *V = S->getValueOperand(), *P = S->getPointerOperand();
    bool IsInteger =
        V->getType()->isIntOrIntVectorTy() && !Plan.facts().carriesFloat(V);
    return isPacked(V) || (isSideBySide(P) && (isSideBySide(V) || IsInteger));
  }
  if (const auto *C = dyn_cast<CallBase>(&I)) {
    switch (Plan.action(*C)) {
    case CallAction::Formula:
      return isPacked(C) && makesLanesAtOnce(I, Services.catalogue());
    case CallAction::Allocate:
      return isSideBySide(C);
    case CallAction::Free:
      return isSideBySide(
          C->getArgOperand(Services.catalogue().lookup(*C)->FreedArg));
    case CallAction::Memory:
      return isSideBySide(C->getArgOperand(0));
    default:
      return false;
    }
  }
  return isSingle(&I) && (isa<LoadInst, AllocaInst, GetElementPtrInst>(I) ||
                          makesLanesAtOnce(I, Services.catalogue()));
}

Value *ForwardEmitter::laneOf(Value *Packed, Type *T) {
  if (!T->isVectorTy())
    return B.CreateExtractElement(Packed, uint64_t(Lane));
  SmallVector<int, 8> Mask;
  for (unsigned K = 0; K != elementCount(T); ++K)
    Mask.push_back(K * lanes() + Lane);
  return B.CreateShuffleVector(Packed, Mask);
}

void ForwardEmitter::pack(const Value *V) {
  if (!isPacked(V) || !hasCompanion(V) || !Companions[0].contains(V))
    return;
  unsigned Count = elementCount(V->getType());
  Value *All = PoisonValue::get(companionType(V));
  for (unsigned L = 0; L != lanes(); ++L)
    for (unsigned K = 0; K != Count; ++K) {
      Value *X = Companions[L][V];
      if (V->getType()->isVectorTy())
        X = B.CreateExtractElement(X, uint64_t(K));
      All = B.CreateInsertElement(All, X, uint64_t(K) * lanes() + L);
    }
  Companions[0][V] = All;
}

Value *ForwardEmitter::sized(Value *Bytes, const Value *P) {
  return isSideBySide(P)
             ? B.CreateMul(Bytes, ConstantInt::get(Bytes->getType(), lanes()))
             : Bytes;
}

/// Zeroed, aligned as the vectors in it like it, and freed by free().
Value *ForwardEmitter::allocateLanes(Value *Bytes, const Twine &Name) {
  constexpr uint64_t VectorBytes = 64;
  Bytes = B.CreateAnd(B.CreateAdd(Bytes, B.getInt64(VectorBytes - 1)),
                      B.getInt64(-VectorBytes));
  FunctionCallee Alloc = D.getParent()->getOrInsertFunction(
      "aligned_alloc",
      FunctionType::get(B.getPtrTy(), {B.getInt64Ty(), B.getInt64Ty()}, false));
  CallInst *P =
      B.CreateCall(Alloc, {B.getInt64(VectorBytes), Bytes}, Name + ".sh");
  P->addRetAttr(Attribute::NoAlias);
  P->addFnAttr(
      Attribute::getWithAllocSizeArgs(D.getContext(), 1, std::nullopt));
  P->addRetAttr(
      Attribute::getWithAlignment(D.getContext(), Align(VectorBytes)));
  B.CreateMemSet(P, B.getInt8(0), Bytes, MaybeAlign(VectorBytes));
  return P;
}

/// An address in memory that holds the lanes side by side.
Value *ForwardEmitter::wideAddress(const GetElementPtrInst &G) {
  const unsigned N = lanes();
  auto *Clone = cast<GetElementPtrInst>(primal(&G));
  Value *Base = companion(G.getPointerOperand());
  if (G.getNumIndices() == 1)
    return B.CreateGEP(ArrayType::get(G.getSourceElementType(), N), Base,
                       Clone->idx_begin()->get());
  Value *Offset =
      emitGEPOffset(&B, D.getDataLayout(), Clone, /*NoAssumptions=*/true);
  return B.CreateGEP(B.getInt8Ty(), Base, B.CreateMul(Offset, B.getInt64(N)));
}

/// A number in memory that is one object per lane is gathered, and scattered.
Value *ForwardEmitter::loadLanes(LoadInst &L) {
  const Value *P = L.getPointerOperand();
  if (!Activity.hasShadow(P))
    return idle(&L);
  Align A = shadowAlign(L.getType(), L.getAlign(), D.getDataLayout());
  if (isSideBySide(P)) {
    LoadInst *T = B.CreateAlignedLoad(companionType(&L), companion(P), A,
                                      L.getName() + ".t");
    Kinds.shadow(T, 0);
    return T;
  }
  AtOnce = false;
  forLanes([&] { companionSlot(&L) = load(L); });
  pack(&L);
  AtOnce = true;
  return Companions[0][&L];
}

void ForwardEmitter::storeLanes(StoreInst &S) {
  const Value *P = S.getPointerOperand(), *V = S.getValueOperand();
  if (!Activity.hasShadow(P))
    return;
  if (!isSideBySide(P)) {
    AtOnce = false;
    forLanes([&] { visitStore(S); });
    AtOnce = true;
    return;
  }
  Value *T = companion(V);
  if (V->getType()->isIntOrIntVectorTy()) {
    // Integers have no companion; but the bytes of a constant may be a
    // number's, or a null pointer's.
    if (!isa<Constant>(V) && !Plan.facts().isPunned(S))
      return;
    uint64_t Bytes =
        D.getDataLayout().getTypeStoreSize(V->getType()).getFixedValue() *
        lanes();
    B.CreateMemSet(companion(P), B.getInt8(0), Bytes, MaybeAlign());
    return;
  }
  StoreInst *ToShadow = B.CreateAlignedStore(
      T, companion(P),
      shadowAlign(V->getType(), S.getAlign(), D.getDataLayout()));
  Kinds.shadow(ToShadow, 0);
}

Value *ForwardEmitter::nowhere(Type *T) {
  IRBuilder<> Entry(&D.getEntryBlock(), D.getEntryBlock().begin());
  return inGenericSpace(Entry, Entry.CreateAlloca(T, nullptr, "nowhere"));
}

/// What the primal's memory at Address holds: so many bytes before At, or a
/// pointer behind it.
Value *ForwardEmitter::readPrimal(const Instruction &At, const Value *Address,
                                  const Value *Length) {
  FunctionType *T = FunctionType::get(B.getPtrTy(), false);
  CallInst *Read =
      B.CreateCall(T, Function::Create(T, GlobalValue::ExternalLinkage,
                                       "rg.read", D.getParent()));
  Reads.push_back({Read, &At, Address, Length});
  return Read;
}

/// For the runtime: the primal where shadow and primal may coincide, else null.
Value *ForwardEmitter::ownOrNull(const Value *P) {
  return Activity.isMixed(P) ? primal(P)
                             : ConstantPointerNull::get(B.getPtrTy());
}

void ForwardEmitter::visit(Instruction &I) {
  if (isa<PHINode>(I))
    return;
  if (auto *R = dyn_cast<ReturnInst>(&I))
    return visitReturn(*R);
  auto *Clone = dyn_cast_or_null<Instruction>(primal(&I));
  if (!Clone)
    return; // a marker that cloning dropped
  BasicBlock::iterator At = Clone->isTerminator() && !isa<InvokeInst>(Clone)
                                ? Clone->getIterator()
                                : afterDefinition(Clone);
  B.SetCurrentDebugLocation(Clone->getDebugLoc());
  if (auto *C = dyn_cast<CallBase>(&I);
      C && Plan.action(*C) == CallAction::Derivative)
    return visitDerivativeCall(*C);
  if (const OperationRecord *R =
          isa<CallInst>(I) ? Services.catalogue().lookup(I) : nullptr;
      R && (R->Id == "gpu_keep" || R->Handler == HandlerKind::Reach)) {
    // For a reverse sweep, which does not come.
    if (!Clone->getType()->isVoidTy())
      Clone->replaceAllUsesWith(Constant::getNullValue(Clone->getType()));
    Clone->eraseFromParent();
    return;
  }
  auto Emit = [&] {
    B.SetInsertPoint(At->getParent(), At);
    B.SetCurrentDebugLocation(Clone->getDebugLoc());
    B.clearFastMathFlags();
    followStrict(B, I, Plan.facts().changesRounding());
    visitLane(I);
  };
  AtOnce = isAtOnce(I);
  if (AtOnce) {
    Emit();
  } else {
    forLanes(Emit);
    pack(&I);
  }
  AtOnce = false;
  if (!isFromTape()) {
    B.SetInsertPoint(At->getParent(), At);
    B.SetCurrentDebugLocation(Clone->getDebugLoc());
    FormatWatch(Plan, Services.runtime(), VMap).emitWrites(B, I);
  }
  if (isFromTape() || (!isa<LoadInst>(I) && !isa<StoreInst>(I) &&
                       !(isa<CallBase>(I) &&
                         Plan.action(cast<CallBase>(I)) == CallAction::Memory)))
    return;
  watchAccess(B, I, Activity, Services.runtime(),
              {[&](const Value *V) { return primal(V); },
               [&](const Value *V) { return companion(V); }});
}

/// The companion of I in the current lane.
void ForwardEmitter::visitLane(Instruction &I) {
  auto *Clone = cast<Instruction>(primal(&I));
  if (auto *C = dyn_cast<CallBase>(&I))
    return visitCall(*C);
  if (auto *S = dyn_cast<StoreInst>(&I))
    return AtOnce ? storeLanes(*S) : visitStore(*S);
  if (isa<AtomicRMWInst>(I)) {
    emitTangent(I, *this);
    return;
  }
  if (I.getType()->isVoidTy() || !hasCompanion(&I) || isa<LandingPadInst>(I))
    return;
  Value *T = nullptr;
  if (auto *L = dyn_cast<LoadInst>(&I)) {
    T = AtOnce ? loadLanes(*L) : load(*L);
  } else if (auto *A = dyn_cast<AllocaInst>(&I)) {
    auto *Sh = cast<AllocaInst>(Clone->clone());
    B.Insert(Sh, I.getName() + ".sh");
    Value *Bytes = B.CreateMul(
        B.CreateZExtOrTrunc(primal(A->getArraySize()), B.getInt64Ty()),
        B.getInt64(D.getDataLayout()
                       .getTypeAllocSize(A->getAllocatedType())
                       .getFixedValue()));
    if (AtOnce) {
      Sh->setAllocatedType(ArrayType::get(A->getAllocatedType(), lanes()));
      Sh->setAlignment(std::max(A->getAlign(), Align(64)));
      Bytes = sized(Bytes, A);
    }
    BasicBlock::iterator Behind =
        A->isStaticAlloca() ? D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()
                            : B.GetInsertPoint();
    if (!A->isStaticAlloca() || Sh->comesBefore(&*Behind))
      B.SetInsertPoint(Behind->getParent(), Behind);
    B.CreateMemSet(Sh, B.getInt8(0), Bytes, Sh->getAlign());
    T = Sh;
  } else if (auto *G = dyn_cast<GetElementPtrInst>(&I); G && AtOnce) {
    T = wideAddress(*G);
  } else {
    T = emitTangent(I, *this);
  }
  companionSlot(&I) = T;
}

/// Moves of bytes: the same instruction over companions.
Value *ForwardEmitter::again(const Instruction &I) {
  if (Plan.request().Dependencies && (isa<FPExtInst>(I) || isa<FPTruncInst>(I)))
    return convertSet(B, companion(I.getOperand(0)), I.getType());
  Instruction *C = cast<Instruction>(primal(&I))->clone();
  for (auto [N, U] : enumerate(I.operands())) {
    // Conditions, indices (whatever else the word may be by turns) and lane
    // numbers are the primal's.
    bool IsIndex = isa<GetElementPtrInst>(I) && N > 0 &&
                   !Plan.facts().carriesPointer(U.get());
    bool Moved = (hasCompanion(U.get()) && !IsIndex) ||
                 (U->getType() == I.getType() && !isa<SelectInst>(I)) ||
                 (isa<SelectInst>(I) && N > 0) || (isa<InsertValueInst>(I)) ||
                 isa<ShuffleVectorInst>(I) ||
                 (isa<InsertElementInst>(I) && N < 2);
    C->setOperand(N, !Moved               ? primal(U.get())
                     : isa<SelectInst>(I) ? companionInto(I, U.get())
                                          : companion(U.get()));
  }
  C->dropUnknownNonDebugMetadata();
  C->dropPoisonGeneratingFlags();
  if (isa<FPMathOperator>(C) && Plan.request().Dependencies)
    C->setFastMathFlags(FastMathFlags()); // a set may look like any number
  else if (isa<FPMathOperator>(C) && isa<FPMathOperator>(I))
    C->setFastMathFlags(I.getFastMathFlags());
  B.Insert(C, I.getName() + ".t");
  return kind() == TangentKind::ErrorBound && isa<FPTruncInst>(I)
             ? rounded(I, C, *this)
             : C;
}

Value *ForwardEmitter::partial(const Partial &P, const Instruction &I,
                               Value *Seed) {
  return FormulaEmitter(B, Services.catalogue())
      .emit(
          P, I, Seed, [&](unsigned N) { return primal(I.getOperand(N)); },
          [&] { return primal(&I); });
}

FastMathFlags ForwardEmitter::flags(const Instruction &I) const {
  return derivativeFlags(I, Contracts);
}

Function *ForwardEmitter::runtime(StringRef Name) {
  return Services.runtime().require(Name);
}

/// What is known of the type that Access reads or writes, for the access to the
/// shadow: the next derivative takes shadows for what they are.
static void carryType(Instruction &ToShadow, const Instruction &Access,
                      const ProgramFacts &Facts) {
  if (Facts.isPunned(Access))
    return;
  copyFacts(ToShadow, Access);
  StringRef Name = accessTypeName(Access);
  if (Name.empty() || namesAnything(Name))
    return;
  if (!getLoadStoreType(&Access)->isIntOrIntVectorTy())
    noteFact(ToShadow, SourceFact::Written);
  else if (!namesPointer(Name))
    noteInteger(ToShadow, TypeAnalysis::isDeclaredInteger(Access));
}

Value *ForwardEmitter::load(LoadInst &L) {
  const Value *P = L.getPointerOperand();
  if (!Activity.hasShadow(P))
    return idle(&L);
  Value *Shadow = companion(P);
  Value *Own = nullptr; // the pointer is its own shadow
  if (isFromTape() && Activity.isMixed(P)) {
    // What the primal reads there is on the tape; the memory may be gone.
    Own = B.CreateICmpEQ(Shadow, primal(P));
    Shadow = B.CreateSelect(Own, nowhere(L.getType()), Shadow);
  }
  if (isSideBySide(P)) // what is not packed: this lane's after those before
    Shadow = B.CreateConstGEP1_64(L.getType(), Shadow, Lane);
  LoadInst *FromShadow = B.CreateAlignedLoad(
      L.getType(), Shadow,
      shadowAlign(L.getType(), L.getAlign(), D.getDataLayout()),
      L.getName() + ".t");
  carryType(*FromShadow, L, Plan.facts());
  Value *T = FromShadow;
  if (!Activity.isMixed(P))
    Kinds.shadow(FromShadow, Lane);
  if (Own)
    return B.CreateSelect(Own, idle(&L), T);
  // Where the pointer is its own shadow, what was loaded is the primal.
  if (Activity.isMixed(P) && Plan.facts().carriesFloat(&L))
    T = B.CreateSelect(B.CreateICmpEQ(Shadow, primal(P)), idle(&L), T);
  return T;
}

void ForwardEmitter::visitStore(StoreInst &S) {
  const Value *P = S.getPointerOperand(), *V = S.getValueOperand();
  if (!Activity.hasShadow(P))
    return;
  Value *Address = companion(P);
  if (isSideBySide(P))
    Address = B.CreateConstGEP1_64(V->getType(), Address, Lane);
  if (Activity.isMixed(P))
    Address = B.CreateSelect(B.CreateICmpEQ(Address, primal(P)),
                             nowhere(V->getType()), Address);
  Value *T = companion(V);
  if (isa<Constant>(V) && !V->getType()->isFPOrFPVectorTy() &&
      !V->getType()->isPtrOrPtrVectorTy()) {
    // The bytes of a constant are what the memory says they are.
    if (mayStoreNumber(S, Plan.facts()))
      T = Constant::getNullValue(V->getType());
  } else if (V->getType()->isIntOrIntVectorTy() && !hasCompanion(V) &&
             !Plan.facts().carriesPointer(V) && Plan.facts().isPunned(S)) {
    // Where numbers and integers take turns (a tag says which of them), one may
    // be read as the other.
    T = Constant::getNullValue(V->getType());
  }
  const WordShadow Kept = Plan.facts().carriesPointer(V)
                              ? shadowOfWords(S, Plan.facts())
                              : WordShadow::AsItIs;
  if (Kept == WordShadow::Zero)
    T = Constant::getNullValue(V->getType());
  StoreInst *ToShadow = B.CreateAlignedStore(
      T, Address, shadowAlign(V->getType(), S.getAlign(), D.getDataLayout()));
  if (T == companion(V))
    carryType(*ToShadow, S, Plan.facts());
  if (!Activity.isMixed(P))
    Kinds.shadow(ToShadow, Lane);
}

void ForwardEmitter::visitReturn(ReturnInst &R) {
  auto *Clone = cast<ReturnInst>(primal(&R));
  B.SetInsertPoint(Clone);
  B.SetCurrentDebugLocation(Clone->getDebugLoc());
  SmallVector<Value *, 2> Members;
  if (Value *V = R.getReturnValue()) {
    if (Plan.request().ReturnPrimal)
      Members.push_back(primal(V));
    if (Plan.request().ActiveReturn)
      forLanes([&] { Members.push_back(companion(V)); });
  }
  if (Members.empty()) {
    B.CreateRetVoid();
  } else {
    Value *Result = PoisonValue::get(D.getReturnType());
    for (auto [I, V] : enumerate(Members))
      Result = B.CreateInsertValue(Result, V, I);
    B.CreateRet(Result);
  }
  Clone->eraseFromParent();
}

void ForwardEmitter::visitTransfer(CallBase &C) {
  Transfer T = transferOf(C, Services.catalogue());
  if (!C.getType()->isVoidTy() && Activity.hasShadow(&C))
    companionSlot(&C) = companion(T.Dest);
  if (!Activity.hasShadow(T.Dest))
    return;
  bool Names = T.OnDevice && !isFromTape();
  Value *Dest = companion(T.Dest);
  Value *Own = Names ? primal(T.Dest) : ownOrNull(T.Dest);
  Value *Bytes =
      sized(B.CreateZExtOrTrunc(primal(T.Length), B.getInt64Ty()), T.Dest);
  RuntimeLibrary &RT = Services.runtime();
  auto Require = [&](StringRef Name) { return RT.require(Name); };
  if (T.OnDevice && Activity.isMixed(T.Dest))
    Dest = shadowOnDevice(B, Require, Dest, primal(T.Dest), Lane);
  if (!T.Source) {
    emitClear(B, Require, Dest, Own, Bytes,
              {B.getInt64(0), B.getInt64(0), Bytes}, T.OnDevice);
    return;
  }
  bool Idle = !Activity.hasShadow(T.Source);
  Value *Source = companion(T.Source);
  if (T.OnDevice && !Idle && Activity.isMixed(T.Source))
    Source = shadowOnDevice(B, Require, Source, primal(T.Source), Lane);
  Value *SourceOwn = Idle    ? Source
                     : Names ? primal(T.Source)
                             : ownOrNull(T.Source);
  if (isFromTape() && (Idle || Activity.isMixed(T.Source))) {
    Value *Then = readPrimal(C, T.Source, T.Length);
    Value *IsOwn = B.CreateICmpEQ(Source, SourceOwn);
    Source = B.CreateSelect(IsOwn, Then, Source);
    SourceOwn = B.CreateSelect(IsOwn, Then, SourceOwn);
  }
  bool Mixed = Activity.isMixed(T.Dest) || Activity.isMixed(T.Source);
  if (!T.OnDevice && !Idle && !Mixed) {
    auto AlignOf = [&](unsigned End) {
      return isa<MemIntrinsic>(C) ? C.getParamAlign(End) : MaybeAlign();
    };
    auto *Move = cast<Instruction>(
        T.MayOverlap
            ? B.CreateMemMove(Dest, AlignOf(0), Source, AlignOf(1), Bytes)
            : B.CreateMemCpy(Dest, AlignOf(0), Source, AlignOf(1), Bytes));
    if (!isSideBySide(T.Dest))
      copyFacts(*Move, C);
    return;
  }
  B.CreateCall(
      RT.require(T.OnDevice ? "rg_gpu_tangent_move" : "rg_tangent_move"),
      {Dest, Own, Source, SourceOwn, Bytes});
  if (!Idle && !Activity.isMixed(T.Source))
    return;
  // The runtime cleared the tangents of an inactive source; its pointers are
  // their own shadows.
  TransferShape S = transferShape(C, T.Dest, T.Source, T.Length, Plan.facts());
  for (const TypedLeaf &L : S.Leaves)
    if (mayHoldPointers(L)) {
      auto [Offset, Period, Run] = leafRange(B, S, L, Bytes);
      B.CreateCall(RT.require(isShared(L) ? "rg_shadow_move_inactive_shared"
                                          : "rg_shadow_move_inactive"),
                   {Dest, Own, Source, SourceOwn, Bytes, Offset, Period, Run});
    }
}

void ForwardEmitter::visitCall(CallBase &C) {
  auto *Clone = cast<CallBase>(primal(&C));
  SmallVector<Value *, 8> Args(Clone->args());
  const OperationRecord *R = Services.catalogue().lookup(C);
  switch (Plan.action(C)) {
  case CallAction::Primal:
  case CallAction::Drop:
    if (!C.getType()->isVoidTy() && hasCompanion(&C))
      companionSlot(&C) = idle(&C);
    if (const Value *O = renewedHolder(C, Activity.facts());
        O && Activity.hasShadow(O) && !isSideBySide(O))
      B.CreateStore(isFromTape() ? readPrimal(C, O, nullptr)
                                 : B.CreateLoad(B.getPtrTy(), primal(O)),
                    companion(O));
    if (R && R->Class == RuleClass::Inactive && !R->Shadow.empty() &&
        Activity.hasShadow(C.getArgOperand(0)) &&
        !isSideBySide(C.getArgOperand(0)))
      B.CreateCall(
          Services.runtime().require(R->Shadow),
          {companion(C.getArgOperand(0)), ownOrNull(C.getArgOperand(0))});
    return;
  case CallAction::Formula:
    if (Activity.isActive(&C))
      companionSlot(&C) = emitTangent(C, *this);
    return;
  case CallAction::Allocate: {
    if (R->ShadowBehind) {
      companionSlot(&C) = shadowBehind(*Clone, *R, Lane, B);
      return;
    }
    if (AtOnce) {
      Value *Bytes = B.getInt64(lanes());
      for (unsigned A : R->SizeArgs)
        Bytes =
            B.CreateMul(Bytes, B.CreateZExtOrTrunc(Args[A], B.getInt64Ty()));
      companionSlot(&C) = allocateLanes(Bytes, C.getName());
      return;
    }
    auto *Sh = R->Shadow.empty()
                   ? B.CreateCall(Clone->getFunctionType(),
                                  Clone->getCalledOperand(), Args)
                   : B.CreateCall(Services.runtime().require(R->Shadow), Args);
    Sh->setName(C.getName() + ".sh");
    Sh->setAttributes(Clone->getAttributes());
    companionSlot(&C) = Sh;
    if (R->ZeroFills || !R->Shadow.empty())
      return;
    Value *Bytes = B.getInt64(1);
    for (unsigned A : R->SizeArgs)
      Bytes = B.CreateMul(Bytes, B.CreateZExtOrTrunc(Args[A], B.getInt64Ty()));
    B.CreateMemSet(Sh, B.getInt8(0), Bytes, MaybeAlign(8));
    return;
  }
  case CallAction::Free: {
    const Value *P = C.getArgOperand(R->FreedArg);
    StringRef Name = AtOnce                   ? "free"
                     : R->Deallocator.empty() ? directCallee(C)->getName()
                                              : R->Deallocator;
    FunctionCallee Dealloc = D.getParent()->getOrInsertFunction(
        Name, FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false));
    B.CreateCall(Services.runtime().require("rg_free_shadow"),
                 {primal(P), companion(P), Dealloc.getCallee()});
    return;
  }
  case CallAction::Memory:
    return visitTransfer(C);
  case CallAction::Realloc: {
    // Before the primal's, which may move the old block.
    B.SetInsertPoint(Clone);
    const Value *Old = C.getArgOperand(0);
    companionSlot(&C) = B.CreateCall(
        Services.runtime().require("rg_tangent_realloc"),
        {companion(Old), isFromTape() ? ownOrNull(Old) : primal(Old),
         B.CreateZExtOrTrunc(Args[1], B.getInt64Ty())});
    return;
  }
  case CallAction::Tape: {
    if (R->Handler == HandlerKind::TapeNote)
      return visitNote(C);
    if (R->Handler != HandlerKind::TapeDeferFree)
      return;
    const Value *P = C.getArgOperand(1);
    if (Activity.hasShadow(P))
      B.CreateCall(Services.runtime().require("rg_defer_shadow"),
                   {Args[0], primal(P), companion(P), Args[2]});
    return;
  }
  case CallAction::Derivative:
    llvm_unreachable("one call for all lanes");
  }
}

/// Adjoints that move from one shadow to another take their tangents along: the
/// same is noted of these, in front of the note on the adjoints, which settles
/// nothing yet.
void ForwardEmitter::visitNote(CallBase &C) {
  auto *Clone = cast<CallBase>(primal(&C));
  SmallVector<Value *, 5> Args(Clone->args());
  for (unsigned N = 1; N + 1 < C.arg_size(); ++N)
    if (Activity.hasShadow(C.getArgOperand(N)))
      Args[N] = companion(C.getArgOperand(N));
  // Of blocks: what they would be a shadow of, by which those without are told.
  if (C.arg_size() > 3)
    Args[1] = Clone->getArgOperand(2);
  B.SetInsertPoint(Clone);
  if (AtOnce)
    Args.back() = B.CreateMul(Args.back(), B.getInt64(lanes()));
  B.CreateCall(Clone->getFunctionType(), Clone->getCalledOperand(), Args);
}

void ForwardEmitter::visitDerivativeCall(CallBase &C) {
  auto *Clone = cast<CallBase>(primal(&C));
  SmallVector<Value *, 8> Args(Clone->args());
  DerivativeRequest Request = Plan.calleeRequest(C);
  Function *Callee = Services.derivative(Request);
  SmallVector<Value *, 8> All;
  if (Request.FromTape)
    All.push_back(D.getArg(0));
  B.SetInsertPoint(Clone);
  for (auto [N, A] : enumerate(C.args())) {
    All.push_back(Args[N]);
    if (Request.Args[N] == ArgActivity::Dup)
      forLanes([&] { All.push_back(companion(A)); });
  }
  tellBytes(
      B, C, Plan.facts(), /*Forward=*/true,
      [&](StringRef Name) { return Services.runtime().require(Name); },
      [&](StringRef T) { return Services.runtime().text("rg.bytes.", T); });
  CallBase *Call;
  if (auto *Inv = dyn_cast<InvokeInst>(Clone))
    Call =
        B.CreateInvoke(Callee, Inv->getNormalDest(), Inv->getUnwindDest(), All);
  else
    Call = B.CreateCall(Callee, All);
  BasicBlock::iterator At = afterDefinition(Call);
  B.SetInsertPoint(At->getParent(), At);
  unsigned Next = 0;
  if (!C.getType()->isVoidTy()) {
    Value *P = B.CreateExtractValue(Call, Next++, C.getName());
    Clone->replaceAllUsesWith(P);
    VMap[&C] = P;
  }
  if (Request.ActiveReturn)
    forLanes([&] {
      companionSlot(&C) =
          B.CreateExtractValue(Call, Next++, C.getName() + ".t");
    });
  pack(&C);
  Clone->eraseFromParent();
}
