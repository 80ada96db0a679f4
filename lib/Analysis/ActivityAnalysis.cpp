//===- ActivityAnalysis.cpp - what carries a derivative -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/ActivityAnalysis.h"
#include "Analysis/KeptNumber.h"
#include "Analysis/LoopShape.h"
#include "Catalogue/AccessTags.h"
#include "Catalogue/Catalogue.h"
#include "Support/DispatchMarks.h"
#include "Support/ExceptionMarks.h"
#include "Support/SourceFact.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

ActivityAnalysis::ActivityAnalysis(Function &F, ArrayRef<ArgActivity> Args,
                                   bool ActiveReturn, const ProgramFacts &Facts,
                                   const LoopShape &Shape,
                                   const ShadowOrigins &Callers,
                                   bool FindPivots)
    : F(F), Facts(Facts), Shape(Shape), Origins(Callers) {
  unsigned N = Facts.types().numObjects();
  for (BitVector *Set :
       {&VariedObjects, &UsefulObjects, &ShadowedObjects, &Origins.Inactive,
        &Origins.Unshadowed, &Origins.Active})
    Set->resize(N);
  IsRequest = Callers.Active.empty();
  findUnreadOutputs(Args);
  seed(Args);
  propagateVaried();
  findLostBits();
  if (FindPivots)
    findPivots(Args);
  propagateUseful(ActiveReturn);
  closeShadows(Args);
  if (!IsRequest)
    distrustUnshadowed(Args, Callers.Active);
}

/// Other devices take part in the operation, each by a call of its own, which
/// may stand in this function: where one has a derivative, all have to.
static bool waitsForDevices(const OperationRecord &R) {
  return R.Text == "devices";
}

/// A bulk copy of memory: its two ends, or nulls.
static std::pair<const Value *, const Value *> copyEnds(const Instruction &I,
                                                        const Catalogue &Cat) {
  if (hasFact(I, SourceFact::Characters))
    return {nullptr, nullptr};
  if (const auto *M = dyn_cast<AnyMemTransferInst>(&I))
    return {M->getRawDest(), M->getRawSource()};
  const auto *C = dyn_cast<CallBase>(&I);
  const OperationRecord *R = C ? Cat.lookup(I) : nullptr;
  switch (R ? R->Handler : HandlerKind::None) {
  case HandlerKind::MemCpy:
  case HandlerKind::MemMove:
    return {C->getArgOperand(0), C->getArgOperand(1)};
  case HandlerKind::Realloc:
    return {C, C->getArgOperand(0)};
  default:
    return {nullptr, nullptr};
  }
}

/// What the user calls constant holds inputs, or outputs whose derivative is
/// not wanted: an adjoint of zero. The latter is exact where nothing that runs
/// after the store reads the memory back; anything else stays as it is, and is
/// refused. Other threads read it after a barrier at the earliest, which in
/// their code, being the same code, also comes after the store.
void ActivityAnalysis::findUnreadOutputs(ArrayRef<ArgActivity> Args) {
  if (!IsRequest || &F != Facts.root())
    return;
  auto ObjectOf = [&](const Value *P) { return Facts.types().objectOf(P); };
  auto MayRead = [&](const Instruction &I, TypeAnalysis::ObjectId O) {
    if (!I.mayReadFromMemory())
      return false;
    if (const Value *P = getLoadStorePointerOperand(&I))
      return ObjectOf(P) == O || ObjectOf(P) == TypeAnalysis::NoObject;
    if (const auto *C = dyn_cast<CallBase>(&I)) {
      if (const OperationRecord *R = Facts.catalogue().lookup(I);
          R && R->leavesMemoryAlone())
        return false;
      if (auto [Dest, Source] = copyEnds(I, Facts.catalogue()); Dest)
        return ObjectOf(Source) == O ||
               ObjectOf(Source) == TypeAnalysis::NoObject;
      const ProgramFacts::Effects *E = Facts.effects(*C);
      return !E || E->Reads.test(O);
    }
    return true;
  };
  for (const Instruction &I : instructions(F)) {
    const auto *S = dyn_cast<StoreInst>(&I);
    if (!S || !Shape.isLive(S->getParent()))
      continue;
    const auto *A = dyn_cast<Argument>(
        getUnderlyingObject(S->getPointerOperand(), /*MaxLookup=*/0));
    TypeAnalysis::ObjectId O = ObjectOf(S->getPointerOperand());
    if (!A || Args[A->getArgNo()] != ArgActivity::Const ||
        O == TypeAnalysis::NoObject ||
        !Facts.carriesFloat(S->getValueOperand()))
      continue;
    if (none_of(instructions(F), [&](const Instruction &Reader) {
          return Shape.isLive(Reader.getParent()) && MayRead(Reader, O) &&
                 isPotentiallyReachable(S, &Reader);
        }))
      UnreadOutputs.insert(S);
  }
}

