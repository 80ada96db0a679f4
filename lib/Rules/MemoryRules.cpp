//===- MemoryRules.cpp - load and store -----------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   y = load p       shadow[p] += adj[y]
//   store y, p       adj[y] += shadow[p];  shadow[p] = 0
//
// On a GPU several threads may store one number to one place: one of them takes
// the adjoint, the others find zero (docs/GPU.md).
//
// Where p may be its own shadow at run time (mixed memory), nothing active is
// behind it then, and both do nothing.
//
//===----------------------------------------------------------------------===//

#include "Rules/RulesInternal.h"
#include "Rules/Transfer.h"
#include "Target/Target.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace retrograd;

static const Value *pointerOf(const Instruction &I) {
  return getLoadStorePointerOperand(&I);
}
static Type *accessType(const Instruction &I) { return getLoadStoreType(&I); }

static const char *missing(const Instruction &I, const ActivityAnalysis &) {
  if (isa<ScalableVectorType>(accessType(I)))
    return "scalable vector access";
  return nullptr;
}

static void needs(const Instruction &I, const ActivityAnalysis &A,
                  NeedSink Sink) {
  Sink({Need::Shadow, pointerOf(I)});
  if (A.isMixed(pointerOf(I)))
    Sink({Need::Primal, pointerOf(I)});
}

bool retrograd::mayStoreNumber(const StoreInst &S, const ProgramFacts &Facts) {
  const Value *V = S.getValueOperand(), *P = S.getPointerOperand();
  const TypeAnalysis &TA = Facts.types();
  uint64_t Size =
      TA.dataLayout().getTypeStoreSize(V->getType()).getFixedValue();
  if (any_of(TA.leavesOfAccess(&S, P, Size), [V](const TypedLeaf &L) {
        // Known as a pointer's by others alone: an integer is none.
        return L.Kind.K != ByteKind::Integer &&
               (L.Kind.K != ByteKind::Pointer || isa<ConstantData>(V));
      }))
    return true;
  // What has the best evidence of something else may be a number by turns.
  const bool IsAddress = !isa<ConstantData>(V); // of something, as an integer
  return V->getType()->isIntOrIntVectorTy() && !IsAddress &&
         !TA.isIndexPlace(P) && !TA.isDeclaredInteger(S) &&
         TA.touchesFloat(P, Size, /*Possibly=*/true);
}

/// S stores where only addresses are known to lie, and never a number.
static bool storesAmongAddresses(const StoreInst &S,
                                 const ProgramFacts &Facts) {
  const Value *P = S.getPointerOperand();
  const TypeAnalysis &TA = Facts.types();
  const uint64_t Size = TA.dataLayout()
                            .getTypeStoreSize(S.getValueOperand()->getType())
                            .getFixedValue();
  return !TA.isByTurns(P) && !TA.touchesFloat(P, Size, /*Possibly=*/true) &&
         all_of(TA.leavesOfAccess(&S, P, Size), [](const TypedLeaf &L) {
           return L.Kind.K == ByteKind::Pointer;
         });
}

/// What is stored as an address may be an integer that the types take for one.
static bool isSurelyAddress(const Value &V) {
  return isa<AllocaInst, GEPOperator, GlobalValue, ConstantPointerNull>(V) ||
         (isa<LoadInst>(V) && V.getType()->isPointerTy());
}

/// V is computed of constants, and of numbers that are narrower than an
/// address.
static bool isMadeOfIntegers(const Value &V) {
  constexpr unsigned Most = 32;
  SmallSetVector<const Value *, 8> Parts;
  Parts.insert(&V);
  for (unsigned I = 0; I != Parts.size() && I != Most; ++I) {
    if (isa<ConstantInt, ConstantPointerNull, ZExtInst, SExtInst, FPToSIInst,
            FPToUIInst>(Parts[I]))
      continue;
    if (!isa<BinaryOperator, SelectInst, FreezeInst, PHINode, IntToPtrInst>(
            Parts[I]))
      return false;
    for (const Value *From : cast<User>(Parts[I])->operand_values())
      if (!From->getType()->isIntegerTy(1))
        Parts.insert(From);
  }
  return Parts.size() <= Most;
}

