//===- ProgramEffects.cpp - what functions read and write -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The effects of each function, its callees included: objects that it reads and
// writes, those to which it writes numbers or pointers, and whether it changes
// the rounding mode or computes with bits of numbers.
//
//===----------------------------------------------------------------------===//

#include "Analysis/CallEffects.h"
#include "Analysis/LiveBlocks.h"
#include "Analysis/ProgramFacts.h"
#include "Catalogue/Catalogue.h"
#include "Support/DispatchMarks.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

bool ProgramFacts::changesBehind(const CallBase &C,
                                 TypeAnalysis::ObjectId O) const {
  return followsPointers(C, Cat) &&
         (O == TypeAnalysis::NoObject || Handled.test(O));
}

bool ProgramFacts::mayOverlap(TypeAnalysis::ObjectId A,
                              TypeAnalysis::ObjectId B) const {
  return A == B || (isOutside(A) && isOutside(B)) ||
         (Handled.test(A) && Handled.test(B));
}

bool ProgramFacts::anyOutside(const BitVector &Set) const {
  return any_of(Set.set_bits(),
                [&](TypeAnalysis::ObjectId O) { return isOutside(O); });
}

bool ProgramFacts::isAmong(TypeAnalysis::ObjectId O,
                           const BitVector &Changes) const {
  return Changes.test(O) || (isOutside(O) && anyOutside(Changes)) ||
         (Handled.test(O) && Handled.anyCommon(Changes));
}

void ProgramFacts::computeHandled(ArrayRef<Function *> Functions) {
  Handled.resize(Types.numObjects());
  for (Function *F : Functions)
    for (Instruction &I : instructions(*F)) {
      const auto *C = dyn_cast<CallBase>(&I);
      const OperationRecord *R = C ? Cat.lookup(I) : nullptr;
      if (!R || R->Class != RuleClass::Inactive || R->Pure ||
          !(C->getType()->isPointerTy() || followsPointers(*C, Cat)))
        continue;
      auto Handle = [&](const Value *V) {
        TypeAnalysis::ObjectId O = V->getType()->isPointerTy()
                                       ? Types.objectOf(V)
                                       : TypeAnalysis::NoObject;
        if (O != TypeAnalysis::NoObject)
          Handled |= reachableFrom(O);
      };
      Handle(C);
      for_each(C->args(), Handle);
    }
}

bool ProgramFacts::mayWritePointers(const Instruction &I) const {
  const auto *C = dyn_cast<CallBase>(&I);
  if (const OperationRecord *R = C ? Cat.lookup(I) : nullptr)
    return R->Class != RuleClass::Inactive &&
           R->Class != RuleClass::Deallocation;
  const auto *S = dyn_cast<StoreInst>(&I);
  return !S || S->getValueOperand()->getType()->isPtrOrPtrVectorTy() ||
         carriesPointer(S->getValueOperand()) ||
         shape(S->getValueOperand()).HasUnknown;
}

void ProgramFacts::addWrites(const Instruction &I, BitVector &To) const {
  visitAccesses(I, Cat, [&](const Value *P, bool, bool Writes) {
    if (TypeAnalysis::ObjectId O = Types.objectOf(P);
        Writes && O != TypeAnalysis::NoObject)
      To.set(O);
  });
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C)
    return;
  // A function that nobody knows may write whatever it can see.
  if (callsBack(I, Cat) ||
      (isUnknownCall(I, Cat, PreparedOf) && !C->onlyReadsMemory()))
    To |= Visible;
  if (const OperationRecord *R = Cat.lookup(I);
      R && R->Class == RuleClass::Rule)
    To |= effects(*C)->Writes;
}

void ProgramFacts::addChanges(const Instruction &I, BitVector &To) const {
  const auto *C = dyn_cast<CallBase>(&I);
  if (C && freesLate(*C))
    return;
  addWrites(I, To);
  if (!C)
    return;
  if (followsPointers(*C, Cat))
    To |= Handled;
  const Function *Callee = directCallee(*C);
  const Function *Body = Callee ? PreparedOf(Callee) : nullptr;
  if (auto It = EffectsOf.find(Body); Body && It != EffectsOf.end())
    To |= It->second.Changes;
}

