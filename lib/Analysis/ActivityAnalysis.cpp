//===- ActivityAnalysis.cpp - what carries a derivative -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/ActivityAnalysis.h"
#include "Analysis/LoopShape.h"
#include "Catalogue/Catalogue.h"
#include "Support/DispatchMarks.h"
#include "Support/ExceptionMarks.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

ActivityAnalysis::ActivityAnalysis(Function &F, ArrayRef<ArgActivity> Args,
                                   bool ActiveReturn, const ProgramFacts &Facts,
                                   const LoopShape &Shape, const ShadowOrigins &Callers)
    : F(F), Facts(Facts), Shape(Shape), Origins(Callers) {
  unsigned N = Facts.types().numObjects();
  for (BitVector *Set : {&VariedObjects, &UsefulObjects, &ShadowedObjects,
                         &Origins.Inactive, &Origins.Unshadowed, &Origins.Active,
                         &Untraceable})
    Set->resize(N);
  IsRequest = Callers.Active.empty();
  seed(Args);
  propagateVaried();
  findLostBits();
  propagateUseful(ActiveReturn);
  closeShadows(Args);
  if (!IsRequest)
    distrustUnshadowed(Args, Callers.Active);
}

/// An address that was computed as an integer, in a way that preparation could
/// not undo: the type analysis does not know where it points.
static bool pointsAnywhere(const IntToPtrInst &I) {
  SmallVector<const Value *, 8> Work{I.getOperand(0)};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty()) {
    const auto *V = dyn_cast<Instruction>(Work.pop_back_val());
    if (!V || !Seen.insert(V).second)
      continue;
    if (isa<BinaryOperator>(V))
      return true;
    if (isa<PHINode, SelectInst, FreezeInst, ZExtInst, TruncInst>(V))
      append_range(Work, V->operands());
  }
  return false;
}

/// Marked by preparation: constant but for jumps, whatever its operations say.
static bool movesInSteps(const Instruction &I) {
  return I.hasMetadata() && I.hasMetadata("rg.steps");
}

void ActivityAnalysis::seed(ArrayRef<ArgActivity> Args) {
  for (const Instruction &I : instructions(F))
    if (const auto *Cast = dyn_cast<IntToPtrInst>(&I); Cast && pointsAnywhere(*Cast))
      if (TypeAnalysis::ObjectId O = Facts.types().objectOf(Cast); O != TypeAnalysis::NoObject) {
        VariedObjects |= Facts.reachableFrom(O);
        UsefulObjects |= Facts.reachableFrom(O);
        Untraceable |= Facts.reachableFrom(O);
      }
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
  if (!Facts.carriesFloat(V) && !Facts.shape(V).HasUnknown)
    return false;
  return Varied.insert(V).second;
}

bool ActivityAnalysis::markUseful(const Value *V) {
  if (isa<Constant>(V) || (!Facts.carriesFloat(V) && !Facts.shape(V).HasUnknown))
    return false;
  return Useful.insert(V).second;
}

