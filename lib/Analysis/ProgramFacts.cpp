//===- ProgramFacts.cpp - what holds for a whole call graph ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/ProgramFacts.h"
#include "Catalogue/Catalogue.h"
#include "llvm/IR/DataLayout.h"

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
  findTeams(Functions);
  findMessages(Functions);
  computeVisible(Functions);
  computeHandled(Functions);
  computeEffects(Functions);
  computeShared(Functions);
  computeOrigins(Functions);
  findEnclosed(Functions);
  computeRounding(Functions);
  Root = Functions.empty() ? nullptr : Functions.front();
  Later = std::make_unique<const LaterWrites>(Functions, *this);
  Text = std::make_unique<const TextFlow>(Functions, *this);
  Digits = std::make_unique<const DigitFlow>(Functions, *this);
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