void ProgramFacts::computeNumbersFurther(ArrayRef<Function *> Functions) {
  DoublesFurther.resize(Types.numObjects());
  FloatsFurther.resize(Types.numObjects());
  for (Function *F : Functions)
    for (Instruction &I : instructions(*F)) {
      const auto *C = dyn_cast<CallBase>(&I);
      const OperationRecord *R = C ? Cat.lookup(I) : nullptr;
      if (!R || R->Class != RuleClass::Rule)
        continue;
      for (const auto &[N, A] : enumerate(C->args())) {
        const OperandMemory M = R->memoryBehind(N);
        TypeAnalysis::ObjectId O =
            M.Element == 'P' ? Types.objectOf(A) : TypeAnalysis::NoObject;
        if (O == TypeAnalysis::NoObject)
          continue;
        BitVector Behind(Types.numObjects());
        for (TypeAnalysis::ObjectId P : Types.pointees(O))
          if (P != TypeAnalysis::NoObject)
            Behind |= reachableFrom(P);
        if (M.Further != 'G')
          DoublesFurther |= Behind;
        if (M.Further != 'D')
          FloatsFurther |= Behind;
      }
    }
}

Type *ProgramFacts::numbersBehind(const Value *P) const {
  TypeAnalysis::ObjectId O = Types.objectOf(P);
  if (O == TypeAnalysis::NoObject ||
      DoublesFurther.test(O) == FloatsFurther.test(O))
    return nullptr;
  return DoublesFurther.test(O) ? Type::getDoubleTy(P->getContext())
                                : Type::getFloatTy(P->getContext());
}

void ProgramFacts::computeEffects(ArrayRef<Function *> Functions) {
  unsigned N = Types.numObjects();
  // Of what is an integer, or unknown, nothing is the bits of a number.
  const Module &M = *Functions.front()->getParent();
  PlainBits = hasFact(M, SourceFact::PlainMembers) &&
              !hasFact(M, SourceFact::CopiesBits);
  BitsAreHandled = any_of(Functions, [&](Function *F) {
    return any_of(instructions(*F),
                  [&](const Instruction &I) { return handlesBits(I); });
  });
  BitsAreMade = any_of(Functions, [&](Function *F) {
    return any_of(instructions(*F),
                  [&](const Instruction &I) { return makesBits(I); });
  });
  const Function *Makes =
      Intrinsic::getDeclarationIfExists(&M, Intrinsic::init_trampoline);
  const bool MakesTrampolines = Makes && !Makes->use_empty();
  for (Function *F : Functions) {
    Effects &E = EffectsOf[F];
    E.Reads.resize(N);
    E.Writes.resize(N);
    E.Changes.resize(N);
    E.Pointers.resize(N);
    E.Numbers.resize(N);
    // No derivative comes back from where an error is reported.
    const SmallPtrSet<const BasicBlock *, 32> Live = blocksThatReturn(*F);
    for (Instruction &I : instructions(*F)) {
      if (!Live.contains(I.getParent()))
        continue;
      bool Pointers = mayWritePointers(I);
      addNumbersWritten(I, E.Numbers);
      addWrites(I, E.Writes);
      visitAccesses(I, Cat, [&](const Value *P, bool R, bool W) {
        TypeAnalysis::ObjectId O = Types.objectOf(P);
        if (O == TypeAnalysis::NoObject)
          return;
        if (R)
          E.Reads.set(O);
        if (W && Pointers)
          E.Pointers.set(O);
      });
    }
    for (Instruction &I : instructions(*F)) {
      const auto *C = dyn_cast<CallBase>(&I);
      // What would be called in place of the end of the program: a function of
      // another file, or a trampoline's of this one. Whoever calls a function
      // for constants alone calls the user's own, which does not end.
      if (C && C->hasFnAttr(UnseenCallee)) {
        E.Reads |= ReadOutside;
        if (MakesTrampolines)
          E.Reads.set();
      }
      if (!C || !Live.contains(C->getParent()))
        continue;
      if (const OperationRecord *R = Cat.lookup(I);
          R && R->Class == RuleClass::Rule) {
        const Effects &OfCall = *effects(*C);
        E.Reads |= OfCall.Reads;
        E.Pointers |= OfCall.Pointers;
      }
      if (followsPointers(*C, Cat))
        E.Changes |= Handled;
      if (mayTouchExternal(*C)) {
        E.Reads |= ReadOutside;
        E.Numbers |= writtenOutside(*C);
      }
    }
    E.Changes |= E.Writes;
  }
  // Callees' effects, to a fixpoint over the call graph.
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Function *F : Functions) {
      Effects &E = EffectsOf[F];
      auto Size = [&] {
        return E.Reads.count() + E.Writes.count() + E.Changes.count() +
               E.Pointers.count() + E.Numbers.count();
      };
      unsigned Before = Size();
      for (Instruction &I : instructions(*F))
        if (auto *C = dyn_cast<CallBase>(&I))
          if (Function *Callee = directCallee(*C))
            if (Function *P = PreparedOf(Callee)) {
              auto It = EffectsOf.find(P);
              if (It == EffectsOf.end())
                continue;
              E.Reads |= It->second.Reads;
              E.Writes |= It->second.Writes;
              E.Changes |= It->second.Changes;
              E.Pointers |= It->second.Pointers;
              E.Numbers |= It->second.Numbers;
            }
      Changed |= Size() != Before;
    }
  }
}