WordShadow retrograd::shadowOfWords(const StoreInst &S,
                                    const ProgramFacts &Facts) {
  const Value &V = *S.getValueOperand(), *P = S.getPointerOperand();
  const TypeAnalysis &TA = Facts.types();
  const DataLayout &DL = TA.dataLayout();
  const uint64_t Size = DL.getTypeStoreSize(V.getType()).getFixedValue();
  if (Size % DL.getPointerSize() || isSurelyAddress(V) ||
      Target(*S.getModule()).manyThreads() ||
      !(TA.touchesFloat(P, Size, /*Possibly=*/true) || TA.isByTurns(P)))
    return WordShadow::AsItIs;
  return isMadeOfIntegers(V) ? WordShadow::Zero : WordShadow::AddressesOnly;
}

bool retrograd::holdsSmallFloats(const Value *P, uint64_t Offset, uint64_t Size,
                                 const ProgramFacts &Facts) {
  const TypeAnalysis &TA = Facts.types();
  return !Facts.manySweeps() &&
         TA.storesNumber(P, Offset, Size, /*Period=*/0) &&
         TA.kindsFrom(P).Singles;
}

bool retrograd::takesAddressesPlace(const TypedLeaf &L, const Value *Dest,
                                    const ProgramFacts &Facts) {
  constexpr uint64_t Word = 8, Half = 4;
  if (L.Kind.K != ByteKind::Float || L.Kind.FP->getPrimitiveSizeInBits() >= 64)
    return false;
  for (uint64_t At = 0; At < L.Size; At += Half)
    for (uint64_t Begin : {L.Offset + At, L.Offset + At - Half})
      if (Facts.types().holdsPointers(Dest, Begin, Word))
        return hasOwnShadow(Facts, Dest);
  return false;
}

bool retrograd::leavesNoAddress(const StoreInst &S, const ProgramFacts &Facts) {
  Type *T = S.getValueOperand()->getType();
  return T->isFloatingPointTy() && !Target(*S.getModule()).manyThreads() &&
         takesAddressesPlace(
             {0,
              Facts.types().dataLayout().getTypeStoreSize(T).getFixedValue(),
              {ByteKind::Float, T}},
             S.getPointerOperand(), Facts);
}

/// The floats that a store of V to P puts down, merged where they form V.
static SmallVector<TypedLeaf, 2> floatsStored(const StoreInst &S, bool Active,
                                              const ProgramFacts &Facts) {
  const Value *V = S.getValueOperand();
  SmallVector<TypedLeaf, 2> Floats;
  uint64_t Size = S.getModule()
                      ->getDataLayout()
                      .getTypeStoreSize(V->getType())
                      .getFixedValue();
  // A constant has no history: the memory tells what its bytes are.
  if (isa<Constant>(V)) {
    if (mayStoreNumber(S, Facts) && !storesAmongAddresses(S, Facts))
      Floats.push_back({0, Size, {ByteKind::Unknown}});
    return Floats;
  }
  append_range(Floats, Facts.shape(V).Floats);
  if (Floats.empty() && Facts.carriesPointer(V) &&
      holdsSmallFloats(S.getPointerOperand(), 0, Size, Facts)) {
    Floats.push_back({0, Size, {ByteKind::Unknown}});
    return Floats;
  }
  if (Floats.empty() && !Active && V->getType()->isIntegerTy() &&
      !Facts.carriesPointer(V) && Facts.isPunned(S)) {
    // Numbers and integers by turns: a number that was here before has no part
    // in what was read later.
    Floats.push_back({0, Size, {ByteKind::Unknown}});
    return Floats;
  }
  if (Active || Floats.empty())
    return Floats;
  // Zeroing a shadow that turns out to be no float harms nothing. The same for
  // what lies beside a float in a register, if it is no pointer: two floats
  // that are moved as one word.
  const DataLayout &DL = S.getModule()->getDataLayout();
  for (const TypedLeaf &L :
       Facts.types().leavesOfAccess(&S, S.getPointerOperand(), Size))
    if (L.Kind.K == ByteKind::Unknown && L.Size < DL.getPointerSize())
      Floats.push_back({L.Offset, L.Size, {ByteKind::Unknown}});
  return Floats;
}