static bool movesACharacter(const Instruction &I) {
  return isa<LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(I) &&
         hasFact(I, SourceFact::Characters);
}

/// Marked by preparation: constant but for jumps, whatever its operations say.
static bool movesInSteps(const Instruction &I) {
  return hasFact(I, SourceFact::Steps);
}

void ActivityAnalysis::seed(ArrayRef<ArgActivity> Args) {
  VariedObjects |= Facts.untraceable();
  UsefulObjects |= Facts.untraceable();
  // What another function may have left in a global, or will read from it.
  VariedObjects |= Facts.sharedState();
  UsefulObjects |= Facts.sharedState();
  VariedObjects |= Origins.Active;
  UsefulObjects |= Origins.Active;
  for (Argument &A : F.args()) {
    if (Args[A.getArgNo()] == ArgActivity::Const)
      continue;
    if (Facts.carriesFloat(&A) || Facts.shape(&A).HasUnknown)
      Varied.insert(&A);
    if (Args[A.getArgNo()] == ArgActivity::Out)
      continue;
    TypeAnalysis::ObjectId O = Facts.types().objectOf(&A);
    if (O == TypeAnalysis::NoObject)
      continue;
    // What the user shadows is both an input and an output. Of what another
    // function leads to, it has said what is active (Origins): behind a struct
    // with a shadow there may be pointers to memory without one.
    if (!IsRequest)
      continue;
    VariedObjects |= Facts.reachableFrom(O);
    UsefulObjects |= Facts.reachableFrom(O);
  }
}

bool ActivityAnalysis::testObject(const BitVector &Set, const Value *P) const {
  TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
  return O != TypeAnalysis::NoObject && Set.test(O);
}

bool ActivityAnalysis::markObject(BitVector &Set, const Value *P) {
  TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
  if (O == TypeAnalysis::NoObject || Set.test(O))
    return false;
  Set.set(O);
  return true;
}

bool ActivityAnalysis::markObjects(BitVector &Set, const BitVector &More) {
  if (!More.test(Set))
    return false;
  Set |= More;
  return true;
}

bool ActivityAnalysis::markVaried(const Value *V) {
  // Only bits that are a float carry a derivative.
  if (Shifts.isPivot(V) ||
      (!Facts.carriesFloat(V) && !Facts.shape(V).HasUnknown))
    return false;
  return Varied.insert(V).second;
}

bool ActivityAnalysis::markUseful(const Value *V) {
  if (isa<Constant>(V) || Shifts.isPivot(V) ||
      (!Facts.carriesFloat(V) && !Facts.shape(V).HasUnknown))
    return false;
  return Useful.insert(V).second;
}

/// No variation goes through a pivot, since nothing comes of it.
void ActivityAnalysis::findPivots(ArrayRef<ArgActivity> Args) {
  Shifts = ShiftInvariance(F, Facts.catalogue(), Shape,
                           [&](const Value *V) { return isVaried(V); });
  if (Shifts.empty())
    return;
  Varied.clear();
  VariedObjects.reset();
  AskElsewhere = false;
  seed(Args);
  propagateVaried();
}

/// How many bytes it copies; one where that is not constant.
static uint64_t copiedBytes(const Instruction &I) {
  const auto *M = dyn_cast<AnyMemTransferInst>(&I);
  const auto *N = M ? dyn_cast<ConstantInt>(M->getLength()) : nullptr;
  return N ? N->getZExtValue() : 1;
}

bool ActivityAnalysis::anyVariedInput(const CallBase &C,
                                      const ProgramFacts::Effects *E) const {
  if (any_of(C.args(), [&](const Value *A) { return isVaried(A); }))
    return true;
  return E && VariedObjects.anyCommon(E->Reads);
}

bool ActivityAnalysis::readsVariedElsewhere(const CallBase &C) const {
  return Facts.mayTouchExternal(C) &&
         VariedObjects.anyCommon(Facts.readOutside());
}