/// What is done to memory that pointers in O lead to. Pointers that nobody here
/// has put there lead to memory that has no object: O stands for it.
void ProgramFacts::addFurther(TypeAnalysis::ObjectId O, const OperandMemory &M,
                              BitVector &Reads, BitVector &Writes,
                              BitVector &Numbers) const {
  BitVector Further(Types.numObjects());
  Further.set(O);
  for (TypeAnalysis::ObjectId P : Types.pointees(O))
    if (P != TypeAnalysis::NoObject)
      Further |= reachableFrom(P);
  if (M.ReadsFurther)
    Reads |= Further;
  if (!M.WritesFurther)
    return;
  Writes |= Further;
  Numbers |= Further;
}

const ProgramFacts::Effects *ProgramFacts::effects(const CallBase &C) const {
  const OperationRecord *R = Cat.lookup(C);
  if (!R || R->Class != RuleClass::Rule) {
    Function *Callee = directCallee(C);
    Function *Prepared = Callee ? PreparedOf(Callee) : nullptr;
    return Prepared ? &effects(Prepared) : nullptr;
  }
  std::unique_ptr<Effects> &Slot = RuleEffects[&C];
  if (Slot)
    return Slot.get();
  auto E = std::make_unique<Effects>();
  E->Reads.resize(Types.numObjects());
  E->Writes.resize(Types.numObjects());
  BitVector Numbers(Types.numObjects());
  for (const auto &[N, A] : enumerate(C.args())) {
    TypeAnalysis::ObjectId O = A->getType()->isPointerTy()
                                   ? Types.objectOf(A)
                                   : TypeAnalysis::NoObject;
    if (O == TypeAnalysis::NoObject)
      continue;
    if (!R->Given) {
      OperandMemory M = R->memoryBehind(N);
      if (M.Reads)
        E->Reads.set(O);
      if (M.Writes)
        E->Writes.set(O);
      // The rest is handles, statuses and integers.
      if (M.Writes && movesNumbers(C, N, *R))
        Numbers.set(O);
      if (M.ReadsFurther || M.WritesFurther)
        addFurther(O, M, E->Reads, E->Writes, Numbers);
      continue;
    }
    // The user's function may follow pointers; attributes speak of the first
    // step only.
    BitVector Further = reachableFrom(O);
    Further.reset(O);
    E->Reads |= Further;
    E->Writes |= Further;
    if (!C.doesNotAccessMemory(N))
      E->Reads.set(O);
    if (!C.onlyReadsMemory(N) && !C.doesNotAccessMemory(N))
      E->Writes.set(O);
  }
  if (C.onlyReadsMemory()) {
    E->Writes.reset();
    Numbers.reset();
  }
  E->Numbers = R->Given ? E->Writes : Numbers;
  E->Pointers = R->Communicates ? E->Numbers : E->Writes;
  return (RuleEffects[&C] = std::move(E)).get();
}

void ProgramFacts::computeShared(ArrayRef<Function *> Functions) {
  Shared.resize(Types.numObjects());
  if (Functions.size() < 2)
    return;
  for (Function *F : Functions)
    for (Instruction &I : instructions(*F))
      for (Value *Op : I.operands()) {
        auto *G = dyn_cast<GlobalVariable>(Op->stripInBoundsOffsets());
        TypeAnalysis::ObjectId O =
            G && !G->isConstant() ? Types.objectOf(G) : TypeAnalysis::NoObject;
        if (O != TypeAnalysis::NoObject)
          Shared |= reachableFrom(O);
      }
  // Only where one of them may have put a number: memory of strings and
  // pointers carries no derivative from one function to another.
  Shared &= effects(Functions.front()).Numbers;
}