/// The float leaf L of a register-held value X of any type.
static Value *extractLeaf(IRBuilderBase &B, Value *X, const TypedLeaf &L) {
  const DataLayout &DL = B.GetInsertBlock()->getModule()->getDataLayout();
  Type *T = X->getType();
  if (T == L.Kind.FP)
    return X;
  if (T->isIntOrIntVectorTy()) { // a float may span lanes
    X = B.CreateBitCast(X,
                        B.getIntNTy(DL.getTypeSizeInBits(T).getFixedValue()));
    if (L.Offset)
      X = B.CreateLShr(X, L.Offset * 8);
    return B.CreateBitCast(B.CreateTrunc(X, B.getIntNTy(L.Size * 8)),
                           L.Kind.FP);
  }
  if (auto *V = dyn_cast<FixedVectorType>(T)) {
    uint64_t Lane = DL.getTypeStoreSize(V->getElementType()).getFixedValue();
    return extractLeaf(B, B.CreateExtractElement(X, L.Offset / Lane),
                       {L.Offset % Lane, L.Size, L.Kind});
  }
  if (auto *A = dyn_cast<ArrayType>(T)) {
    uint64_t Step = DL.getTypeAllocSize(A->getElementType()).getFixedValue();
    return extractLeaf(B, B.CreateExtractValue(X, L.Offset / Step),
                       {L.Offset % Step, L.Size, L.Kind});
  }
  const StructLayout *SL = DL.getStructLayout(cast<StructType>(T));
  unsigned Field = SL->getElementContainingOffset(L.Offset);
  return extractLeaf(
      B, B.CreateExtractValue(X, Field),
      {L.Offset - SL->getElementOffset(Field).getFixedValue(), L.Size, L.Kind});
}

/// X with the float leaf L replaced by Leaf.
static Value *insertLeaf(IRBuilderBase &B, Value *X, const TypedLeaf &L,
                         Value *Leaf) {
  const DataLayout &DL = B.GetInsertBlock()->getModule()->getDataLayout();
  Type *T = X->getType();
  if (T == L.Kind.FP)
    return Leaf;
  if (T->isIntOrIntVectorTy()) {
    Type *All = B.getIntNTy(DL.getTypeSizeInBits(T).getFixedValue());
    Value *Bits =
        B.CreateZExt(B.CreateBitCast(Leaf, B.getIntNTy(L.Size * 8)), All);
    if (L.Offset)
      Bits = B.CreateShl(Bits, L.Offset * 8);
    return B.CreateBitCast(B.CreateOr(B.CreateBitCast(X, All), Bits),
                           T); // X starts from zero
  }
  if (auto *V = dyn_cast<FixedVectorType>(T)) {
    uint64_t Lane = DL.getTypeStoreSize(V->getElementType()).getFixedValue();
    Value *Old = B.CreateExtractElement(X, L.Offset / Lane);
    return B.CreateInsertElement(
        X, insertLeaf(B, Old, {L.Offset % Lane, L.Size, L.Kind}, Leaf),
        L.Offset / Lane);
  }
  unsigned Index;
  uint64_t Inside;
  if (auto *A = dyn_cast<ArrayType>(T)) {
    uint64_t Step = DL.getTypeAllocSize(A->getElementType()).getFixedValue();
    Index = L.Offset / Step;
    Inside = L.Offset % Step;
  } else {
    const StructLayout *SL = DL.getStructLayout(cast<StructType>(T));
    Index = SL->getElementContainingOffset(L.Offset);
    Inside = L.Offset - SL->getElementOffset(Index).getFixedValue();
  }
  Value *Old = B.CreateExtractValue(X, Index);
  return B.CreateInsertValue(
      X, insertLeaf(B, Old, {Inside, L.Size, L.Kind}, Leaf), Index);
}

/// Runs Body where the shadow is not the primal itself.
static void ifShadowed(RuleContext &C, const Value *P,
                       function_ref<void(Value *Shadow)> Body) {
  IRBuilderBase &B = C.builder();
  Value *Shadow = C.shadow(P);
  if (!C.activity().isMixed(P))
    return Body(Shadow);
  Value *Own = B.CreateICmpNE(Shadow, C.primal(P), "has.sh");
  BasicBlock *Then = BasicBlock::Create(B.getContext(), "sh.then",
                                        B.GetInsertBlock()->getParent());
  BasicBlock *Done = BasicBlock::Create(B.getContext(), "sh.done",
                                        B.GetInsertBlock()->getParent());
  B.CreateCondBr(Own, Then, Done);
  B.SetInsertPoint(Then);
  Body(Shadow);
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
}