/// Transfers variation through I; true if anything new was marked.
bool ActivityAnalysis::varyFrom(const Instruction &I) {
  if (movesInSteps(I) || movesACharacter(I) || UnreadOutputs.contains(&I))
    return false;
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return isVaried(S->getValueOperand()) &&
           markObject(VariedObjects, S->getPointerOperand());
  if (const auto *L = dyn_cast<LoadInst>(&I))
    return testObject(VariedObjects, L->getPointerOperand()) && markVaried(L);
  if (const auto *A = dyn_cast<AtomicRMWInst>(&I)) {
    const Value *Kept = keptNumber(*A);
    bool New = isVaried(Kept ? Kept : A->getValOperand()) &&
               markObject(VariedObjects, A->getPointerOperand());
    return (testObject(VariedObjects, A->getPointerOperand()) &&
            markVaried(A)) ||
           New;
  }
  if (const auto *A = dyn_cast<AtomicCmpXchgInst>(&I)) {
    bool New = isVaried(A->getNewValOperand()) &&
               markObject(VariedObjects, A->getPointerOperand());
    return (testObject(VariedObjects, A->getPointerOperand()) &&
            markVaried(A)) ||
           New;
  }
  if (auto [Dest, Source] = copyEnds(I, Facts.catalogue()); Dest)
    return testObject(VariedObjects, Source) && markObject(VariedObjects, Dest);
  if (isa<AnyMemSetInst>(I))
    return false;
  if (const auto *C = dyn_cast<CallBase>(&I)) {
    if (const OperationRecord *R = Facts.catalogue().lookup(I);
        R && R->Class != RuleClass::Rule) {
      if (R->Class == RuleClass::Formula)
        return any_of(R->Partials,
                      [&](const Partial &P) {
                        return isVaried(C->getArgOperand(P.Operand));
                      }) &&
               markVaried(C);
      if (R->Class == RuleClass::Handler && !R->leavesMemoryAlone()) {
        bool In = any_of(C->args(), [&](const Value *A) {
          return isVaried(A) || testObject(VariedObjects, A);
        });
        return In && (markVaried(C) | markObject(VariedObjects, C));
      }
      return false;
    }
    const ProgramFacts::Effects *E = Facts.effects(*C);
    // What comes from another process may depend on what went there; so may
    // what a function with messages makes of it.
    if (const OperationRecord *R = Facts.catalogue().lookup(I);
        R && (R->Communicates || waitsForDevices(*R)))
      return markObjects(VariedObjects, E->Numbers);
    bool FromOutside = !E && AskElsewhere && readsVariedElsewhere(*C);
    if (!anyVariedInput(*C, E) && !FromOutside && !Facts.communicates(*C))
      return false;
    bool New = markVaried(C);
    if (FromOutside)
      New |= markObjects(VariedObjects, Facts.writtenOutside(*C));
    if (E)
      New |= markObjects(VariedObjects, E->Numbers);
    return New;
  }
  if (isa<CmpInst>(I) || I.getType()->isVoidTy())
    return false;
  // Everything else moves or combines its operands.
  return any_of(I.operands(), [&](const Value *Op) { return isVaried(Op); }) &&
         markVaried(&I);
}

void ActivityAnalysis::propagateVaried() {
  auto Propagate = [&] {
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (const BasicBlock &B : F)
        if (Shape.isLive(&B))
          for (const Instruction &I : B)
            Changed |= varyFrom(I);
    }
  };
  Propagate();
  VariedHere = Varied;
  VariedObjectsHere = VariedObjects;
  AskElsewhere = true;
  Propagate();
}

/// One more or less of what a struct declares to be an integer, by an access
/// through the same pointer: where LLVM merges accesses, the mark of the
/// declaration may be lost.
static bool isCount(const StoreInst &S) {
  const auto *Sum = dyn_cast<BinaryOperator>(S.getValueOperand());
  if (!Sum || Sum->getOpcode() != Instruction::Add ||
      !isa<ConstantInt>(Sum->getOperand(1)))
    return false;
  const Value *P = S.getPointerOperand();
  const auto *Before = dyn_cast<LoadInst>(Sum->getOperand(0));
  if (!Before || Before->getPointerOperand() != P)
    return false;
  bool Declared = false;
  for (const User *U : P->users()) {
    const auto *I = dyn_cast<Instruction>(U);
    if (!I || getLoadStorePointerOperand(I) != P ||
        getLoadStoreType(const_cast<Instruction *>(I)) != Sum->getType())
      return false;
    Declared |= TypeAnalysis::isDeclaredInteger(*I);
  }
  return Declared;
}

/// The address L reads is taken for an integer.
static bool isMadeInteger(const LoadInst &L) {
  return any_of(L.users(), [](const User *U) { return isa<PtrToIntInst>(U); });
}

