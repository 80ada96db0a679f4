//===- ProgramFacts.cpp - what holds for a whole call graph ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/ProgramFacts.h"
#include "Catalogue/Catalogue.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

Function *retrograd::directCallee(const CallBase &C) {
  return dyn_cast<Function>(
      C.getCalledOperand()->stripPointerCastsAndAliases());
}

ProgramFacts::ProgramFacts(ArrayRef<Function *> Functions, PreparedOfFn PO,
                           const Catalogue &Cat, const OutsideEvidence *Outside,
                           bool ManySweeps,
                           ArrayRef<OutsideEvidence::HandedIn> Arguments)
    : Cat(Cat), PreparedOf(std::move(PO)),
      Types(Functions, PreparedOf, Cat, Outside), HandedIn(Arguments),
      ManySweeps(ManySweeps) {
  findAddressWords(Functions);
  findTeams(Functions);
  findMessages(Functions);
  computeVisible(Functions);
  computeHandled(Functions);
  computeNumbersFurther(Functions);
  computeEffects(Functions);
  computeShared(Functions);
  computeOrigins(Functions);
  findEnclosed(Functions);
  computeRounding(Functions);
  Root = Functions.empty() ? nullptr : Functions.front();
  findReleased(Functions);
  findForeignFormats(Functions);
  Later = std::make_unique<const LaterWrites>(Functions, *this);
  Text = std::make_unique<const TextFlow>(Functions, *this);
  Digits = std::make_unique<const DigitFlow>(Functions, *this);
}

/// V is an integer that holds an address.
static bool isAddressWord(const TypeAnalysis &Types, const Value &V) {
  return V.getType()->isIntegerTy(Types.dataLayout().getPointerSizeInBits()) &&
         any_of(Types.leavesOf(&V), [](const TypedLeaf &L) {
           return L.Kind.K == ByteKind::Pointer;
         });
}

void ProgramFacts::findAddressWords(ArrayRef<Function *> Functions) {
  for (Function *F : Functions)
    for (Instruction &I : instructions(*F)) {
      if (const auto *Call = dyn_cast<CallBase>(&I)) {
        const Function *Callee = directCallee(*Call);
        Callee = Callee ? PreparedOf(Callee) : nullptr;
        if (Callee && Callee->arg_size() == Call->arg_size())
          for (const Argument &A : Callee->args())
            if (const Value *Given = Call->getArgOperand(A.getArgNo());
                Given->getType() == A.getType() && isAddressWord(Types, *Given))
              AddressArguments.insert(&A);
        continue;
      }
      const auto *S = dyn_cast<StoreInst>(&I);
      if (const Value *Word = S ? S->getValueOperand() : dyn_cast<LoadInst>(&I);
          Word && isAddressWord(Types, *Word))
        AddressWords.push_back(getLoadStorePointerOperand(&I));
    }
}

bool ProgramFacts::holdsAddressWord(const Value *P, uint64_t Offset,
                                    uint64_t Size) const {
  return any_of(AddressWords, [&](const Value *Word) {
    return Types.mayMeet(P, Word, Size, /*Behind=*/false, Offset);
  });
}

/// The running program sees what I does to memory: it is an access, or an
/// operation that the watch knows (Emit/FormatWatch.h).
static bool isWatchable(const Instruction &I, const Catalogue &Cat,
                        const ProgramFacts &Facts) {
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C)
    return !I.isAtomic() && !isa<VAArgInst>(I);
  const OperationRecord *R = Cat.lookup(I);
  if (!R)
    return isa<AnyMemIntrinsic>(I) ||
           (directCallee(*C) && Facts.preparedOf(directCallee(*C)));
  switch (R->Class) {
  case RuleClass::Formula:
  case RuleClass::Deallocation:
    return true;
  case RuleClass::Allocation:
    return !R->SizeArgs.empty() && !R->ShadowBehind;
  case RuleClass::Handler:
    return R->leavesMemoryAlone() || R->Handler == HandlerKind::MemCpy ||
           R->Handler == HandlerKind::MemMove ||
           R->Handler == HandlerKind::MemSet ||
           R->Handler == HandlerKind::Realloc ||
           R->Handler == HandlerKind::ObjectSize;
  case RuleClass::Inactive:
    return R->leavesMemoryAlone() || R->Memory == "r" || R->Id == "format_hint";
  case RuleClass::Expansion:
  case RuleClass::Rule:
    break;
  }
  return C->onlyReadsMemory();
}