/// If X is a vector, lets Add do each element at its own place, and says so.
static bool addByElements(IRBuilderBase &B, Value *Address, Value *X,
                          function_ref<void(Value *, Value *)> Add) {
  auto *V = dyn_cast<FixedVectorType>(X->getType());
  if (!V)
    return false;
  uint64_t Step =
      B.GetInsertBlock()->getModule()->getDataLayout().getTypeAllocSize(
          V->getElementType());
  for (unsigned Lane = 0; Lane != V->getNumElements(); ++Lane)
    Add(B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Address, Lane * Step),
        B.CreateExtractElement(X, Lane));
  return true;
}

/// Adds X to the adjoint at Address, where other threads may do so, too.
static void addAtomically(RuleContext &C, Value *Address, Value *X,
                          Accumulation How) {
  IRBuilderBase &B = C.builder();
  if (addByElements(B, Address, X, [&](Value *Place, Value *Element) {
        addAtomically(C, Place, Element, How);
      }))
    return;
  StringRef Name = X->getType()->isDoubleTy()   ? "f64"
                   : X->getType()->isFloatTy()  ? "f32"
                   : X->getType()->isBFloatTy() ? "bf16"
                                                : "f16";
  bool Native = X->getType()->isDoubleTy() || X->getType()->isFloatTy();
  if (auto Place = Native ? C.sharedPlace(Address) : std::nullopt) {
    Function *Merge = C.runtime(("rg_merge_shared_" + Name).str());
    Value *Base =
        B.CreateAddrSpaceCast(Place->Base, Merge->getArg(0)->getType());
    C.markAdjointAccess(B.CreateCall(
        Merge, {Base, B.getInt32(Place->Offset), X, Place->Peers}));
    return;
  }
  if (Address->getType()->getPointerAddressSpace())
    Address = B.CreateAddrSpaceCast(Address, B.getPtrTy());
  bool Merges = How == Accumulation::Merged && Native;
  C.markAdjointAccess(B.CreateCall(
      C.runtime(((Merges ? "rg_merge_" : "rg_accumulate_") + Name).str()),
      {Address, X}));
}

/// Adds X to the adjoint at Address by one instruction per number.
static void addWhole(RuleContext &C, Value *Address, Value *X) {
  IRBuilderBase &B = C.builder();
  if (addByElements(B, Address, X, [&](Value *Place, Value *Element) {
        addWhole(C, Place, Element);
      }))
    return;
  C.markAdjointAccess(B.CreateAtomicRMW(AtomicRMWInst::FAdd, Address, X,
                                        MaybeAlign(),
                                        AtomicOrdering::Monotonic));
}

/// Adds X to the adjoint at Address, which lies within the thread's Reach.
static void addWithinReach(RuleContext &C, Value *Reach, Value *Address,
                           Value *X) {
  IRBuilderBase &B = C.builder();
  if (addByElements(B, Address, X, [&](Value *Place, Value *Element) {
        addWithinReach(C, Reach, Place, Element);
      }))
    return;
  C.markAdjointAccess(
      B.CreateCall(C.runtime(X->getType()->isDoubleTy() ? "rg_reach_add_f64"
                                                        : "rg_reach_add_f32"),
                   {Reach, Address, X}));
}

/// Takes the adjoint of type T at Address by exchanges, of as many bits at once
/// as are aligned. Null where T has parts that no exchange moves.
static Value *takeByExchange(RuleContext &C, Type *T, Value *Address, Align A,
                             bool OneOfWarp) {
  IRBuilderBase &B = C.builder();
  const DataLayout &DL = B.GetInsertBlock()->getModule()->getDataLayout();
  const uint64_t Bits = DL.getTypeSizeInBits(T).getFixedValue(),
                 Number = DL.getTypeSizeInBits(T->getScalarType());
  if ((Number != 16 && Number != 32 && Number != 64) || Bits % Number ||
      (T->isVectorTy() &&
       DL.getTypeAllocSizeInBits(T->getScalarType()) != Number))
    return nullptr;
  // Half a number would be another one: a piece has one at least, and one that
  // may not be aligned is for the runtime to take.
  uint64_t Piece = 64;
  while (Piece > Number && (Bits % Piece || A.value() * 8 < Piece))
    Piece /= 2;
  const bool Aligned = A.value() * 8 >= Piece;
  if (Address->getType()->getPointerAddressSpace())
    Address = B.CreateAddrSpaceCast(Address, B.getPtrTy());
  Function *Take = C.runtime(((!Aligned                   ? "rg_take_apart_b"
                               : OneOfWarp && Piece >= 32 ? "rg_take_one_b"
                                                          : "rg_take_b") +
                              Twine(Piece))
                                 .str());
  auto TakeAt = [&](uint64_t Byte) -> Value * {
    CallInst *Taken = B.CreateCall(
        Take, {B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Address, Byte)});
    C.markAdjointAccess(Taken);
    return Taken;
  };
  if (Bits == Piece)
    return B.CreateBitCast(TakeAt(0), T);
  Value *Pieces =
      PoisonValue::get(FixedVectorType::get(B.getIntNTy(Piece), Bits / Piece));
  for (uint64_t I = 0; I != Bits / Piece; ++I)
    Pieces = B.CreateInsertElement(Pieces, TakeAt(I * Piece / 8), I);
  return B.CreateBitCast(Pieces, T);
}