/// What is read is true or false: no byte of a number is read so.
static bool isTruthValue(const LoadInst &L) {
  if (!L.getType()->isIntegerTy(8))
    return false;
  if (const MDNode *Range = L.getMetadata(LLVMContext::MD_range);
      Range && getConstantRangeFromMetadata(*Range).getUnsignedMax().ule(1))
    return true;
  if (namesTruthValue(accessTypeName(L)))
    return true;
  // Unoptimised code says so by asking the lowest bit. Whoever puts a number
  // together bit by bit asks the others, too.
  return !L.use_empty() && all_of(L.users(), [](const User *U) {
    return (isa<TruncInst>(U) && U->getType()->isIntegerTy(1)) ||
           match(U, m_And(m_Value(), m_One()));
  });
}

/// Follows the bits of varied floats through integers that are no floats by
/// type (a masked mantissa, a half that went through an array of int or to
/// another thread) to where they become a float again. Comparisons and
/// conversions end a trail: what they give is constant almost everywhere.
/// Atomic minima and maxima of such bits (of positive floats, they are those of
/// the floats) leave them in memory, where they may be read as a float.
void ActivityAnalysis::findLostBits() {
  DenseSet<const Value *> Tainted;
  BitVector TaintedObjects(VariedObjects.size()),
      AtomicObjects(VariedObjects.size());
  /// Those of the tainted objects that have such bits where a float may be.
  BitVector WhereFloatsMayBe(VariedObjects.size());
  auto OperandOfAtomic = [](const Instruction &I) -> const Value * {
    if (const auto *M = dyn_cast<AtomicRMWInst>(&I))
      return M->getType()->isIntegerTy() && !keptNumber(*M) ? M->getValOperand()
                                                            : nullptr;
    const auto *X = dyn_cast<AtomicCmpXchgInst>(&I);
    return X && X->getNewValOperand()->getType()->isIntegerTy()
               ? X->getNewValOperand()
               : nullptr;
  };
  /// Integers, all of them, that are the bits of varied floats.
  auto IsBits = [&](const Value *V) {
    const auto *Cast = dyn_cast<BitCastInst>(V);
    return Tainted.contains(V) || isVaried(V) ||
           (Cast && isVaried(Cast->getOperand(0)));
  };
  auto MovesBits = [](const Instruction &I) {
    return I.isBinaryOp() || isa<PHINode>(I) || isa<SelectInst>(I) ||
           isa<BitCastInst>(I) || isa<TruncInst>(I) || isa<ZExtInst>(I) ||
           isa<SExtInst>(I) || isa<FreezeInst>(I) || isa<PtrToIntInst>(I) ||
           isa<IntToPtrInst>(I) || isa<InsertElementInst>(I) ||
           isa<ExtractElementInst>(I) || isa<ShuffleVectorInst>(I) ||
           // Of integers: shuffles and reductions between threads, minima,
           // rotations.
           (isa<CallBase>(I) && I.getType()->isIntOrIntVectorTy());
  };
  auto Holds = [&](const Value *P) {
    return testObject(VariedObjects, P) || testObject(TaintedObjects, P);
  };
  auto TouchesFloat = [&](const Value *P, const Value &Accessed) {
    return Facts.types().touchesFloat(
        P, Facts.types().dataLayout().getTypeStoreSize(Accessed.getType()));
  };
  const bool PlainAddresses =
      hasFact(*F.getParent(), SourceFact::PlainAddresses);
  /// What is read may be such bits, and is no pointer. A truth value is none:
  /// it came of a comparison, which ends a trail. An integer by declaration is,
  /// where integers that are such bits were stored, whatever numbers its object
  /// holds beside it; of other functions that make integers of bits, it is not
  /// known where they store them.
  auto ReadsBits = [&](const LoadInst &L) {
    const ValueShape &S = Facts.shape(&L);
    // The bits of a number are an address that becomes an integer (a union's).
    if (!PlainAddresses && L.getType()->isPointerTy() && isMadeInteger(L))
      return Holds(L.getPointerOperand()) &&
             TouchesFloat(L.getPointerOperand(), L);
    if (!L.getType()->isIntOrIntVectorTy() || isTruthValue(L) ||
        (S.HasPointer && !S.HasUnknown && S.Floats.empty()) ||
        (!Facts.bitsAreMade() && TypeAnalysis::readsPlainMember(L)))
      return false;
    const bool Integer =
        !Facts.bitsAreMade() &&
        ((TypeAnalysis::isDeclaredInteger(L) && !Facts.isPunned(L)) ||
         Facts.types().isPlainInteger(L) || Facts.types().isPlainMove(L));
    return Integer ? testObject(TaintedObjects, L.getPointerOperand())
                   : Holds(L.getPointerOperand());
  };
  auto StoresBeside = [&](const StoreInst &S) {
    const Value *P = S.getPointerOperand();
    uint64_t Size = Facts.types().dataLayout().getTypeStoreSize(
        S.getValueOperand()->getType());
    SmallVector<TypedLeaf, 4> Leaves = Facts.types().leavesAt(P, Size);
    return !Leaves.empty() && !Facts.types().touchesFloat(P, Size) &&
           all_of(Leaves, [](const TypedLeaf &L) {
             return L.Kind.K == ByteKind::Integer;
           });
  };
  /// True if I hands such bits on, to its result or to memory.
  auto Follow = [&](const Instruction &I) {
    if (movesACharacter(I))
      return false;
    if (const auto *S = dyn_cast<StoreInst>(&I)) {
      const Value *P = S->getPointerOperand();
      if (!Tainted.contains(S->getValueOperand()))
        return false;
      bool New = !StoresBeside(*S) && markObject(WhereFloatsMayBe, P);
      return markObject(TaintedObjects, P) || New;
    }
    if (auto [Dest, Source] = copyEnds(I, Facts.catalogue()); Dest) {
      bool New = testObject(WhereFloatsMayBe, Source) &&
                 markObject(WhereFloatsMayBe, Dest);
      return (testObject(TaintedObjects, Source) &&
              markObject(TaintedObjects, Dest)) ||
             New;
    }
    if (const Value *V = OperandOfAtomic(I)) {
      const Value *P = cast<Instruction>(I).getOperand(0);
      bool New = IsBits(V) && markObject(AtomicObjects, P);
      New |= IsBits(V) && markObject(TaintedObjects, P);
      New |= IsBits(V) && markObject(WhereFloatsMayBe, P);
      return (Holds(P) && !isVaried(&I) && Tainted.insert(&I).second) || New;
    }
    if (movesInSteps(I) || isVaried(&I) || Tainted.contains(&I))
      return false;
    bool FromBits = false;
    if (const auto *L = dyn_cast<LoadInst>(&I))
      FromBits = ReadsBits(*L);
    else if (MovesBits(I)) // a choice by such bits hands none of them on
      FromBits = any_of(
          drop_begin(I.operands(), isa<SelectInst>(I)), [&](const Value *Op) {
            return Tainted.contains(Op) ||
                   (isVaried(Op) && I.getType()->isIntOrIntVectorTy() &&
                    (Op->getType()->isIntOrIntVectorTy() ||
                     isa<BitCastInst>(I)));
          });
    return FromBits && Tainted.insert(&I).second;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Instruction &I : instructions(F))
      Changed |= Shape.isLive(I.getParent()) && Follow(I);
  }
  for (const Instruction &I : instructions(F)) {
    if (!Shape.isLive(I.getParent()))
      continue;
    if (const Value *V = OperandOfAtomic(I); V && IsBits(V)) {
      BitsInAtomic = BitsInAtomic ? BitsInAtomic : &I;
      if (Facts.types().touchesFloat(I.getOperand(0),
                                     V->getType()->getIntegerBitWidth() / 8))
        LostBits.push_back(&I);
    }
    if (const auto *S = dyn_cast<StoreInst>(&I)) {
      const bool Punned =
          isa<IntToPtrInst>(S->getValueOperand())
              ? TouchesFloat(S->getPointerOperand(), *S->getValueOperand())
              : Facts.isPunned(I);
      if (Tainted.contains(S->getValueOperand()) && Punned && !isCount(*S))
        LostBits.push_back(&I);
    } else if (const auto *L = dyn_cast<LoadInst>(&I);
               L && L->getType()->isFPOrFPVectorTy() && !isVaried(L) &&
               testObject(AtomicObjects, L->getPointerOperand())) {
      // Of an object with integers and floats in other places, the types know
      // which is which.
      uint64_t Size =
          I.getDataLayout().getTypeStoreSize(L->getType()).getFixedValue();
      if (!all_of(
              Facts.types().leavesOfAccess(&I, L->getPointerOperand(), Size),
              [](const TypedLeaf &Leaf) {
                return Leaf.Kind.K == ByteKind::Float;
              }))
        LostBits.push_back(&I);
    } else if (auto [Dest, Source] = copyEnds(I, Facts.catalogue()); Dest) {
      if (testObject(WhereFloatsMayBe, Source) &&
          !testObject(VariedObjects, Source) &&
          Facts.types().touchesFloat(Dest, copiedBytes(I)))
        LostBits.push_back(&I);
    } else if (Tainted.contains(&I) && Facts.carriesFloat(&I)) {
      LostBits.push_back(&I);
    }
    if (makesNumberOfDigits(I, Holds))
      LostBits.push_back(&I);
  }
}