void ProgramFacts::findForeignFormats(ArrayRef<Function *> Functions) {
  if (!Types.mixesFormats())
    return;
  auto Note = [&](TypeAnalysis::ObjectId O, SmallSet<unsigned, 4> &To) {
    if (std::optional<unsigned> Group = Types.mixedFormats(O))
      To.insert(*Group);
  };
  auto NoteAll = [&](const BitVector &Objects, SmallSet<unsigned, 4> &To) {
    for (unsigned O : Objects.set_bits())
      Note(O, To);
  };
  NoteAll(Visible, SeenFormats);
  for (const Function *F : Functions)
    for (const Instruction &I : instructions(*F)) {
      if (isWatchable(I, Cat, *this))
        continue;
      auto NoteBehind = [&](const Value *V) {
        if (TypeAnalysis::ObjectId O = Types.objectOf(V);
            O != TypeAnalysis::NoObject)
          NoteAll(reachableFrom(O), ForeignFormats);
      };
      NoteBehind(&I);
      for (const Value *Op : I.operand_values())
        NoteBehind(Op);
      if (const auto *C = dyn_cast<CallBase>(&I); C && mayTouchExternal(*C))
        NoteAll(External, ForeignFormats);
    }
}

bool ProgramFacts::watchesFormats(const Value *P) const {
  const std::optional<unsigned> Group = Types.mixedFormats(P);
  return Group && !ForeignFormats.contains(*Group);
}

bool ProgramFacts::hidesFormats(const Value *P) const {
  const std::optional<unsigned> Group = Types.mixedFormats(P);
  return Group && watchesFormats(P) && !SeenFormats.contains(*Group);
}

const ValueShape &ProgramFacts::shape(const Value *V) const {
  std::unique_ptr<ValueShape> &Slot = Shapes[V];
  if (Slot)
    return *Slot;
  auto Shape = std::make_unique<ValueShape>();
  Type *T = V->getType();
  if (T->isPointerTy()) {
    Shape->HasPointer = true;
  } else if (T->isFloatingPointTy()) {
    const DataLayout &DL = Types.dataLayout();
    Shape->Floats.push_back(
        {0, DL.getTypeStoreSize(T).getFixedValue(), {ByteKind::Float, T}});
  } else if (T->isFirstClassType() && !T->isTokenTy() && !T->isMetadataTy() &&
             !T->isLabelTy() &&
             !(T->isIntegerTy() && T->getIntegerBitWidth() < 8)) {
    for (const TypedLeaf &L : Types.leavesOf(V)) {
      // A piece of a float is no float.
      bool Whole =
          L.Kind.K == ByteKind::Float &&
          L.Size ==
              Types.dataLayout().getTypeStoreSize(L.Kind.FP).getFixedValue();
      if (Whole)
        Shape->Floats.push_back(L);
      else if (L.Kind.K == ByteKind::Float)
        Shape->HasUnknown = Shape->HasPiece = true;
      Shape->HasPointer |= L.Kind.K == ByteKind::Pointer;
      Shape->HasUnknown |=
          L.Kind.K == ByteKind::Unknown || L.Kind.K == ByteKind::Conflict;
    }
    // A function that only moves such words does not know what they are.
    const unsigned Size = Types.dataLayout().getPointerSize();
    if (const auto *Load = dyn_cast<LoadInst>(V);
        Load && T->isIntegerTy(Size * 8))
      Shape->HasPointer |= holdsAddressWord(Load->getPointerOperand(), 0, Size);
  }
  // Re-index: leavesOf may have grown the map.
  return *(Shapes[V] = std::move(Shape));
}

bool ProgramFacts::isPunned(const Instruction &Access) const {
  const Value *P = getLoadStorePointerOperand(&Access);
  Type *T = P ? getLoadStoreType(&Access) : nullptr;
  if (!P || !T->isIntOrIntVectorTy())
    return false;
  if (Types.isIndexPlace(P))
    return false;
  uint64_t Size = Types.dataLayout().getTypeStoreSize(T).getFixedValue();
  // Programs keep bits of numbers in members that are integers by declaration
  // (memcpy to the address of one).
  if (Types.isDeclaredInteger(Access))
    return Types.storesFloat(P, Size);
  return Types.touchesFloat(P, Size) ||
         any_of(Types.leavesAt(P, Size), [](const TypedLeaf &L) {
           return L.Kind.K == ByteKind::Conflict;
         });
}