/// A bulk copy of memory: its two ends, or nulls.
static std::pair<const Value *, const Value *> copyEnds(const Instruction &I,
                                                        const Catalogue &Cat) {
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

bool ActivityAnalysis::anyVariedInput(const CallBase &C,
                                      const ProgramFacts::Effects *E) const {
  if (any_of(C.args(), [&](const Value *A) { return isVaried(A); }))
    return true;
  return E && VariedObjects.anyCommon(E->Reads);
}

/// Transfers variation through I; true if anything new was marked.
bool ActivityAnalysis::varyFrom(const Instruction &I) {
  if (movesInSteps(I))
    return false;
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return isVaried(S->getValueOperand()) &&
           markObject(VariedObjects, S->getPointerOperand());
  if (const auto *L = dyn_cast<LoadInst>(&I))
    return testObject(VariedObjects, L->getPointerOperand()) && markVaried(L);
  if (const auto *A = dyn_cast<AtomicRMWInst>(&I)) {
    bool New = isVaried(A->getValOperand()) &&
               markObject(VariedObjects, A->getPointerOperand());
    return (testObject(VariedObjects, A->getPointerOperand()) && markVaried(A)) || New;
  }
  if (const auto *A = dyn_cast<AtomicCmpXchgInst>(&I)) {
    bool New = isVaried(A->getNewValOperand()) &&
               markObject(VariedObjects, A->getPointerOperand());
    return (testObject(VariedObjects, A->getPointerOperand()) && markVaried(A)) || New;
  }
  if (auto [Dest, Source] = copyEnds(I, Facts.catalogue()); Dest)
    return testObject(VariedObjects, Source) && markObject(VariedObjects, Dest);
  if (isa<AnyMemSetInst>(I))
    return false;
  if (const auto *C = dyn_cast<CallBase>(&I)) {
    if (const OperationRecord *R = Facts.catalogue().lookup(I);
        R && R->Class != RuleClass::Rule) {
      if (R->Class == RuleClass::Formula)
        return any_of(R->Partials, [&](const Partial &P) {
                 return isVaried(C->getArgOperand(P.Operand));
               }) && markVaried(C);
      if (R->Class == RuleClass::Handler && !R->leavesMemoryAlone()) {
        bool In = any_of(C->args(), [&](const Value *A) {
          return isVaried(A) || testObject(VariedObjects, A);
        });
        return In && (markVaried(C) | markObject(VariedObjects, C));
      }
      return false;
    }
    const ProgramFacts::Effects *E = Facts.effects(*C);
    if (!anyVariedInput(*C, E))
      return false;
    bool New = markVaried(C);
    if (E)
      New |= markObjects(VariedObjects, E->Writes);
    return New;
  }
  if (isa<CmpInst>(I) || I.getType()->isVoidTy())
    return false;
  // Everything else moves or combines its operands.
  return any_of(I.operands(), [&](const Value *Op) { return isVaried(Op); }) &&
         markVaried(&I);
}

void ActivityAnalysis::propagateVaried() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const BasicBlock &B : F)
      if (Shape.isLive(&B))
        for (const Instruction &I : B)
          Changed |= varyFrom(I);
  }
}

/// Follows the bits of varied floats through integers that are no floats by
/// type (a masked mantissa, say) to where they become a float again. Comparisons
/// and conversions end a trail: what they give is constant almost everywhere.
void ActivityAnalysis::findLostBits() {
  DenseSet<const Value *> Tainted;
  auto MovesBits = [](const Instruction &I) {
    return I.isBinaryOp() || isa<PHINode>(I) || isa<SelectInst>(I) || isa<BitCastInst>(I) ||
           isa<TruncInst>(I) || isa<ZExtInst>(I) || isa<SExtInst>(I) || isa<FreezeInst>(I) ||
           isa<InsertElementInst>(I) || isa<ExtractElementInst>(I) || isa<ShuffleVectorInst>(I);
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Instruction &I : instructions(F)) {
      if (!MovesBits(I) || movesInSteps(I) || !Shape.isLive(I.getParent()) || isVaried(&I) || Tainted.contains(&I))
        continue;
      bool FromBits = any_of(I.operands(), [&](const Value *Op) {
        return Tainted.contains(Op) ||
               (isVaried(Op) && Op->getType()->isIntOrIntVectorTy() &&
                I.getType()->isIntOrIntVectorTy());
      });
      if (isa<BitCastInst>(I) && I.getType()->isIntOrIntVectorTy())
        FromBits |= isVaried(I.getOperand(0));
      if (!FromBits)
        continue;
      Tainted.insert(&I);
      Changed = true;
    }
  }
  for (const Instruction &I : instructions(F))
    if (Tainted.contains(&I) && Facts.carriesFloat(&I) && !isVaried(&I))
      LostBits.push_back(&I);
  for (const Instruction &I : instructions(F))
    if (const auto *L = dyn_cast<LoadInst>(&I);
        L && L->getType()->isIntegerTy() && Shape.isLive(L->getParent()) && !isVaried(L) &&
        testObject(VariedObjects, L->getPointerOperand()))
      findLostCopies(*L);
}