/// Functions that say nothing of the rounding mode (they are not strict) may
/// take it that others do not change it.
void ProgramFacts::computeRounding(ArrayRef<Function *> Functions) {
  for (Function *F : Functions)
    for (Instruction &I : instructions(*F)) {
      const auto *C = dyn_cast<CallBase>(&I);
      const OperationRecord *R = C ? Cat.lookup(I) : nullptr;
      ChangesRounding |= R ? R->SetsRounding
                           : C && F->hasFnAttribute(Attribute::StrictFP) &&
                                 isUnknownCall(I, Cat, PreparedOf);
    }
}

bool ProgramFacts::handlesBits(const Instruction &I) const {
  auto IsFloat = [&](const Value *V) {
    return carriesFloat(V) || shape(V).HasUnknown;
  };
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return !isa<Constant>(S->getValueOperand()) && isPunned(I) &&
           !IsFloat(S->getValueOperand());
  if (isa<LoadInst>(I))
    return I.getType()->isIntOrIntVectorTy() && !IsFloat(&I) && isPunned(I);
  return makesBits(I);
}

/// V is the address of a place: what was loaded as an address may be the bits
/// of a number.
static bool isPlace(const Value &V) {
  const auto *Cast = dyn_cast<PtrToIntInst>(&V);
  return Cast && isa<GEPOperator, AllocaInst, GlobalValue, CallBase>(
                     Cast->getPointerOperand());
}

/// V is computed of constants, comparisons, conversions, addresses and
/// counters: no bits of a number, whatever the types know of the place where it
/// is kept.
static bool comesOfNoBits(const Value &V) {
  constexpr unsigned Most = 32;
  SmallSetVector<const Value *, 8> Parts;
  Parts.insert(&V);
  for (unsigned I = 0; I != Parts.size() && I != Most; ++I) {
    if (isa<ConstantInt, CmpInst, FPToSIInst, FPToUIInst>(Parts[I]) ||
        isPlace(*Parts[I]))
      continue;
    if (!isa<BinaryOperator, SelectInst, FreezeInst, PHINode, ZExtInst,
             SExtInst, TruncInst>(Parts[I]))
      return false;
    for (const Value *From : cast<User>(Parts[I])->operand_values())
      Parts.insert(From);
  }
  return Parts.size() <= Most;
}

/// An integer that is computed from the bits of a float.
bool ProgramFacts::makesBits(const Instruction &I) const {
  auto IsFloat = [&](const Value *V) {
    return carriesFloat(V) ||
           (!PlainBits && shape(V).HasUnknown && !comesOfNoBits(*V));
  };
  if (!I.getType()->isIntOrIntVectorTy() || isa<CmpInst, LoadInst>(I) ||
      IsFloat(&I))
    return false;
  return !isa<FPToSIInst, FPToUIInst>(I) &&
         any_of(I.operands(), [&](const Value *Op) {
           return !isa<Constant>(Op) && IsFloat(Op) &&
                  (Op->getType()->isIntOrIntVectorTy() || isa<BitCastInst>(I));
         });
}

void ProgramFacts::addNumbersWritten(const Instruction &I,
                                     BitVector &To) const {
  if (const auto *S = dyn_cast<StoreInst>(&I)) {
    const Value *V = S->getValueOperand();
    // Integers are bits of numbers only where some code makes them so.
    bool IsNumber = carriesFloat(V) || shape(V).HasUnknown ||
                    (BitsAreHandled && V->getType()->isIntOrIntVectorTy() &&
                     !isa<Constant>(V));
    if (!IsNumber || hasFact(I, SourceFact::Characters))
      return;
  }
  const auto *C = dyn_cast<CallBase>(&I);
  const OperationRecord *R = C ? Cat.lookup(I) : nullptr;
  if (isa<AnyMemSetInst>(I) || (R && (R->Class == RuleClass::Inactive ||
                                      R->Class == RuleClass::Deallocation)))
    return;
  if (callsBack(I, Cat) || (R && isUnknownCall(I, Cat, PreparedOf)))
    To |= Visible;
  else if (R && R->Class == RuleClass::Rule)
    To |= effects(*C)->Numbers;
  visitAccesses(I, Cat, [&](const Value *P, bool, bool Writes) {
    if (TypeAnalysis::ObjectId O = Types.objectOf(P);
        Writes && O != TypeAnalysis::NoObject)
      To.set(O);
  });
}
