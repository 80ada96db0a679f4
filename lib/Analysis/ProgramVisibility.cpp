//===- ProgramVisibility.cpp - who can see which memory -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is reachable from what, which objects code outside of the call graph can
// see, and where pointers come from whose shadows nobody made.
//
//===----------------------------------------------------------------------===//

#include "Analysis/CallEffects.h"
#include "Analysis/KnownOutside.h"
#include "Analysis/LiveBlocks.h"
#include "Analysis/ProgramFacts.h"
#include "Catalogue/Catalogue.h"
#include "Catalogue/LibraryNames.h"
#include "Support/DispatchMarks.h"
#include "Support/Kernels.h"
#include "Target/Target.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

bool ProgramFacts::mayTouchExternal(const CallBase &C) const {
  const Function *Callee = C.getCalledFunction();
  // A hook that the program was given, and that no function here can be.
  if (!Callee && !C.isInlineAsm() &&
      C.getFunction()->hasFnAttribute(UnseenCallee) && !C.onlyReadsMemory())
    return ReadOutside.any() && !C.doesNotReturn();
  if (!Callee || ReadOutside.none() || !isUnknownCall(C, Cat, PreparedOf) ||
      Cat.lookup(C) || C.doesNotReturn() || C.doesNotAccessMemory() ||
      C.onlyAccessesInaccessibleMemOrArgMem())
    return false;
  return !isOfLanguageLibrary(Callee->getName());
}

BitVector ProgramFacts::givenTo(const CallBase &C) const {
  BitVector Given(Types.numObjects());
  auto Add = [&](const Value *V) {
    TypeAnalysis::ObjectId O =
        carriesPointer(V) ? Types.objectOf(V) : TypeAnalysis::NoObject;
    if (O != TypeAnalysis::NoObject)
      Given |= reachableFrom(O);
  };
  for (const Value *A : C.args())
    Add(A);
  if (!C.getType()->isVoidTy())
    Add(&C);
  return Given;
}