/// Takes the adjoint of type T that S has put the value of at Address.
static Value *takeAdjoint(const StoreInst &S, RuleContext &C, Type *T,
                          Value *Address, Align A) {
  IRBuilderBase &B = C.builder();
  Taking How = C.taking(S);
  if (How == Taking::Left) {
    LoadInst *Seed = B.CreateAlignedLoad(T, Address, A);
    C.markAdjointAccess(Seed);
    return Seed;
  }
  // The thread's own memory may only be seen in what the address has become.
  if (How != Taking::Plain &&
      (C.target().spaceOf(*Address) == MemorySpace::Private ||
       isa<AllocaInst>(getUnderlyingObject(Address, /*MaxLookup=*/0))))
    How = Taking::Plain;
  // In global memory an exchange is fast (runtime/gpu/accumulate.c).
  if (How == Taking::PlainInBlock)
    How = C.target().prefersExchange() &&
                  C.target().spaceOf(*Address) != MemorySpace::Shared
              ? Taking::Exchange
              : Taking::Plain;
  if (How != Taking::Plain)
    if (Value *Taken =
            takeByExchange(C, T, Address, A, How == Taking::OneOfWarp))
      return Taken;
  LoadInst *Old = B.CreateAlignedLoad(T, Address, A);
  C.markAdjointAccess(Old);
  C.markAdjointAccess(
      B.CreateAlignedStore(Constant::getNullValue(T), Address, A));
  return Old;
}

static void emitLoad(const LoadInst &L, RuleContext &C) {
  IRBuilderBase &B = C.builder();
  Value *Seed = C.take(&L);
  ifShadowed(C, L.getPointerOperand(), [&](Value *Shadow) {
    auto Add = [&](Value *Address, Value *X, Align A) {
      Accumulation How = C.accumulation(L);
      if (How == Accumulation::InOrder)
        B.CreateCall(C.runtime("rg_inorder_wait"), {});
      if (How == Accumulation::Whole || How == Accumulation::InOrder)
        return addWhole(C, Address, X);
      if (How == Accumulation::WithinReach)
        return addWithinReach(C, C.reach(L), Address, X);
      if (How == Accumulation::AtEnd) {
        if (C.addAtEnd(L, X))
          return;
        How = Accumulation::Merged;
      }
      if (How == Accumulation::Merged || How == Accumulation::Atomic) {
        if (!C.addInStep(L, X))
          addAtomically(C, Address, X, How);
        return;
      }
      BasicBlock *Done = nullptr;
      if (How == Accumulation::PlainIfOwned) {
        Function *Fn = B.GetInsertBlock()->getParent();
        BasicBlock *Own = BasicBlock::Create(B.getContext(), "own", Fn);
        BasicBlock *Shared = BasicBlock::Create(B.getContext(), "shared", Fn);
        Done = BasicBlock::Create(B.getContext(), "added", Fn);
        B.CreateCondBr(C.owned(), Own, Shared);
        B.SetInsertPoint(Shared);
        addAtomically(C, Address, X, How);
        B.CreateBr(Done);
        B.SetInsertPoint(Own);
      }
      LoadInst *Old = B.CreateAlignedLoad(X->getType(), Address, A);
      C.markAdjointAccess(Old);
      C.markAdjointAccess(B.CreateAlignedStore(C.addUp(Old, X), Address, A));
      if (Done) {
        B.CreateBr(Done);
        B.SetInsertPoint(Done);
      }
    };
    Align Alignment =
        shadowAlign(L.getType(), L.getAlign(), L.getModule()->getDataLayout());
    if (L.getType()->isFPOrFPVectorTy())
      return Add(Shadow, Seed, Alignment);
    for (const TypedLeaf &F : C.activity().facts().shape(&L).Floats)
      Add(B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Shadow, F.Offset),
          extractLeaf(B, Seed, F), commonAlignment(Alignment, F.Offset));
  });
}