/// I, or what it calls, makes a number of the digits of varied ones, or may.
bool ActivityAnalysis::makesNumberOfDigits(
    const Instruction &I, function_ref<bool(const Value *)> Memory) const {
  const DigitFlow &Digits = Facts.digits();
  const auto *C = dyn_cast<CallBase>(&I);
  return ((C && Digits.calleeMakesNumber(*C)) || Digits.makesNumber(I) ||
          Digits.mayMakeNumber(I) || Digits.keepsNumber(I)) &&
         Digits.comesFrom(
             I, [&](const Value *V) { return isVaried(V); }, Memory);
}

/// Transfers usefulness backwards through I; true if anything new was marked.
bool ActivityAnalysis::useFrom(const Instruction &I, bool ActiveReturn) {
  if (movesInSteps(I) || movesACharacter(I) || UnreadOutputs.contains(&I))
    return false;
  if (const auto *R = dyn_cast<ReturnInst>(&I)) {
    const Value *V = R->getReturnValue();
    if (!ActiveReturn || !V)
      return false;
    bool New = markUseful(V);
    // What a returned pointer leads to, the caller reads.
    if (TypeAnalysis::ObjectId O = Facts.types().objectOf(V);
        O != TypeAnalysis::NoObject && Facts.carriesPointer(V)) {
      if (V->getType()->isPointerTy())
        New |= markObjects(UsefulObjects, Facts.reachableFrom(O));
      else
        for (TypeAnalysis::ObjectId P : Facts.types().pointees(O))
          if (P != TypeAnalysis::NoObject)
            New |= markObjects(UsefulObjects, Facts.reachableFrom(P));
    }
    return New;
  }
  if (const auto *L = dyn_cast<LoadInst>(&I))
    return Useful.contains(L) &&
           markObject(UsefulObjects, L->getPointerOperand());
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return testObject(UsefulObjects, S->getPointerOperand()) &&
           markUseful(S->getValueOperand());
  if (const auto *A = dyn_cast<AtomicRMWInst>(&I)) {
    const Value *Kept = keptNumber(*A);
    bool New =
        Useful.contains(A) && markObject(UsefulObjects, A->getPointerOperand());
    return (testObject(UsefulObjects, A->getPointerOperand()) &&
            markUseful(Kept ? Kept : A->getValOperand())) ||
           New;
  }
  if (const auto *A = dyn_cast<AtomicCmpXchgInst>(&I)) {
    bool New =
        Useful.contains(A) && markObject(UsefulObjects, A->getPointerOperand());
    return (testObject(UsefulObjects, A->getPointerOperand()) &&
            markUseful(A->getNewValOperand())) ||
           New;
  }
  if (auto [Dest, Source] = copyEnds(I, Facts.catalogue()); Dest)
    return testObject(UsefulObjects, Dest) && markObject(UsefulObjects, Source);
  if (isa<AnyMemSetInst>(I))
    return false;
  if (const auto *C = dyn_cast<CallBase>(&I)) {
    bool New = false;
    if (const OperationRecord *R = Facts.catalogue().lookup(I);
        R && R->Class != RuleClass::Rule) {
      if (R->Class == RuleClass::Formula && Useful.contains(C))
        for (const Partial &P : R->Partials)
          New |= markUseful(C->getArgOperand(P.Operand));
      if (R->Class == RuleClass::Handler && !R->leavesMemoryAlone() &&
          (Useful.contains(C) || testObject(UsefulObjects, C) ||
           any_of(C->args(), [&](const Value *A) {
             return testObject(UsefulObjects, A);
           })))
        for (const Value *A : C->args())
          New |= markUseful(A) | markObject(UsefulObjects, A);
      return New;
    }
    const ProgramFacts::Effects *E = Facts.effects(*C);
    // What goes to another process may be wanted there, whatever is wanted of
    // the function that sends it.
    if (const OperationRecord *R = Facts.catalogue().lookup(I)) {
      if (R->Communicates)
        return Facts.communicates(*C) && markObjects(UsefulObjects, E->Reads);
      if (waitsForDevices(*R))
        return markObjects(UsefulObjects, E->Reads) |
               markObjects(UsefulObjects, E->Writes);
    }
    bool ToOutside = !E && Facts.mayTouchExternal(*C) &&
                     UsefulObjects.anyCommon(Facts.writtenOutside(*C));
    bool Out = Useful.contains(C) || ToOutside || Facts.communicates(*C) ||
               (E && UsefulObjects.anyCommon(E->Writes));
    if (!Out)
      return false;
    if (!E && Facts.mayTouchExternal(*C)) {
      New |= markObjects(UsefulObjects, Facts.readOutside());
      New |= markObjects(UsefulObjects, Facts.givenTo(*C));
    }
    for (const Value *A : C->args())
      New |= markUseful(A);
    if (E)
      New |= markObjects(UsefulObjects, E->Reads);
    return New;
  }
  if (!Useful.contains(&I))
    return false;
  bool New = false;
  for (const Value *Op : I.operands())
    New |= markUseful(Op);
  return New;
}