BitVector ProgramFacts::writtenOutside(const CallBase &C) const {
  if (C.onlyReadsMemory())
    return BitVector(Types.numObjects());
  BitVector Written = givenTo(C);
  Written |= External;
  return Written;
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

void ProgramFacts::computeOrigins(ArrayRef<Function *> Functions) {
  Unshadowed.resize(Types.numObjects());
  Owned.resize(Types.numObjects());
  auto Mark = [&](BitVector &Set, const Value *P) {
    if (TypeAnalysis::ObjectId O = Types.objectOf(P);
        O != TypeAnalysis::NoObject)
      Set |= reachableFrom(O);
  };
  auto Own = [&](const Value *P) {
    if (TypeAnalysis::ObjectId O = Types.objectOf(P);
        O != TypeAnalysis::NoObject)
      Owned.set(O);
  };
  Untraceable.resize(Types.numObjects());
  for (Function *F : Functions)
    for (Argument &A : F->args())
      if (F->hasParamAttribute(A.getArgNo(), LeadsOn))
        Mark(Unshadowed, &A);
  for (Function *F : Functions)
    for (Instruction &I : instructions(*F)) {
      if (const auto *Cast = dyn_cast<IntToPtrInst>(&I);
          Cast && pointsAnywhere(*Cast))
        Mark(Untraceable, Cast);
      if (isa<AllocaInst>(I))
        Own(&I);
      if (const auto *C = dyn_cast<CallBase>(&I); C && carriesPointer(C)) {
        const OperationRecord *R = Cat.lookup(I);
        Function *Callee = directCallee(*C);
        if (R ? R->Class == RuleClass::Inactive || R->Class == RuleClass::Rule
              : !(Callee && PreparedOf(Callee)))
          Mark(Unshadowed, C);
        else if (R)
          Own(C);
      }
      for (const Value *Op : I.operands()) {
        const auto *G = dyn_cast<GlobalVariable>(Op->stripInBoundsOffsets());
        if (!G)
          continue;
        if (G->isConstant())
          Mark(Unshadowed, G);
        else
          Own(G);
        TypeAnalysis::ObjectId O = Types.objectOf(G);
        if (G->isConstant() || O == TypeAnalysis::NoObject)
          continue;
        for (TypeAnalysis::ObjectId P : Types.pointees(O))
          if (P != TypeAnalysis::NoObject)
            Unshadowed |= reachableFrom(P);
      }
    }
}

bool ProgramFacts::setsFirst(const Function &F, const GlobalVariable &G,
                             uint64_t Offset) const {
  // A function that comes back to itself sets nothing first.
  auto [Known, New] = SetFirst.try_emplace({&F, &G, Offset}, false);
  if (!New)
    return Known->second;
  TypeAnalysis::ObjectId O = Types.objectOf(&G);
  const DataLayout &DL = Types.dataLayout();
  SmallVector<const Instruction *, 16> Readers, Setters;
  for (const Instruction &I : instructions(F)) {
    if (const auto *S = dyn_cast<StoreInst>(&I);
        S && S->getValueOperand()->getType()->isPointerTy()) {
      APInt Off(64, 0);
      if (S->getPointerOperand()->stripAndAccumulateConstantOffsets(
              DL, Off, true) == &G &&
          Off == Offset)
        Setters.push_back(S);
    }
    bool Reads = isUnknownCall(I, Cat, PreparedOf) || isa<ReturnInst>(I);
    visitAccesses(I, Cat, [&](const Value *P, bool R, bool) {
      Reads |= R && Types.objectOf(P) == O;
    });
    if (const auto *C = dyn_cast<CallBase>(&I))
      if (Function *Callee = directCallee(*C))
        if (Function *P = PreparedOf(Callee)) {
          Reads |= effects(P).Reads.test(O);
          if (effects(P).Pointers.test(O) && setsFirst(*P, G, Offset))
            Setters.push_back(&I);
        }
    if (Reads)
      Readers.push_back(&I);
  }
  if (Setters.empty())
    return false;
  DominatorTree DT(const_cast<Function &>(F));
  bool First = any_of(Setters, [&](const Instruction *S) {
    return all_of(Readers, [&](const Instruction *R) {
      return R == S || !DT.isReachableFromEntry(R->getParent()) ||
             DT.dominates(S, R);
    });
  });
  return SetFirst[{&F, &G, Offset}] = First;
}

bool ProgramFacts::isSetFirst(const GlobalVariable &G) const {
  if (!Root || Types.objectOf(&G) == TypeAnalysis::NoObject)
    return false;
  uint64_t Size =
      Types.dataLayout().getTypeAllocSize(G.getValueType()).getFixedValue();
  return Types.allLeavesAt(&G, Size, [&](const TypedLeaf &L) {
    if (L.Kind.K == ByteKind::Float || L.Kind.K == ByteKind::Integer)
      return true;
    return L.Kind.K == ByteKind::Pointer &&
           L.Size == Types.dataLayout().getPointerSize() &&
           setsFirst(*Root, G, L.Offset);
  });
}

const BitVector &ProgramFacts::reachableFrom(TypeAnalysis::ObjectId O) const {
  auto It = Reach.find(O);
  if (It != Reach.end())
    return It->second;
  BitVector Set(Types.numObjects());
  if (O != TypeAnalysis::NoObject) {
    SmallVector<TypeAnalysis::ObjectId, 8> Work{O};
    Set.set(O);
    while (!Work.empty())
      for (TypeAnalysis::ObjectId P : Types.pointees(Work.pop_back_val()))
        if (P != TypeAnalysis::NoObject && !Set.test(P)) {
          Set.set(P);
          Work.push_back(P);
        }
  }
  return Reach[O] = std::move(Set);
}

void ProgramFacts::computeVisible(ArrayRef<Function *> Functions) {
  Visible.resize(Types.numObjects());
  Exposed.resize(Types.numObjects());
  External.resize(Types.numObjects());
  Enclosed.resize(Types.numObjects());
  Given.resize(Types.numObjects());
  auto See = [&](const Value *V, bool Unseen = false) {
    TypeAnalysis::ObjectId O = Types.objectOf(V);
    if (O == TypeAnalysis::NoObject)
      return;
    Visible |= reachableFrom(O);
    if (Unseen || Exposed.test(O))
      return;
    SmallVector<TypeAnalysis::ObjectId, 8> Work{O};
    Exposed.set(O);
    while (!Work.empty())
      for (TypeAnalysis::ObjectId P :
           Types.pointeesBesideFloats(Work.pop_back_val()))
        if (!Exposed.test(P)) {
          Exposed.set(P);
          Work.push_back(P);
        }
  };
  if (Functions.empty())
    return;
  auto AddTo = [&](BitVector &Set, const Value *P) {
    if (TypeAnalysis::ObjectId O = Types.objectOf(P);
        O != TypeAnalysis::NoObject)
      Set |= reachableFrom(O);
  };
  DenseMap<const GlobalVariable *, bool> Known;
  auto IsKnown = [&](const GlobalVariable &G) {
    auto [It, New] = Known.try_emplace(&G, false);
    if (New)
      It->second = isKnownOutside(G, Cat, [&](const Function &F) {
        return PreparedOf(&F) == Functions.front();
      });
    return It->second;
  };
  // The root comes first: what its caller passes in, or gets back.
  for (Argument &A : Functions.front()->args()) {
    See(&A);
    AddTo(Given, &A);
  }
  for (Instruction &I : instructions(*Functions.front()))
    if (auto *R = dyn_cast<ReturnInst>(&I); R && R->getReturnValue())
      See(R->getReturnValue());
  for (Function *F : Functions) {
    const bool Unseen = F->hasFnAttribute(UnseenCallee);
    const auto Returning = blocksThatReturn(*F);
    for (Instruction &I : instructions(*F)) {
      if (!Returning.contains(I.getParent()))
        continue; // what somebody sees who does not return is no matter
      // What lies in a packed buffer, only the running program knows.
      if (const auto *C = dyn_cast<CallBase>(&I))
        if (const OperationRecord *R = Cat.lookup(*C); R && R->Communicates)
          for (unsigned Op = 0; Op != C->arg_size(); ++Op)
            if (TypeAnalysis::ObjectId O = Types.objectOf(C->getArgOperand(Op));
                O != TypeAnalysis::NoObject && elementBehind(*C, Op, *R) == 'K')
              Exposed.set(O);
      bool UnknownCall = isUnknownCall(I, Cat, PreparedOf);
      for (Value *Op : I.operands()) {
        const auto *G = dyn_cast<GlobalVariable>(Op->stripInBoundsOffsets());
        // A text or a table of numbers leads nowhere: where it shares an object
        // with memory of ours (characters that a string may point to), nobody
        // sees that by its name.
        const bool Leaf = G && G->isConstant() && G->hasInitializer() &&
                          !G->getInitializer()->needsRelocation();
        if (G || UnknownCall)
          See(Op, Unseen || (Leaf && !UnknownCall));
        if ((G && !G->isConstant()) || (UnknownCall && !Unseen))
          AddTo(Given, Op);
        if (G && !G->isConstant() && IsKnown(*G))
          AddTo(External, Op);
      }
      if (UnknownCall) {
        See(&I, Unseen);
        if (!Unseen)
          AddTo(Given, &I);
      }
    }
  }
  // A parameter may be such memory under another name.
  ReadOutside = External;
  for (const OutsideEvidence::HandedIn &H : HandedIn) {
    const Value *From = getUnderlyingObject(H.Passed, /*MaxLookup=*/0);
    if (const auto *L = dyn_cast<LoadInst>(From))
      From = getUnderlyingObject(L->getPointerOperand(), /*MaxLookup=*/0);
    if (const auto *G = dyn_cast<GlobalVariable>(From);
        G && !G->isConstant() && IsKnown(*G))
      AddTo(ReadOutside, H.Parameter);
  }
}

bool ProgramFacts::mayBeGiven(const Value &V) const {
  const TypeAnalysis::ObjectId O = Types.objectOf(&V);
  return O != TypeAnalysis::NoObject && Given.test(O);
}

/// The block that C releases; null where it releases none of the heap.
static const Value *releasedBy(const CallBase &C, const Catalogue &Cat) {
  const OperationRecord *R = Cat.lookup(C);
  if (!R || !(R->OfHeap || R->Handler == HandlerKind::Realloc))
    return nullptr;
  return C.getArgOperand(R->OfHeap ? R->FreedArg : 0);
}

void ProgramFacts::findReleased(ArrayRef<Function *> Functions) {
  ReleasedGiven.resize(Types.numObjects());
  for (Function *F : Functions)
    for (Instruction &I : instructions(*F))
      if (const auto *C = dyn_cast<CallBase>(&I))
        if (const Value *P = releasedBy(*C, Cat); P && mayBeGiven(*P)) {
          auto Bytes = Types.patternAt(P);
          if (!Bytes || any_of(Bytes->Leaves, [](const TypedLeaf &L) {
                return L.Kind.K != ByteKind::Pointer &&
                       L.Kind.K != ByteKind::Integer;
              }))
            ReleasedGiven.set(Types.objectOf(P));
        }
}

bool ProgramFacts::releasesGiven(const CallBase &C) const {
  const Value *P = releasedBy(C, Cat);
  return P && mayBeReleased(*P);
}

bool ProgramFacts::mayBeReleased(const Value &P) const {
  const TypeAnalysis::ObjectId O = Types.objectOf(&P);
  return O != TypeAnalysis::NoObject && ReleasedGiven.test(O);
}

bool ProgramFacts::mayHoldReleased(const Value &P) const {
  const TypeAnalysis::ObjectId O = Types.objectOf(&P);
  return O != TypeAnalysis::NoObject && ReleasedGiven.any() &&
         any_of(Types.pointees(O), [&](TypeAnalysis::ObjectId To) {
           return To != TypeAnalysis::NoObject && ReleasedGiven.test(To);
         });
}

bool ProgramFacts::mayReplace(const StoreInst &S) const {
  const Value *P = S.getPointerOperand();
  if (!mayHoldReleased(*P))
    return false;
  // An address that moves on within its block: the end of a vector.
  const auto *From = dyn_cast<LoadInst>(
      getUnderlyingObject(S.getValueOperand(), /*MaxLookup=*/0));
  return !From || From->getPointerOperand() != P;
}

/// Variables whose address nobody else can have, and that no pointer from
/// elsewhere leads to. (The compiler does not see who else knows a variable of
/// a device.)
void ProgramFacts::findEnclosed(ArrayRef<Function *> Functions) {
  if (Functions.empty() ||
      Target(*Functions.front()->getParent()).manyThreads() ||
      Untraceable.any())
    return;
  BitVector Elsewhere(Types.numObjects());
  auto Add = [&](const Value *V) {
    if (TypeAnalysis::ObjectId O = Types.objectOf(V);
        O != TypeAnalysis::NoObject)
      Elsewhere |= reachableFrom(O);
  };
  for (const Argument &A : Functions.front()->args())
    Add(&A);
  SmallPtrSet<const GlobalVariable *, 16> Seen;
  auto AddVariable = [&](const GlobalVariable &G) {
    TypeAnalysis::ObjectId O = Types.objectOf(&G);
    if (O == TypeAnalysis::NoObject || !Seen.insert(&G).second)
      return;
    if (isGivenAway(G))
      Elsewhere |= reachableFrom(O);
    else
      Enclosed.set(O);
    // What it pointed to before, others may have, too.
    for (TypeAnalysis::ObjectId P : Types.pointees(O))
      if (P != TypeAnalysis::NoObject)
        Elsewhere |= reachableFrom(P);
  };
  for (const Function *F : Functions)
    for (const Instruction &I : instructions(*F)) {
      const bool Unknown = isUnknownCall(I, Cat, PreparedOf) ||
                           (isa<ReturnInst>(I) && F == Functions.front());
      if (Unknown)
        Add(&I);
      for (const Value *Op : I.operands()) {
        if (Unknown)
          Add(Op);
        if (const auto *G =
                dyn_cast<GlobalVariable>(Op->stripInBoundsOffsets()))
          AddVariable(*G);
      }
    }
  Enclosed.reset(Elsewhere);
}