/// Type-based alias facts say that S writes a member of a struct which is an
/// integer, not a byte of anything.
static bool writesIntegerMember(const StoreInst &S) {
  const MDNode *Tag = S.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag || Tag->getNumOperands() < 3 || Tag->getOperand(0) == Tag->getOperand(1))
    return false;
  const auto *Access = dyn_cast<MDNode>(Tag->getOperand(1));
  const auto *Name =
      Access && Access->getNumOperands() ? dyn_cast<MDString>(Access->getOperand(0)) : nullptr;
  return Name && Name->getString() != "omnipotent char";
}

/// As TypeAnalysis::callersKnowFloat, also where the memory at P is copied in bulk
/// from or to.
bool ActivityAnalysis::callersKnowFloat(const Value *P, uint64_t Size) const {
  const TypeAnalysis &Types = Facts.types();
  if (Types.callersKnowFloat(P, 0, Size))
    return true;
  TypeAnalysis::ObjectId O = Types.objectOf(P);
  return any_of(instructions(F), [&](const Instruction &I) {
    auto [Dest, Source] = copyEnds(I, Facts.catalogue());
    if (!Dest)
      return false;
    const auto *M = dyn_cast<AnyMemTransferInst>(&I);
    const auto *N = M ? dyn_cast<ConstantInt>(M->getLength()) : nullptr;
    uint64_t Length = N ? N->getZExtValue() : Size;
    return (Types.objectOf(Dest) == O && Types.callersKnowFloat(Source, 0, Length)) ||
           (Types.objectOf(Source) == O && Types.callersKnowFloat(Dest, 0, Length));
  });
}

/// An integer that comes from memory with active numbers and is only copied may
/// be half of such a number, although its accesses say `int`: a permuted copy
/// through an array of int. It is, if floats are read where it goes.
void ActivityAnalysis::findLostCopies(const LoadInst &From) {
  SmallVector<const Value *, 8> Work{&From};
  SmallPtrSet<const Value *, 8> Seen{&From};
  SmallVector<const StoreInst *, 4> Stores;
  while (!Work.empty()) {
    for (const User *U : Work.pop_back_val()->users()) {
      if (isa<PHINode, SelectInst, FreezeInst>(U)) {
        if (Seen.insert(U).second)
          Work.push_back(U);
      } else if (const auto *S = dyn_cast<StoreInst>(U)) {
        Stores.push_back(S);
      } else {
        return; // used as a number: an integer indeed
      }
    }
  }
  const TypeAnalysis &Types = Facts.types();
  uint64_t Size = Types.dataLayout().getTypeStoreSize(From.getType()).getFixedValue();
  for (const StoreInst *S : Stores) {
    if (writesIntegerMember(*S))
      continue;
    const Value *To = S->getPointerOperand();
    if (Types.touchesFloat(To, Size) || callersKnowFloat(To, Size) ||
        callersKnowFloat(From.getPointerOperand(), Size))
      LostBits.push_back(S);
    else if (Types.isStrided(To) && Types.isStrided(From.getPointerOperand()))
      BareCopies.push_back(S);
  }
}