void ActivityAnalysis::propagateUseful(bool ActiveReturn) {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const BasicBlock &B : reverse(F))
      if (Shape.isLive(&B))
        for (const Instruction &I : reverse(B))
          Changed |= useFrom(I, ActiveReturn);
  }
}

void ActivityAnalysis::closeShadows(ArrayRef<ArgActivity> Args) {
  // An object is shadowed if it, or anything reachable from it, is active.
  BitVector Active = VariedObjects;
  Active &= UsefulObjects;
  Origins.Active |= Active;
  for (unsigned O = 0, N = Active.size(); O != N; ++O)
    if (Facts.reachableFrom(O).anyCommon(Active))
      ShadowedObjects.set(O);

  auto Mark = [&](BitVector &Set, const Value *P) {
    TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
    if (O != TypeAnalysis::NoObject)
      Set |= Facts.reachableFrom(O);
  };
  // Memory that can only be what the user called constant has no shadow; where
  // it may also be memory with one, that is found out at run time.
  bool IsRoot = &F == Facts.root();
  BitVector Constant(Active.size()), Foreign(Active.size()),
      Own = Facts.ownedMemory();
  for (Argument &A : F.args())
    if (Args[A.getArgNo()] == ArgActivity::Const && Facts.carriesPointer(&A)) {
      Mark(Origins.Inactive, &A);
      if (IsRoot)
        Mark(Constant, &A);
    } else if (IsRoot) {
      Mark(Own, &A);
    }
  Constant.reset(Own);
  Origins.Unshadowed |= Constant;
  findCodeAddresses();
  // Anywhere in the call graph: a callee returns what it found.
  Origins.Inactive |= Facts.unshadowedSources();
  for (const Instruction &I : instructions(F))
    for (const Value *Op : I.operands()) {
      const auto *G = dyn_cast<GlobalVariable>(Op->stripInBoundsOffsets());
      if (!G || G->isConstant() || G->hasAttribute(ExceptionVariable))
        continue;
      // What a global pointed to before the derivative began has no shadow.
      TypeAnalysis::ObjectId O = Facts.types().objectOf(G);
      if (O == TypeAnalysis::NoObject || Facts.isSetFirst(*G))
        continue;
      for (TypeAnalysis::ObjectId P : Facts.types().pointees(O))
        if (P != TypeAnalysis::NoObject)
          Foreign |= Facts.reachableFrom(P);
    }
  // Where it may also point to memory that was made here, the running program
  // tells.
  Foreign.reset(Facts.ownedMemory());
  Origins.Unshadowed |= Foreign;
}