/// L is a word that S stores where addresses lie at other times, or doubles (to
/// which an address adds nothing; half of it is a float like any other).
static bool mayHoldAddress(const StoreInst &S, const TypedLeaf &L,
                           RuleContext &C) {
  const TypeAnalysis &TA = C.activity().facts().types();
  const uint64_t Word = TA.dataLayout().getPointerSize();
  const Value *P = S.getPointerOperand();
  return L.Kind.K == ByteKind::Unknown && L.Size % Word == 0 &&
         !C.target().manyThreads() && !TA.storesSingle(P, L.Offset, L.Size) &&
         (TA.isByTurns(P, L.Offset) || TA.holdsPointers(P, L.Offset, Word) ||
          TA.mayLead(P, L.Offset));
}

/// Clears the Size bytes of the adjoint at Address, which lies where numbers
/// and addresses do by turns. What has become an address since is the shadow of
/// what the memory still leads to.
static void clearNumber(RuleContext &C, Value *Address, uint64_t Size) {
  IRBuilderBase &B = C.builder();
  Value *Bytes = B.getInt64(Size), *None = B.getInt64(0);
  B.CreateCall(C.runtime("rg_adjoint_zero_shared"),
               {Address, ConstantPointerNull::get(B.getPtrTy()), Bytes, None,
                None, Bytes});
}

static void emitStore(const StoreInst &S, RuleContext &C) {
  IRBuilderBase &B = C.builder();
  const Value *V = S.getValueOperand();
  bool Active = C.activity().isActive(V);
  bool Whole = V->getType()->isFPOrFPVectorTy();
  SmallVector<TypedLeaf, 2> Floats;
  if (!Whole)
    Floats = floatsStored(S, Active, C.activity().facts());
  if (!Whole && Floats.empty())
    return;
  if (!Active && C.taking(S) == Taking::Left)
    return;
  // The value leaves a conditional block through memory that promotion turns
  // into a phi.
  AllocaInst *Carrier = nullptr;
  if (Active) {
    Function *Fn = B.GetInsertBlock()->getParent();
    IRBuilder<> Entry(&Fn->getEntryBlock(), Fn->getEntryBlock().begin());
    Carrier = Entry.CreateAlloca(V->getType(), nullptr, "store.adj");
    B.CreateStore(adjointZero(V->getType()), Carrier);
  }
  Align Alignment =
      shadowAlign(V->getType(), S.getAlign(), S.getModule()->getDataLayout());
  ifShadowed(C, S.getPointerOperand(), [&](Value *Shadow) {
    auto TakeAt = [&](Type *T, Value *Address, Align A) -> Value * {
      if (Active)
        return takeAdjoint(S, C, T, Address, A);
      C.markAdjointAccess(
          B.CreateAlignedStore(Constant::getNullValue(T), Address, A));
      return nullptr;
    };
    Value *X = nullptr;
    if (Whole) {
      X = TakeAt(V->getType(), Shadow, Alignment);
    } else {
      X = Constant::getNullValue(V->getType());
      for (const TypedLeaf &F : Floats) {
        Type *T = F.Kind.FP ? F.Kind.FP : B.getIntNTy(F.Size * 8);
        Value *Address =
            B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Shadow, F.Offset);
        if (!Active && mayHoldAddress(S, F, C)) {
          clearNumber(C, Address, F.Size);
          continue;
        }
        Value *Leaf = TakeAt(T, Address, commonAlignment(Alignment, F.Offset));
        if (Active)
          X = insertLeaf(B, X, F, Leaf);
      }
    }
    if (Active)
      B.CreateStore(X, Carrier);
  });
  if (Active)
    C.accumulate(V, B.CreateLoad(V->getType(), Carrier));
}

static void emit(const Instruction &I, RuleContext &C) {
  if (const auto *L = dyn_cast<LoadInst>(&I))
    emitLoad(*L, C);
  else
    emitStore(cast<StoreInst>(I), C);
}

static bool hasAdjoint(const Instruction &I, const ActivityAnalysis &A) {
  const auto *S = dyn_cast<StoreInst>(&I);
  return S ? A.isActiveMemory(S->getPointerOperand()) : A.isActive(&I);
}

const Operation operations::Accesses = {
    .Missing = missing,
    .Needs = needs,
    .Adjoint = emit,
    .HasAdjoint = hasAdjoint,
};