/// Transfers usefulness backwards through I; true if anything new was marked.
bool ActivityAnalysis::useFrom(const Instruction &I, bool ActiveReturn) {
  if (movesInSteps(I))
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
    return Useful.contains(L) && markObject(UsefulObjects, L->getPointerOperand());
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return testObject(UsefulObjects, S->getPointerOperand()) &&
           markUseful(S->getValueOperand());
  if (const auto *A = dyn_cast<AtomicRMWInst>(&I)) {
    bool New = Useful.contains(A) && markObject(UsefulObjects, A->getPointerOperand());
    return (testObject(UsefulObjects, A->getPointerOperand()) &&
            markUseful(A->getValOperand())) || New;
  }
  if (const auto *A = dyn_cast<AtomicCmpXchgInst>(&I)) {
    bool New = Useful.contains(A) && markObject(UsefulObjects, A->getPointerOperand());
    return (testObject(UsefulObjects, A->getPointerOperand()) &&
            markUseful(A->getNewValOperand())) || New;
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
           any_of(C->args(), [&](const Value *A) { return testObject(UsefulObjects, A); })))
        for (const Value *A : C->args())
          New |= markUseful(A) | markObject(UsefulObjects, A);
      return New;
    }
    const ProgramFacts::Effects *E = Facts.effects(*C);
    bool Out = Useful.contains(C) || (E && UsefulObjects.anyCommon(E->Writes));
    if (!Out)
      return false;
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
  BitVector Constant(Active.size()), Own = Facts.ownedMemory();
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
          Origins.Unshadowed |= Facts.reachableFrom(P);
    }
}

/// What has a shadow here and none in the caller is told apart at run time.
void ActivityAnalysis::distrustUnshadowed(ArrayRef<ArgActivity> Args, const BitVector &ActiveThere) {
  for (Argument &A : F.args()) {
    TypeAnalysis::ObjectId O = Facts.types().objectOf(&A);
    if (Args[A.getArgNo()] == ArgActivity::Const || O == TypeAnalysis::NoObject)
      continue;
    for (unsigned P : Facts.reachableFrom(O).set_bits())
      if (ShadowedObjects.test(P) && !Facts.reachableFrom(P).anyCommon(ActiveThere))
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
      if (const auto *Call = dyn_cast<CallBase>(By)) {
        const Function *Callee = directCallee(*Call);
        return Call->isCallee(&U) || (Callee && Callee->hasFnAttribute(DispatchesCalls) &&
                                      U.getOperandNo() + 1 == Call->arg_size());
      }
      if (const auto *L = dyn_cast<LoadInst>(By); L && L->getType()->isIntegerTy())
        return !Facts.carriesPointer(L) && !isActive(L);
      return isa<ICmpInst>(By) || CodeAddresses.contains(By);
    });
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const BasicBlock &B : reverse(F))
      for (const Instruction &I : reverse(B))
        if (I.getType()->isPointerTy() &&
            isa<LoadInst, GetElementPtrInst, SelectInst, FreezeInst, PHINode>(I) &&
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
  return testObject(Untraceable, P);
}

bool ActivityAnalysis::isUnshadowed(const Value *P) const {
  return testObject(Origins.Unshadowed, P);
}

bool ActivityAnalysis::isActiveCall(const CallBase &C) const {
  if (isActive(&C) || hasShadow(&C))
    return true;
  for (const Value *A : C.args())
    if (isActive(A) || hasShadow(A))
      return true;
  const ProgramFacts::Effects *E = Facts.effects(C);
  if (!E) {
    // It may hand on what it is given in ways that nobody sees: varied values,
    // and memory that leads to varied ones even if this function never reads
    // them back by a path that it knows (nodes that a library links up).
    bool Keeps =
        !isa<IntrinsicInst>(C) && (!C.onlyReadsMemory() || !C.getType()->isVoidTy());
    return any_of(C.args(), [&](const Value *A) {
      if (isVaried(A))
        return true;
      TypeAnalysis::ObjectId O = Facts.types().objectOf(A);
      return Keeps && O != TypeAnalysis::NoObject && Facts.carriesPointer(A) &&
             Facts.reachableFrom(O).anyCommon(VariedObjects);
    });
  }
  BitVector Active = VariedObjects;
  Active &= UsefulObjects;
  return Active.anyCommon(E->Writes) || Active.anyCommon(E->Reads);
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