/// What has a shadow here and none in the caller is told apart at run time.
void ActivityAnalysis::distrustUnshadowed(ArrayRef<ArgActivity> Args,
                                          const BitVector &ActiveThere) {
  for (Argument &A : F.args()) {
    TypeAnalysis::ObjectId O = Facts.types().objectOf(&A);
    if (Args[A.getArgNo()] == ArgActivity::Const || O == TypeAnalysis::NoObject)
      continue;
    for (unsigned P : Facts.reachableFrom(O).set_bits())
      if (ShadowedObjects.test(P) &&
          !Facts.reachableFrom(P).anyCommon(ActiveThere))
        Origins.Inactive.set(P);
  }
}

bool ActivityAnalysis::isActiveMemory(const Value *P) const {
  return testObject(VariedObjects, P) && testObject(UsefulObjects, P);
}

bool ActivityAnalysis::isUsefulMemory(const Value *P) const {
  return testObject(UsefulObjects, P);
}

/// Addresses that lead to code alone: pointers to virtual tables and functions,
/// which are compared and called. Their shadow would be read from memory that
/// the user need not have filled, for nothing.
void ActivityAnalysis::findCodeAddresses() {
  auto IsCode = [&](const Instruction &I) {
    return !I.use_empty() && all_of(I.uses(), [&](const Use &U) {
      const User *By = U.getUser();
      if (const auto *Call = dyn_cast<CallBase>(By))
        return isCodeFor(*Call, U);
      if (const auto *L = dyn_cast<LoadInst>(By);
          L && L->getType()->isIntegerTy())
        return !Facts.carriesPointer(L) && !isActive(L);
      return isa<ICmpInst>(By) || CodeAddresses.contains(By);
    });
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const BasicBlock &B : reverse(F))
      for (const Instruction &I : reverse(B))
        if (I.getType()->isPointerTy() &&
            isa<LoadInst, GetElementPtrInst, SelectInst, FreezeInst, PHINode,
                IntToPtrInst>(I) &&
            !CodeAddresses.contains(&I) && IsCode(I))
          Changed |= CodeAddresses.insert(&I).second;
  }
}

bool ActivityAnalysis::hasShadow(const Value *V) const {
  if (CodeAddresses.contains(V))
    return false;
  if (isa<ConstantPointerNull>(V) || isa<UndefValue>(V) || isa<Function>(V))
    return false;
  if (V->getType()->isPointerTy())
    return testObject(ShadowedObjects, V);
  return !isa<Constant>(V) && Facts.carriesPointer(V);
}

bool ActivityAnalysis::isMixed(const Value *P) const {
  return testObject(Origins.Inactive, P);
}

bool ActivityAnalysis::isUntraceable(const Value *P) const {
  return testObject(Facts.untraceable(), P);
}

bool ActivityAnalysis::isUnshadowed(const Value *P) const {
  return testObject(Origins.Unshadowed, P);
}

bool ActivityAnalysis::isActiveCall(const CallBase &C) const {
  if (isActive(&C) || hasShadow(&C) || Facts.communicates(C))
    return true;
  if (const OperationRecord *R = Facts.catalogue().lookup(C);
      R && R->Communicates)
    return false; // a message of integers
  const Function *Callee = directCallee(C);
  if (const Function *Body = Callee ? Facts.preparedOf(Callee) : nullptr;
      Body && Facts.isInTeam(F) && Facts.waitsForTeam(*Body))
    return true;
  for (const Value *A : C.args())
    if (isActive(A) || hasShadow(A))
      return true;
  const ProgramFacts::Effects *E = Facts.effects(C);
  if (!E) {
    // It may hand on what it is given in ways that nobody sees: varied values,
    // and memory that leads to varied ones even if this function never reads
    // them back by a path that it knows (nodes that a library links up).
    bool Keeps = !isa<IntrinsicInst>(C) &&
                 (!C.onlyReadsMemory() || !C.getType()->isVoidTy());
    // Nor what it does with variables that it knows without being given them:
    // it may change one, or make of one what it is to put somewhere.
    if (readsVariedElsewhere(C)) {
      bool ChangesThem = !C.onlyReadsMemory() &&
                         VariedObjects.anyCommon(Facts.external()) &&
                         UsefulObjects.anyCommon(Facts.external());
      BitVector Active = VariedObjects;
      Active &= UsefulObjects;
      if (ChangesThem ||
          (!C.onlyReadsMemory() && Active.anyCommon(Facts.givenTo(C))))
        return true;
    }
    return any_of(C.args(), [&](const Value *A) {
      if (VariedHere.contains(A))
        return true;
      TypeAnalysis::ObjectId O = Facts.types().objectOf(A);
      return Keeps && O != TypeAnalysis::NoObject && Facts.carriesPointer(A) &&
             Facts.reachableFrom(O).anyCommon(VariedObjectsHere);
    });
  }
  BitVector Active = VariedObjects;
  Active &= UsefulObjects;
  // A pointer that it sets and that leads to active memory has a shadow to be
  // set, too.
  return Active.anyCommon(E->Writes) || Active.anyCommon(E->Reads) ||
         ShadowedObjects.anyCommon(E->Pointers);
}

void ActivityAnalysis::print(raw_ostream &OS) const {
  OS << "activity of " << F.getName() << ":\n";
  auto Line = [&](const Value &V) {
    if (V.getType()->isVoidTy() || V.getType()->isLabelTy())
      return;
    OS << (isActive(&V)    ? "  active  "
           : isVaried(&V)  ? "  varied  "
           : isUseful(&V)  ? "  useful  "
           : hasShadow(&V) ? "  shadow  "
                           : "  -       ");
    OS << V << '\n';
  };
  for (Argument &A : F.args())
    Line(A);
  for (Instruction &I : instructions(F))
    Line(I);
}
